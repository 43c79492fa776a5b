package precond

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// kCycleTol is the reduction of the residual that makes one step of a K-cycle suffice.
const kCycleTol = 0.25

// iterate solves on level k, which is not the coarsest, by two steps of flexible conjugate
// gradients preconditioned by the cycle from there on ([Notay08], algorithm 3.2); of generalised
// conjugate residuals, which replace the inner products, if A is unsymmetric:
//
//	c = M^-1 r,   v = A c,  r1 = r - (a1/p1) v,      p1 = c·v, a1 = c·r,
//	d = M^-1 r1,  w = A d,  x = (a1/p1 - g a2/(p1 p2)) c + (a2/p2) d,
//	g = d·v, a2 = d·r1, p2 = d·w - g^2/p1.
//
// For unsymmetric A, v and w stand for the left c and d of products.
func (c *cycle[T]) iterate(k int) {
	l := &c.levels[k]
	c.run(k)
	l.a.Apply(l.v, l.x)
	test := l.x
	if !c.symmetric {
		test = l.v
	}
	p1, a1 := dotOf(test, l.v), dotOf(test, l.f)
	if !(p1 > 0) || !finite(a1/p1) {
		return // nothing to gain
	}
	step, before, after := T(a1/p1), 0.0, 0.0
	for i, v := range l.v {
		r := l.f[i]
		before += float64(r) * float64(r)
		r -= T(step * v)
		after += float64(r) * float64(r)
		l.r1[i] = r
	}
	if math.Sqrt(after) <= kCycleTol*math.Sqrt(before) {
		for i, v := range l.x {
			l.x[i] = step * v
		}
		return
	}
	l.x, l.c = l.c, l.x
	l.f, l.r1 = l.r1, l.f
	c.run(k)
	l.f, l.r1 = l.r1, l.f // l.r1 is the start of the second step
	w := l.t              // free between two cycles
	l.a.Apply(w, l.x)
	test = l.x
	if !c.symmetric {
		test = w
	}
	g, a2, p2 := dotOf(test, l.v), dotOf(test, l.r1), dotOf(test, w)
	p2 -= g * g / p1
	first, second := T(a1/p1), T(0)
	if p2 > 0 && finite(a2/p2) && finite(g/p1) {
		first, second = T(a1/p1-g/p1*(a2/p2)), T(a2/p2)
	}
	for i, v := range l.x {
		l.x[i] = T(first*l.c[i]) + T(second*v)
	}
}

// dotOf returns x·y, summed in float64 in a fixed order.
func dotOf[T real](x, y []T) float64 {
	switch x := any(x).(type) {
	case []float32:
		return kernels.Default().DotMixed(x, any(y).([]float32))
	default:
		return kernels.Default().Dot(any(x).([]float64), any(y).([]float64))
	}
}
