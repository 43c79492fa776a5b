package krylov

import (
	"testing"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// queue is what an asynchronous space has to do, and counts.
type queue struct {
	stride        int
	made          int // scalars so far
	sent, arrived int // of them
	waits         int // for scalars that have not been fetched
	checks        int
	fault, found  bool
	trouble       func(check int) bool // injects faults
}

func (q *queue) Stride() int { return q.stride }
func (q *queue) ClearFault() { q.fault = false }

func (q *queue) Fetch() {
	if q.checks++; q.trouble != nil && q.trouble(q.checks) {
		q.fault = true
	}
	q.sent, q.found = q.made, q.fault
}

func (q *queue) Await() (sound bool) {
	q.arrived = max(q.arrived, q.sent)
	return !q.found
}

// late is a scalar of an asynchronous space.
type late[S linop.Scalar[S]] struct {
	queue *queue // nil: known
	v     S
	made  int
	bad   bool // was to be positive, and is not
}

func (a late[S]) with(b late[S], v S) late[S] {
	if a.queue == nil {
		a.queue = b.queue
	}
	return late[S]{a.queue, v, max(a.made, b.made), a.bad || b.bad}
}

func (a late[S]) Mul(b late[S]) late[S] { return a.with(b, a.v.Mul(b.v)) }
func (a late[S]) Div(b late[S]) late[S] { return a.with(b, a.v.Div(b.v)) }
func (a late[S]) Neg() late[S]          { return a.with(a, a.v.Neg()) }
func (a late[S]) Sqrt() late[S]         { return a.with(a, a.v.Sqrt()) }
func (a late[S]) Add(b late[S]) late[S] { return late[S]{v: a.wait().Add(b.wait())} }
func (a late[S]) Sub(b late[S]) late[S] { return late[S]{v: a.wait().Sub(b.wait())} }
func (a late[S]) Float() float64        { return a.wait().Float() }

func (a late[S]) wait() S {
	if q := a.queue; q != nil && a.made > q.arrived {
		q.waits++
		q.arrived = q.made
	}
	return a.v
}

// distant makes a space asynchronous.
type distant[V any, S linop.Scalar[S]] struct {
	linop.Space[V, S]
	*queue
}

var _ linop.Async[[]float64, late[linop.Float64]] = distant[[]float64, linop.Float64]{}

func newDistant(t testing.TB, n int) distant[[]float64, linop.Float64] {
	return distant[[]float64, linop.Float64]{linop.NewHost(n, newPool(t, 1)), &queue{stride: 8}}
}

// use is a as it counts in an operation.
func (s distant[V, S]) use(a late[S]) S {
	sound := finite(a.v.Float())
	if a.queue != nil && (a.bad || !sound) {
		s.fault = true
	}
	if a.queue != nil && !sound {
		return s.Space.Scalar(0)
	}
	return a.v
}

func (s distant[V, S]) uses(a []late[S]) (u []S) {
	for _, a := range a {
		u = append(u, s.use(a))
	}
	return u
}

func (s distant[V, S]) sum(v S) late[S] {
	s.made++
	return late[S]{queue: s.queue, v: v, made: s.made}
}

func (s distant[V, S]) Scalar(a float64) late[S] { return late[S]{v: s.Space.Scalar(a)} }
func (s distant[V, S]) Known(a late[S]) late[S]  { return late[S]{v: a.wait()} }
func (s distant[V, S]) Forget(late[S])           {}
func (s distant[V, S]) Scale(a late[S], x V)     { s.Space.Scale(s.use(a), x) }
func (s distant[V, S]) Axpy(a late[S], x, y V)   { s.Space.Axpy(s.use(a), x, y) }
func (s distant[V, S]) Xpay(x V, a late[S], y V) { s.Space.Xpay(x, s.use(a), y) }
func (s distant[V, S]) Dot(x, y V) late[S]       { return s.sum(s.Space.Dot(x, y)) }
func (s distant[V, S]) Direction(r V, b, o late[S], q, p V) {
	s.Space.Direction(r, s.use(b), s.use(o), q, p)
}

func (s distant[V, S]) AxpyDot(a late[S], x, y, z V) late[S] {
	return s.sum(s.Space.AxpyDot(s.use(a), x, y, z))
}

func (s distant[V, S]) Step(a late[S], p, x, q, r V) late[S] {
	return s.sum(s.Space.Step(s.use(a), p, x, q, r))
}

func (s distant[V, S]) DoubleStep(a late[S], p V, o late[S], t, x, q, r, w V) (rr, rw late[S]) {
	v, u := s.Space.DoubleStep(s.use(a), p, s.use(o), t, x, q, r, w)
	return s.sum(v), s.sum(u)
}

func (s distant[V, S]) MultiDot(h []late[S], vs []V, w V) {
	for k, v := range vs {
		h[k] = s.Dot(v, w)
	}
}

func (s distant[V, S]) MultiAxpy(a []late[S], vs []V, w V) { s.Space.MultiAxpy(s.uses(a), vs, w) }

func (s distant[V, S]) MultiAxpyDot(a []late[S], vs []V, w V) late[S] {
	return s.sum(s.Space.MultiAxpyDot(s.uses(a), vs, w))
}

func (s distant[V, S]) Positive(a late[S]) late[S] {
	a.bad = a.bad || !(a.v.Float() > 0)
	return a
}

func (s distant[V, S]) Checkpoint(dst, src V) {
	if !s.fault {
		s.Copy(dst, src)
	}
}

// far is an operator on the vectors of a distant space.
type far[V any, S linop.Scalar[S]] struct {
	linop.Operator[V, S]
	space distant[V, S]
}

func (a far[V, S]) ApplyDot(dst, src, w V) late[S] {
	return a.space.sum(a.Operator.ApplyDot(dst, src, w))
}

func (a far[V, S]) ApplyT(dst, src V) { a.Operator.(linop.Transposer[V, S]).ApplyT(dst, src) }

func (a far[V, S]) ApplyDots(dst, src, w V) (dw, dd late[S]) {
	v, u := a.Operator.ApplyDots(dst, src, w)
	return a.space.sum(v), a.space.sum(u)
}
