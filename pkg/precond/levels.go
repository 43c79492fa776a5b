package precond

import (
	"runtime"
	"sync/atomic"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// A phase is rows that follow each other in the order of the sweeps. If it is
// wide, no row of it needs another and all threads share it; otherwise it is
// left to one thread.
type phase struct {
	lo, hi int
	wide   bool
}

// wideRows is the number of rows of a level that waking a thread pays for.
const wideRows = 256

// schedule orders the rows by level: a row is one level after the last that it
// needs in l or that needs it in u^T, so that going backwards works for u.
// Adjacent narrow levels make one phase. Rows keep their order (nil) if most are
// in narrow levels. The bits of a solve do not depend on the order.
func schedule(f *factors, pool *linop.Pool) (order []int32, phases []phase) {
	n := len(f.d)
	whole := []phase{{0, n, false}}
	if pool == nil || pool.Threads() == 1 || n < 2*wideRows {
		return nil, whole
	}
	level, levels := levelsOf(f)
	start := make([]int, levels+1)
	for _, l := range level {
		start[l+1]++
	}
	wide := 0
	for l := range levels {
		if start[l+1] >= wideRows {
			wide += start[l+1]
		}
		start[l+1] += start[l]
	}
	if wide < n/2 {
		return nil, whole
	}
	for l := range levels {
		p := phase{start[l], start[l+1], start[l+1]-start[l] >= wideRows}
		if last := len(phases) - 1; last >= 0 && !p.wide && !phases[last].wide {
			phases[last].hi = p.hi
		} else {
			phases = append(phases, p)
		}
	}
	order = make([]int32, n)
	for i, l := range level {
		order[start[l]] = int32(i)
		start[l]++
	}
	return order, phases
}

func levelsOf(f *factors) (level []int32, levels int) {
	level = make([]int32, len(f.d))
	last := int32(0)
	for i := range level {
		if !f.symmetric {
			cols, _ := f.l.row(i)
			for _, j := range cols {
				level[i] = max(level[i], level[j]+1)
			}
		}
		last = max(last, level[i])
		cols, _ := f.u.row(i)
		for _, j := range cols {
			level[j] = max(level[j], level[i]+1)
		}
	}
	return level, int(last) + 1
}

// parts is the number of threads that share a sweep.
func (a *incomplete) parts() int {
	if len(a.phases) == 1 {
		return 1
	}
	return a.pool.Threads()
}

// Do runs the part of one thread: phase by phase forwards, then backwards.
func (a *incomplete) Do(part int) {
	parts := a.parts()
	turn := 0
	for _, p := range a.phases {
		if lo, hi := p.share(part, parts); lo < hi {
			a.sweeps.forward(a, lo, hi)
		}
		turn++
		a.barrier.wait(turn)
	}
	for k := len(a.phases) - 1; k >= 0; k-- {
		if lo, hi := a.phases[k].share(part, parts); lo < hi {
			a.sweeps.backward(a, lo, hi)
		}
		turn++
		a.barrier.wait(turn)
	}
}

// share is the rows of a phase that are a thread's.
func (p phase) share(part, parts int) (lo, hi int) {
	if !p.wide {
		if part == 0 {
			return p.lo, p.hi
		}
		return 0, 0
	}
	rows := p.hi - p.lo
	return p.lo + rows*part/parts, p.lo + rows*(part+1)/parts
}

// barrier lets threads wait for each other. Waiting is short and spins, but
// yields to others that have no processor.
type barrier struct {
	parts   int64
	arrived atomic.Int64
}

// spins is the number of looks before yielding.
const spins = 2000

func (b *barrier) start(parts int) {
	b.parts = int64(parts)
	b.arrived.Store(0)
}

// wait returns when all threads have come to a turn, counted from 1.
func (b *barrier) wait(turn int) {
	goal := int64(turn) * b.parts
	if b.arrived.Add(1) >= goal {
		return
	}
	for looks := 0; b.arrived.Load() < goal; looks++ {
		if looks > spins {
			runtime.Gosched()
		}
	}
}
