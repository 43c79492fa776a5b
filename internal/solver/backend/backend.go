package backend

import (
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// A Backend holds the vectors of a solve, with scalars of type S: in the memory of the host, or on a device. The interfaces of this
// file are all that depends on the backend. Scaling, the stopping criteria, refinement and its corrections are written once in terms of
// them, and never round the solution to float64.
//
// Another backend is a file with a type for each interface here, and a case in solver.Solver.build, which decides on the backend.
type Backend[V any, S linop.Scalar[S]] interface {
	vectors[V, S]
	matrices[V, S]

	// Agree returns krylov.Options.Agree, by which all ranks that share the vectors go on or end alike; nil: no ranks share them.
	Agree() func(krylov.Reason) krylov.Reason

	Fault() error // the fault after which results are wrong; nil: none
	Close()       // release everything
}

// vectors are the operations of a backend on vectors.
type vectors[V any, S linop.Scalar[S]] interface {
	linop.Space[V, S]

	FromHost(x []float64) V  // a copy of x, or x itself
	ToHost(x []float64, v V) // x = v
	GiveBack(vs ...V)        // gives back vectors of FromHost and New

	// Reductions, in float64 whatever S is: they serve comparisons, and never enter the solution. NaN if an element is NaN.
	AbsMax(x V) float64                          // max |x_i|
	Norm2(x V) (norm float64, e int)             // ||x||_2 = norm 2^e, which may be beyond float64
	RowError(r, t V, normX float64, b V) float64 // max quotient(|r_i|, t_i, normX, |b_i|)

	Powers(e []int, sign int) Powers[V] // diag(2^(sign e_i)); e stays as it is
}

// Powers is a diagonal matrix D of powers of two.
type Powers[V any] interface {
	Ldexp(dst, src V, a float64, shift int) // dst = a 2^shift D src, rounded once if a is 1 or -1
	AddLdexp(dst, x, z V, shift int)        // dst = x + 2^shift D z
	MaxExponent(x V) int                    // the largest csr.Exponent of a nonzero of D x; LeastExponent: x = 0
}

// LeastExponent is below the exponents of all numbers, scaled or not.
const LeastExponent = -1 << 14

// matrices are the operations of a backend with matrices.
type matrices[V any, S linop.Scalar[S]] interface {
	Exact() linop.Operator[V, S] // A as given, with accurate residuals
	AbsApply(dst, x V)           // dst = |A||x|

	// Store converts the scaled matrix, s D_r A D_c, to the storage t.
	Store(scaled *csr.Matrix, t solve.Storage) (Matrix[V, S], error)
}

// A Matrix is the scaled matrix as the method multiplies with it.
type Matrix[V any, S linop.Scalar[S]] interface {
	linop.Operator[V, S]
	About() Stored

	// StorageError sets r_i = 2^e D theta_i norm, where theta_i bounds the error of row i in reduced precision. r_i then bounds
	// the error of the residual after a product with a vector of that norm. It is not called for a matrix in FP64.
	StorageError(r V, norm float64, d Powers[V], e int)

	// Ready makes a preconditioner of this matrix ready for vectors of the backend. An error names a kind that the backend does
	// not support.
	Ready(made precond.Preconditioner) (krylov.Preconditioner[V], error)

	Release() // no method multiplies with it any more
}
