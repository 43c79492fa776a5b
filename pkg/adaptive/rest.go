package adaptive

import (
	"github.com/mpsolve/mpsolve/internal/quantize"
	"github.com/mpsolve/mpsolve/internal/sell"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// rest is what the matrix as it is stored, exactly or in AFX, lacks of m + low, rounded to float64; low may be nil.
func (b *builder) rest(exact bool, low *csr.Matrix) *csr.Matrix {
	panels := csr.Panels(b.m)
	parts := make([]restRows, len(panels)-1)
	b.pool.RunRanges(panels, func(k, lo, hi int) {
		var t quantize.Integers
		if !exact {
			t.Quantize(b.m, b.part, lo, hi)
		}
		for i := lo; i < hi; i++ {
			r := restRow{exact: exact}
			r.cols, r.vals = b.m.Row(i)
			if low != nil {
				r.lowCols, r.lowVals = low.Row(i)
			}
			if !exact {
				from, to := t.First[i-lo], t.First[i-lo+1]
				r.items, r.integers, r.tiny = t.Col[from:to], t.M[from:to], sell.TinyOf(t.Tiny, i-lo, i-lo+1)
				r.unit = b.part.Tol.Exponent(i) - b.part.UnitQuanta
			}
			parts[k].add(&r)
		}
	})
	m := &csr.Matrix{Rows: b.m.Rows, Cols: b.m.Cols, RowPtr: make([]int64, 1, b.m.Rows+1)}
	for _, p := range parts {
		for _, n := range p.count {
			m.RowPtr = append(m.RowPtr, m.RowPtr[len(m.RowPtr)-1]+n)
		}
		m.Col, m.Val = append(m.Col, p.col...), append(m.Val, p.val...)
	}
	return m
}

// restRows are rows of a matrix, one after the other.
type restRows struct {
	count []int64
	col   []int32
	val   []float64
}

// add adds a row.
func (p *restRows) add(r *restRow) {
	before := len(p.col)
	for len(r.cols) > 0 || len(r.lowCols) > 0 {
		if j, v := r.next(); v != 0 {
			p.col, p.val = append(p.col, j), append(p.val, v)
		}
	}
	p.count = append(p.count, int64(len(p.col)-before))
}

// restRow is what is left of a row: its elements, what is stored of them in units of 2^unit, and their low parts, all in the order of
// columns.
type restRow struct {
	exact    bool
	cols     []int32
	vals     []float64
	items    []int32
	integers []int64
	tiny     []sell.Tiny // of this row
	unit     int
	lowCols  []int32
	lowVals  []float64
}

// next takes the element of the next column. What is stored differs from an element by less than a unit, so that the difference is exact
// unless the element is much smaller than the unit.
func (r *restRow) next() (j int32, v float64) {
	if len(r.cols) > 0 && (len(r.lowCols) == 0 || r.cols[0] <= r.lowCols[0]) {
		if j = r.cols[0]; !r.exact {
			v = r.vals[0]
		}
		r.cols, r.vals = r.cols[1:], r.vals[1:]
	} else {
		j = r.lowCols[0]
	}
	if len(r.items) > 0 && r.items[0] == j {
		v -= csr.Ldexp(float64(r.integers[0]), r.unit)
		r.items, r.integers = r.items[1:], r.integers[1:]
	}
	for _, e := range r.tiny { // one or two
		if e.Col == j {
			v -= csr.Ldexp(float64(e.Value), r.unit)
		}
	}
	if len(r.lowCols) > 0 && r.lowCols[0] == j {
		v += r.lowVals[0]
		r.lowCols, r.lowVals = r.lowCols[1:], r.lowVals[1:]
	}
	return j, v
}
