package krylov

import "github.com/mpsolve/mpsolve/pkg/linop"

// A Preconditioner is a cheap approximation of the inverse of A. Every
// linop.Operator of the dimension of A is one.
//
// Methods apply it from the right, A M^-1 u = b with x = M^-1 u, so that the
// residual that they monitor is that of A x = b; conjugate gradients and MINRES
// work in the inner product of M, which must be symmetric positive definite
// then, and monitor the same residual.
type Preconditioner[V any] interface {
	Apply(dst, src V) // dst = M^-1 src; dst is not src
}

// preconditioned holds the vectors M^-1 v of a method, made when they are first
// needed: none without a preconditioner, where M = I.
type preconditioned[V any, S linop.Scalar[S]] struct {
	space linop.Space[V, S]
	by    Preconditioner[V] // nil: none
	z     []V
}

// apply returns z[k] = M^-1 v, v itself where M = I.
func (p *preconditioned[V, S]) apply(k int, v V) V {
	if p.by == nil {
		return v
	}
	z := p.vector(k)
	p.by.Apply(z, v)
	return z
}

// vector returns z[k].
func (p *preconditioned[V, S]) vector(k int) V {
	for len(p.z) <= k {
		p.z = append(p.z, p.space.New())
	}
	return p.z[k]
}

// applyDot returns z[0] = M^-1 v and v·z, given v·v.
func (p *preconditioned[V, S]) applyDot(v V, vv S) (z V, vz S) {
	z = p.apply(0, v)
	if p.by == nil {
		return z, vv
	}
	return z, p.space.Dot(v, z)
}
