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
	made *csr.Matrix // nil: to be made

	Shared map[bool]*csr.Matrix // by none, what solves in lockstep have made; nil: there are no others

	// Later is the scaling for all preconditioners but the diagonal, for which there is none; nil: it is
	// the same for all.
	Later func() csr.Scaling
	None  bool // in use

	Transposes bool // the method multiplies with its transpose as well
	Symmetric  bool // which is the same
}

// Identity reports whether the scaling changes nothing, on any rank.
func (s *ScaledMatrix) Identity() bool {
	if s.Job != nil {
		return dist.Identity(s.Job.Matrix, s.Scaling)
	}
	return s.Scaling.Identity()
}

// Suit takes the scaling for a kind of preconditioner, and reports whether that is another one.
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

// matrix returns it. It is made once and kept until drop is called.
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

// Drop gives up the copy, unless a stored matrix is that copy and so keeps it anyway.
func (s *ScaledMatrix) Drop(a Stored) { s.made = a.Source }

// Scaling is how the vectors of
//
//	(s D_r A D_c) z = s D_r r / 2^e,  d = 2^e D_c z
//
// and those of A d = r are made from each other. Exponents are joined before they are
// applied, so that nothing over- or underflows on the way.
type Scaling[V any] struct {
	Sign               float64
	row, Unscaled, Col Powers[V] // D_r, D_r^-1, D_c
}

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

// residual sets rhs = s D_r r / 2^e, 2^e being the magnitude of the right-hand side, so
// that no inner product over- or underflows.
func (s *Scaling[V]) Residual(rhs, r V) (e int) {
	e = s.row.MaxExponent(r)
	s.row.Ldexp(rhs, r, s.Sign, -e)
	return e
}

// correction sets d = 2^e D_c z.
func (s *Scaling[V]) Correction(d, z V, e int) { s.Col.Ldexp(d, z, 1, e) }
