package lab

import (
	"math"
	"math/big"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// contradicts reports whether y proves that A x = b has no solution: yᵀA = 0 and yᵀb ≠ 0, exactly.
func contradicts(m *csr.Matrix, b, y []float64) bool {
	if !annihilates(m, y) {
		return false
	}
	var rhs stressSum
	for i, v := range b {
		rhs.add(y[i], v)
	}
	return !rhs.zero()
}

// annihilates reports whether yᵀA = 0, exactly.
func annihilates(m *csr.Matrix, y []float64) bool {
	columns := make([]stressSum, m.Cols)
	for i := range m.Rows {
		if y[i] == 0 {
			continue
		}
		cols, vals := m.Row(i)
		for k, j := range cols {
			columns[j].add(y[i], vals[k])
		}
	}
	for j := range columns {
		if !columns[j].zero() {
			return false
		}
	}
	return true
}

// leastNorm returns a lower bound of ‖x‖∞ for every x whose row-wise or normwise error is at most tol, from a
// contradiction y: yᵀb = yᵀr, so that
//
//	|yᵀb| <= Σ|y_i||r_i| <= tol Σ|y_i| (T_i ‖x‖∞ + |b_i|),
//
// with ‖A‖∞ and ‖b‖∞ instead of T_i and |b_i| for the normwise error.
func leastNorm(m *csr.Matrix, b, y []float64, tol float64, normwise bool) float64 {
	var yb, weight, size stressSum
	norm := 0.0
	for i := range b {
		norm = max(norm, rowSum(m, i))
	}
	bmax := stressMaxAbs(b)
	for i := range b {
		yb.add(y[i], b[i])
		if normwise {
			size.add(math.Abs(y[i]), bmax)
			weight.add(math.Abs(y[i]), norm)
		} else {
			size.add(math.Abs(y[i]), math.Abs(b[i]))
			weight.add(math.Abs(y[i]), rowSum(m, i))
		}
	}
	gap := new(big.Float).Quo(new(big.Float).Abs(yb.float()), wide(tol))
	gap.Sub(gap, size.float())
	if gap.Sign() <= 0 {
		return 0
	}
	return quotient(gap, weight.float())
}

func rowSum(m *csr.Matrix, i int) (t float64) {
	_, vals := m.Row(i)
	for _, v := range vals {
		t += math.Abs(v)
	}
	return t
}

// visible reports whether a contradiction y shows at the tolerance tol: only an x a hundred times as large as the
// solutions for the consistent part of b could meet tol.
func visible(s *System, y []float64, tol float64, normwise bool) bool {
	return leastNorm(s.A, s.B, y, tol, normwise) > 100*s.Natural
}
