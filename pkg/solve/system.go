package solve

import (
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// scaledMatrix is s D_r A D_c with powers of two D_r and D_c, where s = -1 makes a matrix
// with a negative diagonal positive definite.
type scaledMatrix struct {
	csr.Scaling
	sign float64
	m    *csr.Matrix // A
	pool *parallel.Pool
	made *csr.Matrix // nil: to be made
}

// matrix returns it. It is made once and kept until drop is called.
func (s *scaledMatrix) matrix() *csr.Matrix {
	switch {
	case s.made != nil:
	case s.Identity() && s.sign > 0:
		s.made = s.m
	default:
		s.made = s.Apply(s.m, s.pool)
		if s.sign < 0 {
			s.made.Negate(s.pool)
		}
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
	col := row
	if &s.Row[0] != &s.Col[0] {
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
