package parallel

import (
	"runtime"
	"sync/atomic"
)

// Threads wait for each other in loops that read a variable, since loops of small systems take less time than the scheduler needs to wake a goroutine.
// Between its reads a thread lets other goroutines and processes run. What has waited for all of them goes to sleep, so that a pool that has nothing to do takes no time.
const (
	mostTurns = 200   // some 200 µs in all
	reads     = 1_000 // of a turn
)

// spun reads v until it has the value, and reports whether it has it in time.
func spun(v *atomic.Int32, value int32, turns int) bool {
	for range turns {
		for range reads {
			if v.Load() == value {
				return true
			}
		}
		runtime.Gosched()
		yield()
	}
	return v.Load() == value
}

// patience returns the number of turns that the threads of a pool wait before they sleep: none if they share processors.
func patience(threads int) int {
	if threads > runtime.GOMAXPROCS(0) {
		return 0
	}
	return mostTurns
}

// States of a worker.
const (
	idle int32 = iota
	called
	asleep
)

// A worker is a goroutine of a pool. Its state is idle or asleep while it waits, and called from the call of the caller of Run until it has done its parts.
type worker struct {
	state atomic.Int32
	next  atomic.Int32  // part that it owns
	wake  chan struct{} // for a worker that is asleep
	_     [64]byte      // the caches of other threads are left alone
}

// call ends the wait of the worker.
func (w *worker) call() {
	if w.state.Swap(called) == asleep {
		w.wake <- struct{}{}
	}
}

// wait returns once the worker is called. It sleeps after so many turns.
func (w *worker) wait(turns int) {
	if !spun(&w.state, called, turns) && w.state.CompareAndSwap(idle, asleep) {
		<-w.wake
	}
}

// A countdown counts the workers that have not done their parts. Its caller may sleep until there is none.
type countdown struct {
	left atomic.Int32
	wake chan struct{}
}

// sleeping is added to a count while its caller sleeps.
const sleeping = 1 << 30

// done counts one worker down.
func (c *countdown) done() {
	if c.left.Add(-1) == sleeping {
		c.wake <- struct{}{}
	}
}

// wait returns once all workers are done. It sleeps after so many turns.
func (c *countdown) wait(turns int) {
	if spun(&c.left, 0, turns) {
		return
	}
	if c.left.Add(sleeping) != sleeping {
		<-c.wake
	}
	c.left.Store(0)
}
