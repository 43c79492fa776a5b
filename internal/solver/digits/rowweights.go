package digits

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// RowWeights returns w_i = T_i ||x||_inf + |b_i|, the sizes of roundings of the rows, times 2^-e, with e such that the largest weight is
// near 1. No weight is below 2^-900. Where parts of the system need care, ||x||_inf is the norm in the part of row i.
func (a Estimation) RowWeights() (w []float64, e int) {
	sums, size := a.S.AbsSums(), a.Vectors.AbsMax(a.X)
	ex := csr.Exponent(size)
	e = backend.LeastExponent
	if t := a.Vectors.AbsMax(sums); t > 0 {
		e = csr.Exponent(min(t, math.MaxFloat64)) + ex
	}
	if b := a.Vectors.AbsMax(a.B); b > 0 {
		e = max(e, csr.Exponent(b))
	}
	parts := a.partSizes()
	w = make([]float64, len(sums))
	a.Vectors.Ranges(func(lo, hi int) {
		norm := csr.Ldexp(size, -ex)
		for i := lo; i < hi; i++ {
			if parts != nil {
				norm = csr.Ldexp(parts.row[i], -ex)
			}
			t := min(sums[i], math.MaxFloat64)
			w[i] = max(0x1p-900, csr.Ldexp(t*norm, ex-e)+csr.Ldexp(math.Abs(a.B[i]), -e))
		}
	})
	return w, e
}
