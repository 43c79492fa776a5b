package krylov

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
