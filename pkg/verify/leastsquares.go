package verify

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// LeastSquares says how far x is from minimising ||b - A x||_2, where r = b - A x is orthogonal to
// the columns a_j of A:
//
//	Columns  max_j |a_j·r| / (||a_j||_2 ||r||_2), the largest cosine
//	Normal   ||A^T r||_2 / (||A||_F ||r||_2)
//
// with 0/0 = 0. There is an E with ||E||_2 = Normal ||A||_F that makes x the exact solution for A + E ([Stewart77]), and Normal <= Columns; Normal does not see columns much smaller than the largest.
// Where r is only rounding, as in a system that has a solution, both may have any value up to 1.
type LeastSquares struct {
	Columns float64 `json:"columns"`
	Normal  float64 `json:"normal"`
}

// ComputeLeastSquares returns the errors of x (length Cols) as a least-squares solution for b (length
// Rows). The residual and its products with the columns are accumulated in double-double
// arithmetic. A NaN or Inf in x makes the errors +Inf.
func ComputeLeastSquares(m *csr.Matrix, x, b []float64, pool *parallel.Pool) (LeastSquares, error) {
	s, errors, err := check(m, x, b, pool)
	if s == nil {
		return LeastSquares{errors.Row, errors.Normwise}, err
	}
	r := make([]scaled, m.Rows) // with signs
	pool.Each((m.Rows+blockRows-1)/blockRows, func(k int) {
		for i := k * blockRows; i < min((k+1)*blockRows, m.Rows); i++ {
			ax, e := s.product(i)
			r[i] = signedDifference(b[i], ax, e)
		}
	})
	var largest scaled
	var rr sumSquares
	for _, v := range r {
		v.v = math.Abs(v.v)
		largest = largest.max(v)
		rr.add(v)
	}
	if math.IsNaN(largest.v) || math.IsInf(largest.v, 0) {
		return LeastSquares{math.Inf(1), math.Inf(1)}, nil
	}
	return s.columns(r, largest.exponent(), rr.sqrt()), nil
}

// columns are the errors of r, with elements near 2^er at most, of that norm.
func (s *system) columns(r []scaled, er int, norm scaled) LeastSquares {
	m := s.m
	most := make([]float64, m.Cols)
	for k, j := range m.Col {
		most[j] = math.Max(most[j], math.Abs(m.Val[k]))
	}
	products, squares := make([]dd.DD, m.Cols), make([]float64, m.Cols) // of columns near 1
	for i, v := range r {
		ri := dd.Ldexp(v.v, v.e-er)
		cols, vals := m.Row(i)
		for k, j := range cols {
			a := dd.Ldexp(vals[k], -exponent(most[j]))
			products[j] = products[j].AddProd(a, ri)
			squares[j] += a * a
		}
	}
	var worst float64
	var product, size sumSquares
	for j, g := range products {
		e := exponent(most[j])
		p, a := scaled{math.Abs(g.Float()), e + er}, scaled{math.Sqrt(squares[j]), e}
		worst = math.Max(worst, p.over(a.times(norm)))
		product.add(p)
		size.add(a)
	}
	return LeastSquares{Columns: worst, Normal: product.sqrt().over(size.sqrt().times(norm))}
}

// product is row i of A x, times 2^-e.
func (s *system) product(i int) (ax dd.DD, e int) {
	cols, vals := s.m.Row(i)
	least, most := magnitudes(vals)
	if s.tiny || least < narrow*most {
		ax, sum := s.spread(cols, vals)
		return ax, sum.e
	}
	ea := exponent(most)
	scale := math.Ldexp(1, -ea)
	for k, j := range cols {
		ax = ax.AddProd(vals[k]*scale, dd.Ldexp(s.x[j], -s.ex))
	}
	return ax, ea + s.ex
}
