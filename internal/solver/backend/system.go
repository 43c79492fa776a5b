package backend

import (
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// ScaledMatrix is s D_r A D_c with powers of two D_r and D_c, where s = -1 makes a matrix
// with a negative diagonal positive definite.
type ScaledMatrix struct {
	csr.Scaling
	Sign float64
	M    *csr.Matrix // A
	Pool *parallel.Pool
	Job  *ranks.Job  // nil: all of A is here
	made *csr.Matrix // the scaled matrix; nil: not made yet

	Shared map[bool]*csr.Matrix // scaled matrices that solves in lockstep have made, by None; nil: there are no other solves

	// Later returns the scaling for all preconditioners but the diagonal, with which the matrix is not scaled; nil: the scaling is the
	// same for all preconditioners.
	Later func() csr.Scaling
	None  bool // the matrix is not scaled now

	Transposes bool // the method multiplies with the transpose as well
	Symmetric  bool // the transpose is the same matrix
}

// Identity reports whether the scaling changes nothing, on any rank.
func (s *ScaledMatrix) Identity() bool {
	if s.Job != nil {
		return dist.Identity(s.Job.Matrix, s.Scaling)
	}
	return s.Scaling.Identity()
}

// Suit switches to the scaling for a kind of preconditioner, and reports whether the scaling has changed.
func (s *ScaledMatrix) Suit(kind precond.Kind) (changed bool) {
	if s.Later == nil || s.None == (kind == precond.Jacobi) {
		return false
	}
	if s.None = !s.None; s.None {
		s.Scaling = csr.NoScaling(s.M)
	} else {
		s.Scaling = s.Later()
	}
	s.made = nil
	return true
}

// Matrix returns the scaled matrix. It is made once, and kept until Drop.
func (s *ScaledMatrix) Matrix() *csr.Matrix {
	switch {
	case s.made != nil:
	case s.Shared[s.None] != nil:
		s.made = s.Shared[s.None]
	case s.Identity() && s.Sign > 0:
		s.made = s.M
	default:
		s.made = s.Apply(s.M, s.Pool)
		if s.Sign < 0 {
			s.made.Negate(s.Pool)
		}
	}
	if s.Shared != nil {
		s.Shared[s.None] = s.made
	}
	return s.made
}

// Drop releases the scaled matrix, unless the stored matrix a uses it.
func (s *ScaledMatrix) Drop(a Stored) { s.made = a.Source }

// Scaling converts between the vectors of A d = r and those of the scaled system
//
//	(s D_r A D_c) z = s D_r r / 2^e,  d = 2^e D_c z.
//
// It adds up exponents before it applies them, so that nothing over- or underflows on the way.
type Scaling[V any] struct {
	Sign               float64
	row, Unscaled, Col Powers[V] // D_r, D_r^-1, D_c
}

// NewScaling returns the scaling of s for vectors of a backend.
func NewScaling[V any, S linop.Scalar[S]](at Backend[V, S], s *ScaledMatrix) Scaling[V] {
	row := at.Powers(s.Row, 1)
	if s.Identity() {
		return Scaling[V]{s.Sign, row, row, row}
	}
	col := row
	if unsafe.SliceData(s.Row) != unsafe.SliceData(s.Col) {
		col = at.Powers(s.Col, 1)
	}
	return Scaling[V]{s.Sign, row, at.Powers(s.Row, -1), col}
}

// Residual sets rhs = s D_r r / 2^e, where 2^e is the magnitude of s D_r r, so that no inner product over- or underflows.
func (s *Scaling[V]) Residual(rhs, r V) (e int) {
	e = s.row.MaxExponent(r)
	s.row.Ldexp(rhs, r, s.Sign, -e)
	return e
}

// Correction sets d = 2^e D_c z.
func (s *Scaling[V]) Correction(d, z V, e int) { s.Col.Ldexp(d, z, 1, e) }
