package solve

import (
	"context"

	"github.com/mpsolve/mpsolve/pkg/dd"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// wideMethod is a method whose vectors are double-double, for corrections A d = r in float64: what comes in is exact,
// and d is rounded when the method is done.
type wideMethod struct {
	krylov.Method[dd.Vec, dd.DD]
	at   *hostDD
	of   linop.Relaxer[vector, scalar] // the same as a
	a    *linop.Timed[dd.Vec, dd.DD]
	x, b []float64 // lower parts
}

// newWideMethod returns the method of that name.
func newWideMethod(name Method, at *host, opt krylov.MethodOptions) (krylov.Method[vector, scalar], error) {
	wide := newHostDD(at)
	method, err := krylov.New(string(name), wide, opt)
	return &wideMethod{Method: method, at: wide, x: at.New(), b: at.New()}, err
}

// A widening matrix is multiplied with double-double vectors as well.
type widening interface {
	wide() linop.Operator[dd.Vec, dd.DD]
}

// A multiplying method is told which matrix it multiplies with.
type multiplying[V any, S linop.Scalar[S]] interface {
	multiplies(m matrix[V, S])
}

var _ multiplying[vector, scalar] = (*wideMethod)(nil)

// multiplies makes m the matrix that the method multiplies with, whatever operator Solve gets.
func (w *wideMethod) multiplies(m matrix[vector, scalar]) {
	if of := m.about().relaxer; w.of != of {
		w.of, w.a = of, &linop.Timed[dd.Vec, dd.DD]{Operator: m.(widening).wide()}
	}
}

// wide is both matrices for double-double vectors.
func (a transposing[V, S]) wide() linop.Operator[dd.Vec, dd.DD] {
	both := linop.Transposed[dd.Vec, dd.DD]{Operator: any(a.matrix).(widening).wide()}
	both.Transpose = both.Operator
	if a.transpose != nil {
		both.Transpose = any(a.transpose).(widening).wide()
	}
	return both
}

// Solve implements krylov.Method.
func (w *wideMethod) Solve(ctx context.Context, a linop.Operator[vector, scalar], x, b vector, opt krylov.Options[vector]) krylov.Result {
	wide := krylov.Options[dd.Vec]{
		Tol: opt.Tol, MaxIter: opt.MaxIter, Monitor: opt.Monitor, Flexible: opt.Flexible, Agree: opt.Agree,
		Watch: opt.Watch, Replaces: opt.Replaces, Unconfirmed: opt.Unconfirmed,
		Measure: func(x, r dd.Vec) float64 { return opt.Measure(x.Hi, r.Hi) },
	}
	if opt.Precond != nil {
		wide.Precond = w.at.precond(opt.Precond)
	}
	clear(w.x)
	clear(w.b)
	count, elapsed := w.a.Count, w.a.Elapsed
	result := w.Method.Solve(ctx, w.a, dd.Vec{Hi: x, Lo: w.x}, dd.Vec{Hi: b, Lo: w.b}, wide)
	if t, ok := a.(*linop.Timed[vector, scalar]); ok {
		t.Count += w.a.Count - count
		t.Elapsed += w.a.Elapsed - elapsed
	}
	return result
}

// widened returns the rungs with those that go on in double-double where float64 ends: after each one, if the
// preconditioner is not up to the rules, and otherwise after all.
func (s *Solver) widened(list []rung) (all []rung) {
	if k := s.opt.Vectors.Kind; k != VectorsAuto && k != VectorsDQ {
		return list
	}
	for k, r := range list {
		all = append(all, r)
		if s.opt.Precond.Kind != PrecondAuto || k == len(list)-1 {
			r.wide = true
			all = append(all, r)
		}
	}
	return all
}

// widens reports whether the next rung is the current one in double-double.
func (t *attempts[V, S]) widens() bool {
	next := t.state.Rung + 1
	return next < len(t.rungs) && t.rungs[next].wide && !t.rungs[t.state.Rung].wide
}

// gapEvery is the number of iterations after which the true residual is looked at.
const gapEvery = 64

// watch is what may end a correction by the current rung before it is done: its probe, and, where double-double
// follows, what asks for that.
func (c *correction[V, S]) watch(opt *krylov.Options[V]) {
	if c.attempts.bounded() && !c.settled {
		opt.Watch = c.probe.watch
	}
	if c.widen = false; c.settled || !c.attempts.widens() {
		return
	}
	var asks func(krylov.Progress) bool
	switch now := c.attempts.now(); {
	case c.vectors.Kind == VectorsDQ:
		asks = newStall(c.vectors).at
	case now.method == GMRES: // restarts hold it up, not roundings
		return
	default:
		opt.Gap = gapEvery
		asks = newOverdue(c.at.Dim(), c.from, opt.Tol)
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

// overdue is how many times n iterations a method may be expected to take, before double-double takes over: without roundings
// it takes n at most, and with those of double-double mostly less than these.
const overdue = 4

// newOverdue watches for a method that roundings hold up, from a measure on to a goal, from iteration n on.
func newOverdue(n int, from, goal float64) func(krylov.Progress) bool {
	p := newProbe(from, goal, 1, 0, overdue*float64(n)/hopeless)
	p.Look = n
	return func(now krylov.Progress) bool { return p.watch(now) != krylov.Running }
}

// stall is DQ-SWITCH: it watches the deviation of the last residual norms, see Vectors.
type stall struct {
	norms []float64 // the last ones, that of iteration i at i mod Window
	below float64
	seen  int // iterations
	found bool
}

func newStall(v Vectors) *stall {
	return &stall{norms: make([]float64, v.Window), below: v.Deviation}
}

// at takes the residual norm of an iteration and reports whether the method has stalled.
func (s *stall) at(now krylov.Progress) bool {
	if s.found || now.Iterations <= s.seen {
		return s.found
	}
	p := len(s.norms)
	s.norms[s.seen%p] = now.Residual
	s.seen++
	s.found = s.seen >= p && s.deviation() < s.below
	return s.found
}

// deviation is v of the norms from the oldest one on.
func (s *stall) deviation() (v float64) {
	p := len(s.norms)
	first := s.norms[s.seen%p]
	for _, norm := range s.norms {
		d := (norm - first) / first
		v += d * d
	}
	return v / float64(p)
}
