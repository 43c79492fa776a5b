// Package verify measures how well x solves A x = b, from A, x and b alone.
// The residual is accumulated in double-double arithmetic, so that it is accurate to
// working precision despite cancellation.
//
// With T_i = sum_j |a_ij| and r = b - A x, the backward errors are
//
//	row-wise       max_i |r_i| / (T_i ||x||_inf + |b_i|)
//	normwise       ||r||_inf / (||A||_inf ||x||_inf + ||b||_inf)
//	componentwise  max_i |r_i| / (|A||x| + |b|)_i
//
// with 0/0 = 0: the smallest relative perturbation of the rows, of the whole, or of
// the entries of A and b that makes x an exact solution ([Higham02], theorems
// 7.1 and 7.3). The normwise error does not see rows much smaller than the largest,
// therefore the row-wise error is the one that mpsolve uses by default.
//
// Rows and x are scaled by powers of two on the fly, so neither products nor
// denominators overflow or vanish for matrices of any magnitude.
package verify

import (
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Errors are the backward errors and the relative residual of an x.
type Errors struct {
	Row              float64 `json:"row"`
	Normwise         float64 `json:"normwise"`
	Componentwise    float64 `json:"componentwise"`
	RelativeResidual float64 `json:"relative_residual"` // ||r||_2 / ||b||_2
}

// Worst returns the element-wise maximum: the errors of several right-hand
// sides in one.
func (e Errors) Worst(o Errors) Errors {
	return Errors{
		Row:              math.Max(e.Row, o.Row),
		Normwise:         math.Max(e.Normwise, o.Normwise),
		Componentwise:    math.Max(e.Componentwise, o.Componentwise),
		RelativeResidual: math.Max(e.RelativeResidual, o.RelativeResidual),
	}
}

// blockRows is the number of rows that one parallel part covers.
const blockRows = 2048

// Compute returns the errors of x (length Cols) for the right-hand side b
// (length Rows), on the threads of pool (nil: serially). A NaN or Inf in x, or in
// a product with it, makes the errors +Inf.
func Compute(m *csr.Matrix, x, b []float64, pool *parallel.Pool) (Errors, error) {
	if len(x) != m.Cols || len(b) != m.Rows {
		return Errors{}, fmt.Errorf("verify: %d x %d matrix with x of %d and b of %d elements",
			m.Rows, m.Cols, len(x), len(b))
	}
	for _, v := range x {
		if v-v != 0 {
			inf := math.Inf(1)
			return Errors{inf, inf, inf, inf}, nil
		}
	}
	ex := exponent(absMax(x))
	xs := make([]float64, len(x))
	for j, v := range x {
		xs[j] = csr.Ldexp(v, -ex)
	}
	blocks := (m.Rows + blockRows - 1) / blockRows
	parts := make([]partial, blocks)
	xmax := absMax(xs)
	pool.Run(blocks, parallel.Func(func(k int) {
		for i := k * blockRows; i < min((k+1)*blockRows, m.Rows); i++ {
			parts[k].add(examineRow(m, i, xs, xmax, ex, b[i]))
		}
	}))
	var all partial
	for _, p := range parts {
		all.merge(p)
	}
	return all.errors(), nil
}

// row is the contribution of one equation, times 2^-e with e such that neither
// |A||x| nor |b| underflows unless it is negligible compared with the other.
type row struct {
	e           int
	residual, b float64 // |r_i|, |b_i|
	absAx       float64 // (|A||x|)_i
	normAx      scaled  // T_i ||x||_inf
}

// examineRow computes row i. xs is x times 2^-ex, xmax its largest magnitude.
func examineRow(m *csr.Matrix, i int, xs []float64, xmax float64, ex int, b float64) row {
	cols, vals := m.Row(i)
	ea := exponent(absMax(vals))
	scale := math.Ldexp(1, -ea) // exact, ea is clamped
	var ax dd.DD
	var t, absAx float64
	for k, j := range cols {
		a := vals[k] * scale
		ax = ax.AddProd(a, xs[j])
		t += math.Abs(a)
		absAx += math.Abs(a * xs[j])
	}
	product := scaled{absAx, ea + ex}
	e := product.max(scaled{math.Abs(b), 0}).exponent()
	down := ea + ex - e
	bs := csr.Ldexp(b, -e)
	r := dd.From(bs).Sub(dd.DD{Hi: csr.Ldexp(ax.Hi, down), Lo: csr.Ldexp(ax.Lo, down)})
	return row{
		e: e, residual: math.Abs(r.Float()), b: math.Abs(bs),
		absAx: product.at(e), normAx: scaled{t * xmax, ea + ex},
	}
}

// partial gathers rows: maxima of the ratios, and the norms of the others.
type partial struct {
	row, componentwise float64
	residual, b        scaled // inf-norms
	normAx             scaled
	residual2, b2      sumSquares
}

func (p *partial) add(r row) {
	p.row = math.Max(p.row, ratio(r.residual, r.normAx.at(r.e)+r.b))
	p.componentwise = math.Max(p.componentwise, ratio(r.residual, r.absAx+r.b))
	p.residual = p.residual.max(scaled{r.residual, r.e})
	p.b = p.b.max(scaled{r.b, r.e})
	p.normAx = p.normAx.max(r.normAx)
	p.residual2.add(r.residual, r.e)
	p.b2.add(r.b, r.e)
}

func (p *partial) merge(q partial) {
	p.row = math.Max(p.row, q.row)
	p.componentwise = math.Max(p.componentwise, q.componentwise)
	p.residual = p.residual.max(q.residual)
	p.b = p.b.max(q.b)
	p.normAx = p.normAx.max(q.normAx)
	p.residual2.merge(q.residual2)
	p.b2.merge(q.b2)
}

func (p *partial) errors() Errors {
	e := p.normAx.max(p.b).exponent()
	return Errors{
		Row:           p.row,
		Componentwise: p.componentwise,
		Normwise:      ratio(p.residual.at(e), p.normAx.at(e)+p.b.at(e)),
		RelativeResidual: ratio(
			csr.Ldexp(math.Sqrt(p.residual2.sum), p.residual2.e-p.b2.e), math.Sqrt(p.b2.sum)),
	}
}

// ratio returns a/b with 0/0 = 0, and +Inf instead of NaN.
func ratio(a, b float64) float64 {
	if a == 0 && b == 0 {
		return 0
	}
	q := a / b
	if math.IsNaN(q) {
		return math.Inf(1)
	}
	return q
}
