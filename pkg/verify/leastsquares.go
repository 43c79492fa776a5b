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
	return s.leastSquares(pool), nil
}

// norms are the maximum norm and the 2-norm of a vector.
type norms struct {
	largest scaled
	squares sumSquares
}

func (n *norms) merge(o norms) {
	n.largest = n.largest.max(o.largest)
	n.squares.merge(o.squares)
}

func (n *norms) fields() (values []*float64, exponents []*int) {
	return fields(nil, []*scaled{&n.largest}, []*sumSquares{&n.squares})
}

func (s *system) leastSquares(pool *parallel.Pool) LeastSquares {
	r := make([]scaled, s.m.Rows) // with signs
	of := gather(s, pool, func(n *norms, lo, hi int) {
		for i := lo; i < hi; i++ {
			ax, e := s.product(i)
			r[i] = signedDifference(s.b[i], ax, e)
			size := scaled{math.Abs(r[i].v), r[i].e}
			n.largest = n.largest.max(size)
			n.squares.add(size)
		}
	})
	if v := of.largest.v; math.IsNaN(v) || math.IsInf(v, 0) {
		return LeastSquares{math.Inf(1), math.Inf(1)}
	}
	return s.columns(r, of.largest.exponent(), of.squares.sqrt(), pool)
}

// orthogonality gathers columns: the largest cosine, and the norms of A^T r and of A.
type orthogonality struct {
	worst         float64
	product, size sumSquares
}

func (o *orthogonality) merge(p orthogonality) {
	o.worst = math.Max(o.worst, p.worst)
	o.product.merge(p.product)
	o.size.merge(p.size)
}

func (o *orthogonality) fields() (values []*float64, exponents []*int) {
	return fields([]*float64{&o.worst}, nil, []*sumSquares{&o.product, &o.size})
}

// columns are the errors of r, with elements near 2^er at most, of that norm.
func (s *system) columns(r []scaled, er int, norm scaled, pool *parallel.Pool) LeastSquares {
	m := s.m
	most := make([]float64, m.Cols)
	for k, j := range m.Col {
		most[j] = math.Max(most[j], math.Abs(m.Val[k]))
	}
	s.over.fold(most, func(j uint32, v float64) { most[j] = math.Max(most[j], v) })
	s.over.spread(most)
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
	of := *s
	if s.over == nil {
		of.own = [][2]int{{0, m.Cols}}
	} else {
		s.over.foldDD(products)
		s.over.fold(squares, func(j uint32, v float64) { squares[j] += v })
	}
	all := gather(&of, pool, func(o *orthogonality, lo, hi int) {
		for j := lo; j < hi; j++ {
			e := exponent(most[j])
			p, a := scaled{math.Abs(products[j].Float()), e + er}, scaled{math.Sqrt(squares[j]), e}
			o.worst = math.Max(o.worst, p.over(a.times(norm)))
			o.product.add(p)
			o.size.add(a)
		}
	})
	return LeastSquares{Columns: all.worst, Normal: all.product.sqrt().over(all.size.sqrt().times(norm))}
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
