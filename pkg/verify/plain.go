package verify

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// leastPlain and mostPlain bound the magnitudes of ordinary numbers, with which sums,
// products, their rounding errors and the squares of residuals neither overflow nor vanish.
const (
	leastPlain = 0x1p-150
	mostPlain  = 0x1p150
)

// ordinary reports whether numbers between these magnitudes, and zeros, are ordinary.
func ordinary(least, most float64) bool { return least >= leastPlain && most <= mostPlain }

// plainRow is a row of ordinary numbers, not scaled.
type plainRow struct{ residual, absAx, b, t float64 }

// plainTerms computes row i without its residual; ok is false if its numbers are not ordinary.
func (s *system) plainTerms(i int) (r plainRow, ok bool) {
	if !s.plain {
		return r, false
	}
	cols, vals := s.m.Row(i)
	least, most := mostPlain, 0.0
	for k, j := range cols {
		v := vals[k]
		a := math.Abs(v)
		if a < least && a != 0 {
			least = a
		}
		if a > most {
			most = a
		}
		r.t += a
		r.absAx += math.Abs(v * s.x[j])
	}
	r.b = math.Abs(s.b[i])
	return r, ordinary(least, most) && r.t-r.t == 0 && (r.b == 0 || ordinary(r.b, r.b))
}

// plainRow computes row i; ok is false if its numbers are not ordinary.
func (s *system) plainRow(i int) (r plainRow, ok bool) {
	if r, ok = s.plainTerms(i); !ok {
		return r, false
	}
	cols, vals := s.m.Row(i)
	var ax dd.DD
	for k, j := range cols {
		ax = ax.AddProd(vals[k], s.x[j])
	}
	r.residual = math.Abs(dd.From(s.b[i]).Sub(ax).Float())
	return r, true
}

// scaled is r as other rows are; xmax is the largest magnitude of x.
func (r plainRow) scaled(xmax float64) row {
	return row{
		residual: scaled{r.residual, 0}, absAx: scaled{r.absAx, 0}, b: scaled{r.b, 0},
		t: scaled{r.t, 0}, normAx: scaled{r.t * xmax, 0},
	}
}

// plainPartial is a partial of rows of ordinary numbers.
type plainPartial struct {
	row, componentwise            float64
	residual, b, t                float64
	unexplained, explained, least float64
	residual2, b2, absAx2         float64
}

// add adds a row; xmax is the largest magnitude of x.
func (p *plainPartial) add(r plainRow, xmax float64) {
	p.row = max(p.row, ratio(r.residual, float64(r.t*xmax)+r.b))
	p.componentwise = max(p.componentwise, ratio(r.residual, r.absAx+r.b))
	p.residual, p.b, p.t = max(p.residual, r.residual), max(p.b, r.b), max(p.t, r.t)
	p.unexplained = max(p.unexplained, ratio(r.residual, r.t))
	if r.b > 0 {
		b := r.b / r.t
		p.explained = max(p.explained, b)
		if p.least == 0 || b < p.least {
			p.least = b
		}
	}
	p.residual2 += float64(r.residual * r.residual)
	p.b2 += float64(r.b * r.b)
	p.absAx2 += float64(r.absAx * r.absAx)
}

// ratio is a / b with 0/0 = 0.
func ratio(a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return a / b
}

// scaled is p as the other partials are.
func (p *plainPartial) scaled(xmax float64) partial {
	return partial{
		row: p.row, componentwise: p.componentwise,
		residual: scaled{p.residual, 0}, b: scaled{p.b, 0}, normAx: scaled{p.t * xmax, 0},
		unexplained: scaled{p.unexplained, 0}, explained: scaled{p.explained, 0}, least: scaled{p.least, 0},
		residual2: sumSquares{p.residual2, 0}, b2: sumSquares{p.b2, 0}, absAx2: sumSquares{p.absAx2, 0},
	}
}

// measurePlain gathers the rows lo to hi-1 if all are of ordinary numbers.
func (s *system) measurePlain(lo, hi int) (p partial, ok bool) {
	var sum plainPartial
	xmax := csr.Ldexp(s.xmax, s.ex)
	for i := lo; i < hi; i++ {
		r, ok := s.plainRow(i)
		if !ok {
			return p, false
		}
		sum.add(r, xmax)
	}
	return sum.scaled(xmax), true
}
