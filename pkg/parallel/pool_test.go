package parallel

import (
	"context"
	"sync/atomic"
	"testing"
)

func TestRunVisitsEveryPartOnce(t *testing.T) {
	for _, threads := range []int{1, 2, 3, 8} {
		p := New(threads)
		for _, parts := range []int{0, 1, 2, 7, 8, 9, 1000} {
			seen := make([]atomic.Int32, parts)
			p.Run(parts, Func(func(k int) { seen[k].Add(1) }))
			for k := range seen {
				if n := seen[k].Load(); n != 1 {
					t.Fatalf("threads %d, parts %d: part %d ran %d times", threads, parts, k, n)
				}
			}
		}
		p.Close()
	}
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
				p.Run(10, Func(func(int) { total.Add(1) }))
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
	p.Run(100, Func(func(k int) {
		if k != n {
			t.Fatalf("part %d came as number %d", k, n)
		}
		n++
	}))
	if n != 100 {
		t.Errorf("%d parts ran", n)
	}
}

// A context that ends while the parts run leaves out the rest, on any number of threads, and
// the pool can be used again.
func TestUntil(t *testing.T) {
	for _, threads := range []int{0, 1, 3} {
		var pool *Pool
		if threads > 0 {
			pool = New(threads)
			defer pool.Close()
		}
		ctx, cancel := context.WithCancel(t.Context())
		var done atomic.Int32
		job := Func(func(int) {
			if done.Add(1) == 5 {
				cancel()
			}
		})
		pool.Until(ctx).Run(10000, job)
		if n := done.Load(); n < 5 || n > 10 {
			t.Errorf("%d threads: %d parts ran", threads, n)
		}
		done.Store(5)
		pool.Run(100, job)
		if n := done.Load(); n != 105 {
			t.Errorf("%d threads: %d of 100 parts ran without a context", threads, n-5)
		}
	}
}
