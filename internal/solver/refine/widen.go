package refine

import (
	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

var _ backend.Multiplying[vector, scalar] = (*backend.WideMethod)(nil)

// watch sets the functions that may end a correction early: the probe of the current fallback, and, where double-double vectors
// follow, the function that asks for these.
func (c *Correction[V, S]) watch(opt *krylov.Options[V]) {
	if c.Attempts.Bounded() && !c.settled {
		opt.Watch = c.Probe.Watch
	}
	if c.widen = false; c.settled || !c.Attempts.Widens() {
		return
	}
	var asks func(krylov.Progress) bool
	switch now := c.Attempts.Now(); {
	case c.Vectors.Kind == solve.VectorsDQ:
		asks = NewStall(c.Vectors).At
	case now.Method == solve.GMRES: // restarts slow it down, not roundings
		return
	default:
		opt.Gap = rules.GapEvery
		asks = newOverdue(c.At.Dim(), c.From, opt.Tol)
	}
	probe := opt.Watch
	opt.Watch = func(now krylov.Progress) krylov.Reason {
		switch c.widen = c.widen || asks(now); {
		case c.widen:
			return krylov.Stagnation
		case probe != nil:
			return probe(now)
		}
		return krylov.Running
	}
}

// newOverdue returns a function that reports, from iteration n on, whether roundings keep a method from its goal. It looks after n iterations, and
// then after twice as many each time.
func newOverdue(n int, from, goal float64) func(krylov.Progress) bool {
	look, at := n, 0
	return func(now krylov.Progress) bool {
		if now.Iterations < look {
			return false
		}
		rest := choice.Expected(now, at, from, goal)
		if rest > float64(now.Iterations) && float64(now.Iterations)+rest > rules.Overdue*float64(n) {
			return true
		}
		at, from, look = now.Iterations, now.Least, 2*now.Iterations
		return false
	}
}

// stall is DQ-SWITCH: it watches the deviation of the last residual norms, see solve.Vectors.
type stall struct {
	norms []float64 // the last residual norms, the norm of iteration i at index i mod Window
	below float64
	seen  int // iterations
	found bool
}

func NewStall(v solve.Vectors) *stall {
	return &stall{norms: make([]float64, v.Window), below: v.Deviation}
}

// At takes the residual norm of an iteration and reports whether the method has stalled.
func (s *stall) At(now krylov.Progress) bool {
	if s.found || now.Iterations <= s.seen {
		return s.found
	}
	p := len(s.norms)
	s.norms[s.seen%p] = now.Residual
	s.seen++
	s.found = s.seen >= p && s.deviation() < s.below
	return s.found
}

// deviation returns the deviation of the norms, v in solve.Vectors.
func (s *stall) deviation() (v float64) {
	p := len(s.norms)
	first := s.norms[s.seen%p]
	for _, norm := range s.norms {
		d := (norm - first) / first
		v += d * d
	}
	return v / float64(p)
}
