package solve

import (
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// system is A x = b in the order chosen, and how it is scaled:
//
//	(s D_r A D_c) z = s D_r b,  x = D_c z,
//
// where s = -1 makes a matrix with a negative diagonal positive definite.
type system struct {
	m       *csr.Matrix
	scaling csr.Scaling
	sign    float64
	stop    Stop
	pool    *linop.Pool
}

// scaled is s D_r A D_c.
func (s system) scaled() *csr.Matrix {
	if s.scaling.Identity() && s.sign > 0 {
		return s.m
	}
	m := s.scaling.Apply(s.m, s.pool)
	if s.sign < 0 {
		m.Negate(s.pool)
	}
	return m
}

// A place is where the vectors of a solve live, the host or a device, with what
// refinement of a system does there besides the operations of linop. Both do the same
// arithmetic.
type place[V any, S linop.Scalar[S]] interface {
	space() linop.Space[V, S]
	exact() linop.Operator[V, S]                               // A, with accurate residuals
	store(scaled *csr.Matrix, t Storage) (matrix[V, S], error) // for the method to multiply with
	release(a matrix[V, S])                                    // which no method uses any more
	carry(made precond.Preconditioner, a matrix[V, S]) (krylov.Preconditioner[V], error)

	begin(x, b []float64) (V, V) // guess and right-hand side there, the measure's from now on
	end(x []float64, v V) error  // x = v, or why that failed
	close()

	measure(x, r V) float64               // see measure
	scale(rhs, r V) (e int)               // rhs = s D_r r / 2^e, its magnitude about 1
	unscale(d, z V, e int)                // d = 2^e D_c z
	corrected(x, z, rhs V, e int) float64 // the measure of x + 2^e D_c z with residual 2^e D_r^-1 rhs
}

// matrix is the scaled matrix as the method multiplies with it.
type matrix[V any, S linop.Scalar[S]] struct {
	linop.Operator[V, S]
	stored

	// storageError is what the measure of x + d would be, d = 2^e D_c z, if the residual
	// were what this matrix may make of z,
	//
	//	|(A - A~) z|_i ~ theta_i ||z||_inf.
	//
	// It comes after place.corrected for the same z. nil: there is no such error.
	storageError func(z V, e int) float64
}
