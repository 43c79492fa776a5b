package parallel

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestRunVisitsEveryPartOnce(t *testing.T) {
	for _, threads := range []int{1, 2, 3, 8} {
		p := New(threads)
		for _, parts := range []int{0, 1, 2, 7, 8, 9, 1000} {
			seen := make([]atomic.Int32, parts)
			p.Each(parts, func(k int) { seen[k].Add(1) })
			for k := range seen {
				if n := seen[k].Load(); n != 1 {
					t.Fatalf("threads %d, parts %d: part %d ran %d times", threads, parts, k, n)
				}
			}
		}
		p.Close()
	}
}

// Owner returns the thread that owns a part.
func TestOwner(t *testing.T) {
	for _, threads := range []int{1, 2, 3, 8, 64} {
		for _, parts := range []int{1, 2, 7, 64, 1000} {
			p := &Pool{parts: parts, sharing: min(parts, threads)}
			for w := range p.sharing {
				lo, hi := p.own(w)
				for k := lo; k < hi; k++ {
					if got := Owner(k, parts, threads); got != w {
						t.Fatalf("part %d of %d on %d threads: owner %d, want %d", k, parts, threads, got, w)
					}
				}
			}
		}
	}
}

// A loop leaves the workers alone that have no parts in it.
func TestFewParts(t *testing.T) {
	p := New(4)
	defer p.Close()
	for k := range p.workers {
		for p.workers[k].state.Load() != asleep {
			time.Sleep(time.Millisecond)
		}
	}
	p.Each(2, func(int) {})
	for k := range p.workers[1:] {
		if state := p.workers[1+k].state.Load(); state != asleep {
			t.Errorf("thread %d was called", k+2)
		}
	}
}

// A thread that is late is helped: the first part of the second thread takes until all others are done.
func TestHelp(t *testing.T) {
	p := New(2)
	defer p.Close()
	var others atomic.Int32
	done := make(chan struct{})
	p.Each(8, func(k int) {
		if k != 4 {
			if others.Add(1) == 7 {
				close(done)
			}
			return
		}
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			t.Errorf("%d of the 7 other parts ran", others.Load())
		}
	})
}

type count struct{ n [64]int }

func (c *count) Do(k int) { c.n[k]++ }

func TestRunDoesNotAllocate(t *testing.T) {
	p := New(4)
	defer p.Close()
	c := new(count)
	if a := testing.AllocsPerRun(100, func() { p.Run(len(c.n), c) }); a != 0 {
		t.Errorf("%v allocations in a Run", a)
	}
}

func TestConcurrentRunsTakeTurns(t *testing.T) {
	p := New(3)
	defer p.Close()
	var total atomic.Int64
	done := make(chan struct{})
	for range 4 {
		go func() {
			for range 50 {
				p.Each(10, func(int) { total.Add(1) })
			}
			done <- struct{}{}
		}()
	}
	for range 4 {
		<-done
	}
	if total.Load() != 4*50*10 {
		t.Errorf("%d parts ran, want %d", total.Load(), 4*50*10)
	}
}

func TestNilPoolRunsSerially(t *testing.T) {
	var p *Pool
	n := 0 // without a lock
	p.Each(100, func(k int) {
		if k != n {
			t.Fatalf("part %d came as number %d", k, n)
		}
		n++
	})
	if n != 100 {
		t.Errorf("%d parts ran", n)
	}
}

// Loops of a pool of Until end with the context, by a panic, and leave out parts; without cancellation, and after
// Forever, they run to the end.
func TestUntilInterrupts(t *testing.T) {
	whole := New(3)
	defer whole.Close()
	for _, p := range []*Pool{nil, whole} {
		ctx, cancel := context.WithCancel(t.Context())
		q := p.Until(ctx)
		run := func(stopAt int64) (n int64, stopped any) {
			var ran atomic.Int64
			defer func() { n, stopped = ran.Load(), recover() }()
			q.Each(1000, func(int) {
				switch n := ran.Add(1); {
				case n == stopAt:
					cancel()
				case stopAt > 0 && n > stopAt: // on another thread, before it knew
					<-ctx.Done()
				}
			})
			return
		}
		if n, stopped := run(-1); n != 1000 || stopped != nil {
			t.Errorf("%d parts ran, %v", n, stopped)
		}
		if n, stopped := run(10); n > 20 || stopped != ErrInterrupted {
			t.Errorf("%d parts ran, %v", n, stopped)
		}
		if n, stopped := run(-1); n != 0 || stopped != ErrInterrupted {
			t.Errorf("%d parts ran, %v", n, stopped)
		}
		q.Forever()
		if n, stopped := run(-1); n != 1000 || stopped != nil || q.Threads() != p.Threads() {
			t.Errorf("%d parts ran, %v", n, stopped)
		}
		c := new(count)
		if a := testing.AllocsPerRun(100, func() { q.Run(len(c.n), c) }); a != 0 {
			t.Errorf("%v allocations in a Run", a)
		}
	}
}

// A part that panics makes Run panic in its caller, on whichever thread the part ran, and the pool remains usable.
func TestThreadThatPanics(t *testing.T) {
	p := New(3)
	defer p.Close()
	for part := range 6 {
		var ran atomic.Int32
		begun := make(chan struct{})
		fault := func() (v any) {
			defer func() { v = recover() }()
			p.Each(6, func(k int) {
				if ran.Add(1); k == part {
					close(begun)
					panic("part")
				}
				if (k < 2) != (part < 2) {
					<-begun // so that the caller and the others run their own parts
				}
			})
			return nil
		}()
		if part < 2 && fault != "part" {
			t.Errorf("part %d, of the caller: %v", part, fault)
		}
		if f, ok := fault.(*Fault); part >= 2 && (!ok || f.Value != "part" || len(f.Stack) == 0) {
			t.Errorf("part %d, of another thread: %v", part, fault)
		}
		ran.Store(0)
		if p.Each(6, func(int) { ran.Add(1) }); ran.Load() != 6 {
			t.Errorf("after part %d: %d parts ran", part, ran.Load())
		}
	}
}

// Parts of two threads panic in one loop: that of the caller is what Run panics with, and the next loop knows nothing of the other.
func TestThreadsThatPanic(t *testing.T) {
	p := New(2)
	defer p.Close()
	loop := func(do func(int)) (v any) {
		defer func() { v = recover() }()
		p.Each(2, do)
		return nil
	}
	var begun sync.WaitGroup
	begun.Add(2)
	if fault := loop(func(k int) { begun.Done(); begun.Wait(); panic(k) }); fault != 0 {
		t.Errorf("both parts panicked: %v", fault)
	}
	if fault := loop(func(int) {}); fault != nil {
		t.Errorf("no part panicked: %v", fault)
	}
}

// Workers and callers that have gone to sleep are woken, whatever the moment.
func TestThreadsSleep(t *testing.T) {
	p := New(3)
	defer p.Close()
	for k := range 60 {
		var ran atomic.Int32
		p.Each(3, func(part int) {
			if part == k%3 {
				time.Sleep(time.Duration(k) * 10 * time.Microsecond)
			}
			ran.Add(1)
		})
		if n := ran.Load(); n != 3 {
			t.Fatalf("loop %d: %d parts ran", k, n)
		}
		time.Sleep(time.Duration(k%7) * 20 * time.Microsecond)
	}
}

// What a loop costs whose parts do nothing.
func BenchmarkRun(b *testing.B) {
	p := New(2)
	defer p.Close()
	c := new(count)
	for b.Loop() {
		p.Run(2, c)
	}
}
