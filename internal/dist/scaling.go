package dist

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// share returns what csr needs from ranks to find the scalings of the whole matrix, which are the same as for the
// whole matrix on one rank. A rank has the exponents of its rows and columns, by position in a vector; ghosts have
// the exponents of the rows that they are copies of.
func (m *Matrix) share() csr.Share {
	return csr.Share{
		Any:   func(v bool) bool { return anyRank(m.Comm, v) },
		Copy:  func(e []int) { Copy(m.Halo, e) },
		Raise: func(e []int16) { Raise(m.Halo, e) },
	}
}

// RowScaling is [csr.RowScaling] of the whole matrix. It is collective, as all scalings.
func RowScaling(m *Matrix, pool *parallel.Pool) csr.Scaling {
	s := csr.RowScaling(m.Local, pool)
	Copy(m.Halo, s.Row)
	return s
}

// SymmetricScaling is [csr.SymmetricScaling] of the whole matrix.
func SymmetricScaling(m *Matrix, symmetric bool, pool *parallel.Pool) (csr.Scaling, error) {
	return m.share().SymmetricScaling(m.Local, symmetric, pool)
}

// BothScaling is [csr.BothScaling] of the whole matrix.
func BothScaling(m *Matrix, pool *parallel.Pool) csr.Scaling {
	return m.share().BothScaling(m.Local, pool)
}

// Overflows reports whether a scaling takes an element of the whole matrix beyond the range of float64. It is
// collective.
func Overflows(m *Matrix, s csr.Scaling, pool *parallel.Pool) bool {
	return anyRank(m.Comm, s.Overflows(m.Local, pool))
}

// Identity reports whether a scaling changes nothing on any rank. It is collective.
func Identity(m *Matrix, s csr.Scaling) bool { return !anyRank(m.Comm, !s.Identity()) }

// Uniform reports whether a scaling multiplies all elements of the whole matrix by the same power of two, 2^exponent.
// It is collective.
func Uniform(m *Matrix, s csr.Scaling) (exponent int, ok bool) {
	x := []int64{math.MinInt64, math.MinInt64, math.MinInt64, math.MinInt64} // of rows and -rows, columns and -columns
	for _, p := range m.Parts {
		for i := p.First(); i < p.End(); i++ {
			row, col := int64(s.Row[i]), int64(s.Col[i])
			x[0], x[1], x[2], x[3] = max(x[0], row), max(x[1], -row), max(x[2], col), max(x[3], -col)
		}
	}
	m.Comm.Max(x)
	if x[0] != -x[1] || x[2] != -x[3] {
		return 0, false
	}
	return int(x[0] + x[2]), true
}

// RowSums returns T_i = sum_j |a_ij| of the rows as a vector, including the sums of ghosts. It is collective.
func RowSums(m *Matrix, pool *parallel.Pool) []float64 {
	t := m.Local.RowSums(pool)
	Copy(m.Halo, t)
	return t
}

// Extremes returns the least and the largest element of v, a vector of numbers >= 0, on all ranks. It is collective.
func (l *Layout) Extremes(v []float64) (least, most float64) {
	x := []int64{math.MinInt64, 0}
	for _, p := range l.Parts {
		for _, t := range v[p.First():p.End()] {
			bits := int64(math.Float64bits(t))
			x[0], x[1] = max(x[0], -bits), max(x[1], bits)
		}
	}
	l.Comm.Max(x)
	return math.Float64frombits(uint64(-x[0])), math.Float64frombits(uint64(x[1]))
}
