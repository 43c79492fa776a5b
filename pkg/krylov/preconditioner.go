package krylov

import "github.com/mpsolve/mpsolve/pkg/linop"

// A Preconditioner is a cheap approximation of the inverse of A. Every
// linop.Operator of the dimension of A is one.
//
// Methods apply it from the right, A M^-1 u = b with x = M^-1 u, so that the
// residual that they monitor is the residual of A x = b; conjugate gradients and MINRES
// work in the inner product of M, which must be symmetric positive definite
// then, and monitor the same residual.
type Preconditioner[V any] interface {
	Apply(dst, src V) // dst = M^-1 src; dst is not src
}

// A TransposedPreconditioner has its transpose as well, which [BiCG] and [LSQR] need.
type TransposedPreconditioner[V any] interface {
	Preconditioner[V]
	ApplyT(dst, src V) // dst = M^-T src; dst is not src
}

// A SeveralPreconditioner is applied to several vectors at once: dst[k] = M^-1 src[k].
type SeveralPreconditioner interface{ ApplyMany(dst, src [][]float64) }

// A FusedPreconditioner does the passes over vectors that surround its application in
// conjugate gradients. It keeps what it is applied to, its input, and z = M^-1 r in a form
// of its own, such as scaled float32, so that z is never stored as a V. [CG] uses it so
// unless it is flexible; Apply does not disturb the input.
type FusedPreconditioner[V, S any] interface {
	Preconditioner[V]

	Input(r V, rr S)               // makes r the input; rr is r·r
	StepInput(a S, p, x, q, r V) S // x += a p, r -= a q, makes r the input, returns r·r
	ApplyInput() S                 // z = M^-1 r for the input r; returns r·z
	Direction(b S, p V)            // p = z + b p
}

// separate does the passes of a FusedPreconditioner for any other one, and without one. On vectors of several processes, whose inner products are
// messages, a step applies the preconditioner before r·r is known, for one message with r·z: the last application is not needed.
type separate[V any, S linop.Scalar[S]] struct {
	*preconditioned[V, S]
	r, z V // the input and its z
	rr   S // r·r

	applied  bool // z is known, and products[1] is r·z
	products [2]S
	vectors  [2]V
}

// fused returns by as one that does the passes for the method that p belongs to.
func (p *separate[V, S]) fused(by Preconditioner[V], flexible bool) FusedPreconditioner[V, S] {
	if f, ok := by.(FusedPreconditioner[V, S]); ok && !flexible {
		return f
	}
	return p
}

// Apply implements Preconditioner.
func (p *separate[V, S]) Apply(dst, src V) { p.by.Apply(dst, src) }

// Input implements FusedPreconditioner.
func (p *separate[V, S]) Input(r V, rr S) { p.r, p.rr, p.applied = r, rr, false }

// StepInput implements FusedPreconditioner.
func (p *separate[V, S]) StepInput(a S, alongX, x, alongR, r V) S {
	if p.applied = p.by != nil && p.shared; !p.applied {
		p.r, p.rr = r, p.space.Step(a, alongX, x, alongR, r)
		return p.rr
	}
	p.space.Axpy(a, alongX, x)
	p.space.Axpy(a.Neg(), alongR, r)
	p.r, p.z = r, p.apply(0, r)
	p.vectors = [2]V{p.r, p.z}
	p.space.MultiDot(p.products[:], p.vectors[:], r)
	p.rr = p.products[0]
	return p.rr
}

// ApplyInput implements FusedPreconditioner.
func (p *separate[V, S]) ApplyInput() (rz S) {
	if p.applied {
		return p.products[1]
	}
	p.z, rz = p.applyDot(p.r, p.rr)
	return rz
}

// Direction implements FusedPreconditioner.
func (p *separate[V, S]) Direction(b S, along V) { p.space.Xpay(p.z, b, along) }

// preconditioned holds the vectors M^-1 v of a method, made when they are first
// needed: none without a preconditioner, where M = I.
type preconditioned[V any, S linop.Scalar[S]] struct {
	space  linop.Space[V, S]
	by     Preconditioner[V] // nil: none
	z      []V
	shared bool // vectors are those of several processes, so that an inner product is a message
}

// shared reports whether the vectors of a space are those of several processes.
func shared[V any, S linop.Scalar[S]](space linop.Space[V, S]) bool {
	h, ok := space.(interface{ Reducer() linop.Reducer })
	return ok && h.Reducer() != linop.Local
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

// applyT returns z[k] = M^-T v, v itself where M = I.
func (p *preconditioned[V, S]) applyT(k int, v V) V {
	if p.by == nil {
		return v
	}
	z := p.vector(k)
	p.by.(TransposedPreconditioner[V]).ApplyT(z, v)
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
