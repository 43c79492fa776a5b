// Package parallel runs independent parts of a loop on a fixed set of goroutines, without allocating. Part k does the
// same work on any goroutine. Callers that reduce keep one partial result per part and add them in the order of the
// parts, so that the result has the same bits for any number of threads.
package parallel

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// A Job is a loop body; parts must be independent of each other.
type Job interface{ Do(part int) }

// Pool is a set of persistent goroutines. Run may be called from several goroutines, which take turns, but not from
// inside a Job.
type Pool struct {
	threads int
	turns   int // that threads wait before they sleep
	mu      sync.Mutex
	workers []worker // of threads 1, 2, ...; nil: a pool of Until
	left    countdown
	job     Job
	parts   int
	sharing int          // threads that have parts
	next    atomic.Int32 // part of the caller of Run
	closed  bool
	fault   atomic.Pointer[Fault] // of a part that panicked on a goroutine other than the caller's

	of    *Pool // for a pool of Until: the pool that has the threads; nil: serial
	until atomic.Pointer[context.Context]
}

// New starts a pool of so many threads, including the caller of Run; 0 means GOMAXPROCS.
func New(threads int) *Pool {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	p := &Pool{threads: threads, turns: patience(threads), workers: make([]worker, threads-1)}
	p.left.wake = make(chan struct{}, 1)
	for k := range p.workers {
		w := &p.workers[k]
		w.wake = make(chan struct{}, 1)
		go p.work(w, k+1)
	}
	return p
}

// Threads returns the number of threads, 1 for a nil Pool.
func (p *Pool) Threads() int {
	if p == nil {
		return 1
	}
	return p.threads
}

// Close ends the goroutines. The pool must not be used afterwards.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.call(len(p.workers))
}

// call ends the waits of the first workers.
func (p *Pool) call(workers int) {
	for k := range p.workers[:workers] {
		p.workers[k].call()
	}
}

// ErrInterrupted is the value with which Run of a pool of Until panics.
var ErrInterrupted = errors.New("parallel: interrupted")

// Until returns a pool with the threads of p whose Run ends soon after ctx is done: it leaves out parts that have not
// begun and panics with ErrInterrupted in the goroutine that called it. So computations of many loops need no error
// for each loop; their caller recovers. After Forever the pool behaves like p, for objects that keep it. It need not
// be closed.
func (p *Pool) Until(ctx context.Context) *Pool {
	q := &Pool{threads: p.Threads(), of: p}
	q.until.Store(&ctx)
	return q
}

// Forever lets the loops of a pool of Until run to their ends from now on.
func (p *Pool) Forever() { p.until.Store(nil) }

// interruptible is a Job that does nothing once its context is done.
type interruptible struct {
	ctx context.Context
	job Job
}

// Do executes a part of the job.
func (j interruptible) Do(part int) {
	if j.ctx.Err() == nil {
		j.job.Do(part)
	}
}

// Run calls job.Do for every part in [0, parts) and returns when all are done. Each of min(parts, p.Threads()) threads
// owns one contiguous range of parts, and helps others once it has run these; with a nil Pool the caller runs all. If a
// part panics, so does Run once the other threads are done: with the same value if the part ran on the caller's thread,
// otherwise with a *Fault.
func (p *Pool) Run(parts int, job Job) {
	for p != nil && p.workers == nil {
		if ctx := p.until.Load(); ctx != nil {
			p.of.Run(parts, interruptible{*ctx, job})
			if (*ctx).Err() != nil {
				panic(ErrInterrupted)
			}
			return
		}
		p = p.of
	}
	if p == nil || p.threads == 1 || parts <= 1 {
		for k := range parts {
			job.Do(k)
		}
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.job, p.parts, p.sharing = job, parts, min(parts, p.threads)
	p.fault.Store(nil) // of a loop in which a part of the caller panicked as well
	for w := range p.sharing {
		first, _ := p.own(w)
		p.nextOf(w).Store(int32(first))
	}
	p.left.left.Store(int32(p.sharing - 1))
	p.call(p.sharing - 1)
	p.shareFirst()
	p.job = nil
	if fault := p.fault.Load(); fault != nil {
		panic(fault)
	}
}

// shareFirst runs the caller's parts and waits for the other threads, even if a part panics.
func (p *Pool) shareFirst() {
	defer p.left.wait(p.turns)
	p.share(0)
}

// work is the life of a worker, which is the thread with a number.
func (p *Pool) work(w *worker, number int) {
	for w.wait(p.turns); !p.closed; w.wait(p.turns) {
		p.shareGuarded(w, number)
	}
}

// A Fault is the value with which Run panics if a part has panicked on another goroutine, where nobody could recover.
type Fault struct {
	Value any // value of that panic
	Stack []byte
}

func (f *Fault) Error() string { return fmt.Sprintf("%v\n\n%s", f.Value, f.Stack) }

// shareGuarded is share for a goroutine of the pool.
func (p *Pool) shareGuarded(w *worker, number int) {
	defer p.left.done()
	defer w.state.Store(idle)
	defer func() {
		if v := recover(); v != nil {
			p.fault.CompareAndSwap(nil, &Fault{Value: v, Stack: debug.Stack()})
		}
	}()
	p.share(number)
}

// Owner returns the thread that owns a part, given the numbers of parts and threads. It is the same in every Run, so
// that the thread that uses memory also touches it first, unless it is late and others help it.
func Owner(part, parts, threads int) int { return ((part+1)*min(parts, threads) - 1) / parts }

// own returns the range of parts that thread w owns.
func (p *Pool) own(w int) (lo, hi int) { return w * p.parts / p.sharing, (w + 1) * p.parts / p.sharing }

// nextOf is the next part of those that thread w owns.
func (p *Pool) nextOf(w int) *atomic.Int32 {
	if w == 0 {
		return &p.next
	}
	return &p.workers[w-1].next
}

// helped is the number of threads that a thread looks to for parts: all of few, and not all of many, whose caches it would disturb.
const helped = 8

// share runs the parts that thread w owns, and then those that other threads have not come to: parts differ in their work,
// and threads may share their processors with other programs.
func (p *Pool) share(w int) {
	for k := range min(p.sharing, 1+helped) {
		owner := (w + k) % p.sharing
		next := p.nextOf(owner)
		for _, hi := p.own(owner); int(next.Load()) < hi; {
			if part := int(next.Add(1)) - 1; part < hi {
				p.job.Do(part)
			}
		}
	}
}

// function is a function as a Job. The conversion allocates; inner loops should keep a Job instead.
type function func(part int)

// Do calls f(part).
func (f function) Do(part int) { f(part) }

// Each calls do for every part in [0, parts), as Run does. It allocates; inner loops should keep a Job.
func (p *Pool) Each(parts int, do func(part int)) { p.Run(parts, function(do)) }

// RunRanges calls do for every range of bounds: part k is the range bounds[k] to bounds[k+1]-1. With a nil Pool the
// caller runs all.
func (p *Pool) RunRanges(bounds []int, do func(k, lo, hi int)) {
	p.Each(len(bounds)-1, func(k int) { do(k, bounds[k], bounds[k+1]) })
}
