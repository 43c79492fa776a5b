package verify

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dd"
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

// The bits of ordinary magnitudes are at least leastPlain and at most spanPlain more.
var (
	bitsPlain = math.Float64bits(leastPlain)
	spanPlain = math.Float64bits(mostPlain) - bitsPlain
)

// plainTerms computes row i without its residual; ok is false if its numbers are not ordinary.
func (s *system) plainTerms(i int) (r plainRow, ok bool) {
	if s.measured(i) {
		return s.rows[i], true
	}
	if r, ok = s.plainRight(i); !ok {
		return r, false
	}
	cols, vals := s.m.Row(i)
	x, vals := s.x, vals[:len(cols)]
	for k, j := range cols {
		a := math.Abs(vals[k])
		if math.Float64bits(a)-bitsPlain > spanPlain && a != 0 {
			return r, false
		}
		r.t += a
		r.absAx += math.Abs(vals[k] * x[j])
	}
	return r, true
}

// measured reports whether row i has been measured and kept.
func (s *system) measured(i int) bool { return s.rows != nil && s.rows[i].t > 0 }

// plainRight is row i with its right-hand side alone.
func (s *system) plainRight(i int) (r plainRow, ok bool) {
	if s.plain {
		r.b = math.Abs(s.b[i])
		ok = r.b == 0 || ordinary(r.b, r.b)
	}
	return r, ok
}

// compensated is the number of terms that are summed with one correction, which bounds its
// roundings.
const compensated = 256

// plainRow computes row i with the elements of x that it multiplies; ok is false if its numbers are
// not ordinary. Its terms are summed with the sum of their rounding errors ([OgitaRO05], algorithm
// Dot2), which is as accurate as double-double arithmetic and does not wait for each of them.
func (s *system) plainRow(i int, x []float64) (r plainRow, ok bool) {
	if r, ok = s.plainRight(i); !ok {
		return r, false
	}
	_, vals := s.m.Row(i)
	var ax dd.DD
	for len(vals) > 0 {
		n := min(len(vals), compensated)
		var sum, errors float64
		factors := x[:n]
		for k, v := range vals[:n] {
			a := math.Abs(v)
			if math.Float64bits(a)-bitsPlain > spanPlain && a != 0 {
				return r, false
			}
			r.t += a
			p, e := dd.TwoProd(v, factors[k])
			r.absAx += math.Abs(p)
			var f float64
			sum, f = dd.TwoSum(sum, p)
			errors += e + f
		}
		ax = ax.Add(dd.From(sum)).Add(dd.From(errors))
		x, vals = x[n:], vals[n:]
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
	var x []float64
	xmax, ends := dd.Ldexp(s.xmax, s.ex), s.m.RowPtr
	for i := lo; i < hi; {
		begin, end := i, i+1
		for end < hi && ends[end+1]-ends[begin] <= gathered {
			end++
		}
		x = s.elements(x, begin, end)
		for ; i < end; i++ {
			r, ok := s.plainRow(i, x[ends[i]-ends[begin]:ends[i+1]-ends[begin]])
			if !ok {
				return p, false
			}
			sum.add(r, xmax)
			if s.rows != nil {
				s.rows[i] = r
			}
		}
	}
	return sum.scaled(xmax), true
}

// gathered is the number of elements of x that are gathered at a time. A processor waits for many at
// once where nothing else is done: a product of scattered columns waits for memory alone.
const gathered = 2048

// elements returns the elements of x that the rows lo to hi-1 multiply, in the memory of to if that
// is enough.
func (s *system) elements(to []float64, lo, hi int) []float64 {
	cols, x := s.m.Col[s.m.RowPtr[lo]:s.m.RowPtr[hi]], s.x
	to = slices.Grow(to[:0], len(cols))[:len(cols)]
	for k, j := range cols {
		to[k] = x[j]
	}
	return to
}
