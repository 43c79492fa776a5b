package features

import (
	"slices"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

func (m LocalMatrix) AbsSums() []float64 { return m.RowSums(m.pool) }

func (m LocalMatrix) Extremes(sums []float64) (least, most float64) {
	return slices.Min(sums), slices.Max(sums)
}

func (m LocalMatrix) Scaling(kind solve.Scale, symmetric bool) (csr.Scaling, error) {
	switch kind {
	case solve.ScaleRow:
		return csr.RowScaling(m.Matrix, m.pool), nil
	case solve.ScaleSym:
		return csr.SymmetricScaling(m.Matrix, symmetric, m.pool)
	case solve.ScaleBoth:
		return csr.BothScaling(m.Matrix, m.pool), nil
	}
	return csr.NoScaling(m.Matrix), nil
}

func (m LocalMatrix) Overflows(by csr.Scaling) bool { return by.Overflows(m.Matrix, m.pool) }

func (m LocalMatrix) Uniform(by csr.Scaling) (exponent int, ok bool) { return by.Uniform() }

func (m SpreadMatrix) AbsSums() []float64 { return dist.RowSums(m.Matrix, m.pool) }

func (m SpreadMatrix) Scaling(kind solve.Scale, symmetric bool) (csr.Scaling, error) {
	return ranks.Scaling(m.Matrix, kind, symmetric, m.pool)
}

func (m SpreadMatrix) Overflows(by csr.Scaling) bool { return dist.Overflows(m.Matrix, by, m.pool) }

func (m SpreadMatrix) Uniform(by csr.Scaling) (exponent int, ok bool) {
	return dist.Uniform(m.Matrix, by)
}
