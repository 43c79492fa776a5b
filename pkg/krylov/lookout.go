package krylov

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// lookout is when a method looks at its scalars. Where they are at hand, it looks in every
// iteration. On a linop.Remote it looks every Stride iterations, and one iteration late.
//
// What a look does not like (a fault, or a norm that is not finite) ends the run with
// NotFinite, and is not believed yet: the method goes back to the x of the last sound look
// and looks in every iteration for a while, so that the reason is found as it would be
// found on the host.
type lookout[V any, S linop.Scalar[S]] struct {
	remote  linop.Remote[V, S] // nil: scalars are at hand
	kept    V                  // x of iteration keptAt
	keptAt  int
	asked   int // the iteration whose scalars have been asked for; none if it is keptAt
	careful int // iterations yet to be looked at one by one
	seen    int // the iteration that was looked at last
	scalars []S // of it
}

func newLookout[V any, S linop.Scalar[S]](space linop.Space[V, S]) (l lookout[V, S]) {
	if remote, ok := space.(linop.Remote[V, S]); ok {
		l.remote, l.kept = remote, space.New()
	}
	return l
}

// start begins a solve. A preconditioner that iterates looks at scalars itself, and
// forgives faults, so the method looks in every iteration.
func (l *lookout[V, S]) start(opt Options[V]) {
	l.careful = 0
	if opt.Precond != nil && opt.Flexible {
		l.careful = math.MaxInt
	}
}

// begin begins a run from x.
func (l *lookout[V, S]) begin(c *convergence[V], x V) {
	if l.now() {
		return
	}
	l.remote.Forgive()
	l.remote.Keep(l.kept, x)
	l.keptAt = c.result.Iterations
	l.asked = l.keptAt
}

// now tells whether this iteration is looked at while it runs.
func (l *lookout[V, S]) now() bool { return l.remote == nil || l.careful > 0 }

// positive returns v, which must be positive, and otherwise why not to go on.
func (l *lookout[V, S]) positive(v S, otherwise Reason) (S, Reason) {
	if !l.now() {
		return l.remote.Positive(v), Running
	}
	switch f := v.Float(); {
	case !finite(f):
		return v, NotFinite
	case f <= 0:
		return v, otherwise
	}
	return v, Running
}

// divisor is why not to divide by v, which is zero or not finite.
func (l *lookout[V, S]) divisor(v S) Reason {
	if !l.now() {
		return Running
	}
	switch f := v.Float(); {
	case f == 0:
		return Breakdown
	case !finite(f):
		return NotFinite
	}
	return Running
}

// look ends an iteration that made x and scalars, the first of which is r·r. If seen, it
// gives the ||r|| of an iteration, this one or the one before, whose scalars are in
// l.scalars now, and the Reason if that is one to stop for.
func (l *lookout[V, S]) look(c *convergence[V], x V, scalars ...S) (rnorm float64, seen bool, reason Reason) {
	c.result.Iterations++
	at := c.result.Iterations
	switch {
	case l.now():
		l.scalars = append(l.scalars[:0], scalars...)
	case l.asked > l.keptAt:
		if !l.remote.Arrived() {
			return 0, true, NotFinite
		}
		l.keptAt = l.asked
		if at = l.asked; c.limit() == Running {
			break
		}
		fallthrough // the end is here: this iteration is the last
	case c.limit() != Running:
		l.ask(c, x, scalars)
		if !l.remote.Arrived() {
			return 0, true, NotFinite
		}
		at, l.keptAt = l.asked, l.asked
	default:
		if at >= l.keptAt+l.remote.Stride() {
			l.ask(c, x, scalars)
		}
		return 0, false, Running
	}
	rnorm = l.scalars[0].Sqrt().Float()
	if !l.now() && !finite(rnorm) {
		return rnorm, true, NotFinite
	}
	l.seen = at
	reason = c.observe(at, rnorm)
	if l.careful > 0 && reason == Running {
		l.careful--
		l.begin(c, x)
	}
	return rnorm, true, reason
}

// limit is c.limit after a look. If that came late, the limit waits for the next one, so
// that the iteration that is the last has been seen.
func (l *lookout[V, S]) limit(c *convergence[V]) Reason {
	if l.seen < c.result.Iterations {
		return Running
	}
	return c.limit()
}

// ask asks for the scalars of this iteration, and keeps its x.
func (l *lookout[V, S]) ask(c *convergence[V], x V, scalars []S) {
	l.remote.Keep(l.kept, x)
	l.remote.Fetch()
	l.asked = c.result.Iterations
	l.scalars = append(l.scalars[:0], scalars...)
}

// forget says that v was of use to look alone.
func (l *lookout[V, S]) forget(v S) {
	if !l.now() {
		l.remote.Forget(v)
	}
}

// doubts tells whether the Reason is one that has to be looked into, by rewind.
func (l *lookout[V, S]) doubts(reason Reason) bool { return reason == NotFinite && !l.now() }

// rewind goes back to the x that was kept last, and returns r·r, for a run that looks in
// every iteration.
func (l *lookout[V, S]) rewind(c *convergence[V], a linop.Operator[V, S], x, b, r V) (rr S, reason Reason) {
	l.remote.Copy(x, l.kept)
	l.careful = l.remote.Stride() + 1
	c.result.Iterations = l.keptAt
	a.Residual(r, b, x)
	rr = l.remote.Dot(r, r)
	rnorm := rr.Sqrt().Float()
	if !finite(rnorm) {
		return rr, NotFinite
	}
	return rr, c.judge(x, r, rnorm)
}
