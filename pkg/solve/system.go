package solve

import (
	"unsafe"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/dist"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// scaledMatrix is s D_r A D_c with powers of two D_r and D_c, where s = -1 makes a matrix
// with a negative diagonal positive definite.
type scaledMatrix struct {
	csr.Scaling
	sign float64
	m    *csr.Matrix // A
	pool *parallel.Pool
	job  *job        // nil: all of A is here
	made *csr.Matrix // nil: to be made

	shared map[bool]*csr.Matrix // by none, what solves in lockstep have made; nil: there are no others

	// later is the scaling for all preconditioners but the diagonal, for which there is none; nil: it is
	// the same for all.
	later func() csr.Scaling
	none  bool // in use

	transposes bool // the method multiplies with its transpose as well
	symmetric  bool // which is the same
}

// unscaled is the least and, inverted, the largest magnitude of a nonzero with which a matrix may do
// without scaling, and unbalanced the quotient of row sums up to which it may.
const (
	unscaled   = 0x1p-100
	unbalanced = 0x1p32
)

// defers reports whether scaling waits for another preconditioner than the first: where that is the
// diagonal, of an unsymmetric matrix, it undoes the scaling of columns, and makes up for that of rows
// unless these are very different. The sweeps and the copy take as long as tens of iterations.
func (s *Solver) defers() bool {
	f := s.Facts
	if s.opt.Scale != ScaleAuto || f.Symmetric || s.opt.Device != nil || !s.large() || f.MinAbs < unscaled || f.MaxAbs > 1/unscaled {
		return false
	}
	if first := s.ladder()[0]; !first.trial || first.kind != precond.Jacobi { // which the scaling has no part in
		return false
	}
	least, most := s.extremeSums()
	return most <= unbalanced*least
}

// makeScaling returns the scaling of that kind.
func (s *Solver) makeScaling(kind Scale) (csr.Scaling, error) {
	if s.job != nil {
		return s.job.scaling(kind, s.Facts.Symmetric, s.pool)
	}
	switch kind {
	case ScaleRow:
		return csr.RowScaling(s.m, s.pool), nil
	case ScaleSym:
		if s.Facts.Symmetric {
			return csr.ScalingOfSymmetric(s.m, s.pool)
		}
		return csr.SymmetricScaling(s.m, s.pool)
	case ScaleBoth:
		return csr.BothScaling(s.m, s.pool), nil
	}
	return csr.NoScaling(s.m), nil
}

// overflows is csr.Scaling.Overflows for the whole matrix.
func (s *Solver) overflows(by csr.Scaling) bool {
	if s.job != nil {
		return dist.Overflows(s.job.Matrix, by, s.pool)
	}
	return by.Overflows(s.m, s.pool)
}

// uniform is csr.Scaling.Uniform for the whole matrix.
func (s *Solver) uniform(by csr.Scaling) (exponent int, ok bool) {
	if s.job != nil {
		return dist.Uniform(s.job.Matrix, by)
	}
	return by.Uniform()
}

// Identity reports whether the scaling changes nothing, on any rank.
func (s *scaledMatrix) Identity() bool {
	if s.job != nil {
		return dist.Identity(s.job.Matrix, s.Scaling)
	}
	return s.Scaling.Identity()
}

// suit takes the scaling for a kind of preconditioner, and reports whether that is another one.
func (s *scaledMatrix) suit(kind precond.Kind) (changed bool) {
	if s.later == nil || s.none == (kind == precond.Jacobi) {
		return false
	}
	if s.none = !s.none; s.none {
		s.Scaling = csr.NoScaling(s.m)
	} else {
		s.Scaling = s.later()
	}
	s.made = nil
	return true
}

// matrix returns it. It is made once and kept until drop is called.
func (s *scaledMatrix) matrix() *csr.Matrix {
	switch {
	case s.made != nil:
	case s.shared[s.none] != nil:
		s.made = s.shared[s.none]
	case s.Identity() && s.sign > 0:
		s.made = s.m
	default:
		s.made = s.Apply(s.m, s.pool)
		if s.sign < 0 {
			s.made.Negate(s.pool)
		}
	}
	if s.shared != nil {
		s.shared[s.none] = s.made
	}
	return s.made
}

// drop gives up the copy, unless a stored matrix is that copy and so keeps it anyway.
func (s *scaledMatrix) drop(a stored) { s.made = a.source }

// scaling is how the vectors of
//
//	(s D_r A D_c) z = s D_r r / 2^e,  d = 2^e D_c z
//
// and those of A d = r are made from each other. Exponents are joined before they are
// applied, so that nothing over- or underflows on the way.
type scaling[V any] struct {
	sign               float64
	row, unscaled, col powers[V] // D_r, D_r^-1, D_c
}

func newScaling[V any, S linop.Scalar[S]](at place[V, S], s *scaledMatrix) scaling[V] {
	row := at.powers(s.Row, 1)
	if s.Identity() {
		return scaling[V]{s.sign, row, row, row}
	}
	col := row
	if unsafe.SliceData(s.Row) != unsafe.SliceData(s.Col) {
		col = at.powers(s.Col, 1)
	}
	return scaling[V]{s.sign, row, at.powers(s.Row, -1), col}
}

// residual sets rhs = s D_r r / 2^e, 2^e being the magnitude of the right-hand side, so
// that no inner product over- or underflows.
func (s *scaling[V]) residual(rhs, r V) (e int) {
	e = s.row.maxExponent(r)
	s.row.ldexp(rhs, r, s.sign, -e)
	return e
}

// correction sets d = 2^e D_c z.
func (s *scaling[V]) correction(d, z V, e int) { s.col.ldexp(d, z, 1, e) }
