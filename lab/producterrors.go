package lab

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// ProductErrors are the errors of a computed product y, with d = y - A x:
// Normwise is ||d||_inf / (||A||_inf ||x||_inf), Componentwise the largest
// |d_i| / (|A||x|)_i, and Row the largest |d_i| / (T_i ||x||_inf).
type ProductErrors struct{ Normwise, Componentwise, Row float64 }

// MeasureProduct compares y with A x in double-double arithmetic.
func MeasureProduct(m *csr.Matrix, x, y []float64, pool *parallel.Pool) ProductErrors {
	d := make([]float64, m.Rows)
	linop.Accurate{CSR: linop.NewCSR(m, pool)}.Residual(d, y, x)
	normX := 0.0
	for _, v := range x {
		normX = max(normX, math.Abs(v))
	}
	var e ProductErrors
	normA, normD := 0.0, 0.0
	for i, v := range d {
		cols, vals := m.Row(i)
		t, ax := 0.0, 0.0
		for k, j := range cols {
			t += math.Abs(vals[k])
			ax += math.Abs(vals[k] * x[j])
		}
		v = math.Abs(v)
		normA, normD = max(normA, t), max(normD, v)
		e.Row = max(e.Row, ratio(v, t*normX))
		e.Componentwise = max(e.Componentwise, ratio(v, ax))
	}
	e.Normwise = ratio(normD, normA*normX)
	return e
}

// ratio is a/b with 0/0 = 0.
func ratio(a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return a / b
}
