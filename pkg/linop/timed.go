package linop

import "time"

// Timed counts and times the products of an operator. It computes nothing of
// its own: reports read it, methods never see the clock.
type Timed[V, S any] struct {
	Operator[V, S]
	Count   int
	Elapsed time.Duration
}

// Apply computes dst = A src.
func (t *Timed[V, S]) Apply(dst, src V) {
	defer t.add(time.Now())
	t.Operator.Apply(dst, src)
}

// ApplyDot computes dst = A src and returns dst·w.
func (t *Timed[V, S]) ApplyDot(dst, src, w V) S {
	defer t.add(time.Now())
	return t.Operator.ApplyDot(dst, src, w)
}

// ApplyDots computes dst = A src and returns dst·w and dst·dst.
func (t *Timed[V, S]) ApplyDots(dst, src, w V) (dw, dd S) {
	defer t.add(time.Now())
	return t.Operator.ApplyDots(dst, src, w)
}

// ApplyT computes dst = A^T src; it panics if the operator is no Transposer.
func (t *Timed[V, S]) ApplyT(dst, src V) {
	defer t.add(time.Now())
	t.Operator.(Transposer[V, S]).ApplyT(dst, src)
}

// Residual computes r = b - A x.
func (t *Timed[V, S]) Residual(r, b, x V) {
	defer t.add(time.Now())
	t.Operator.Residual(r, b, x)
}

func (t *Timed[V, S]) add(start time.Time) {
	t.Count++
	t.Elapsed += time.Since(start)
}
