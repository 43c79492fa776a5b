package adaptive

import (
	"fmt"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// minPairEpsilon is the smallest epsilon of a Pair.
const minPairEpsilon = MinEpsilon * 0x1p-53

// Pair is a matrix of double-double numbers in adaptive precision: the sum Hi + Lo of two matrices, of which Lo has what
// Hi lacks, the rounding of Hi included. As an operator on double-double vectors it multiplies with the first in double-double, and
// with the second, whose product is smaller by 2^-53, in float64: the error of an element is at most
//
//	(n+2)² u² (|Hi| |x|)_i + (m+5) u (|Lo| |x|)_i,  u = 2^-53,
//
// for rows of n and m stored elements. Use it from one goroutine at a time.
type Pair interface {
	linop.Operator[dd.Vec, dd.DD]
	Bytes() int64            // the memory of both matrices, indices included
	Tolerance(i int) float64 // the absolute error that elements of row i may carry
	High() Matrix            // the first of the two matrices
}

// pair implements Pair.
type pair struct {
	Hi, Lo Matrix // Lo is nil if there is nothing left

	hi    linop.Operator[dd.Vec, dd.DD]
	space linop.HostDD
	pool  *parallel.Pool
	low   []float64 // Lo x
}

var _ Pair = (*pair)(nil)

// BuildPair stores m + low, of which low has the low parts of some elements (nil: none), as Build does m. Epsilon of s may go down to
// 2^-106: Hi is stored with 2^-53 then, and Lo with epsilon 2^53 relative to its own rows. Formats are FP64 or AFX.
func BuildPair(m, low *csr.Matrix, s Spec, pool *parallel.Pool) (Pair, error) {
	if low != nil && (low.Rows != m.Rows || low.Cols != m.Cols) {
		return nil, fmt.Errorf("adaptive: low parts of %d x %d for a matrix of %d x %d", low.Rows, low.Cols, m.Rows, m.Cols)
	}
	if !(s.Epsilon >= minPairEpsilon) {
		return nil, fmt.Errorf("adaptive: epsilon %g of two matrices: want at least 2^-106", s.Epsilon)
	}
	whole := s
	whole.Epsilon, whole.DD = max(s.Epsilon, MinEpsilon), true
	b, err := newBuilder(m, whole, pool)
	if err != nil {
		return nil, err
	}
	p := &pair{space: linop.NewHostDD(linop.NewHost(m.Rows, pool)), pool: pool}
	kernels.Use(p.space, b.kernels)
	if p.Hi, err = b.build(b.choose()); err != nil {
		return nil, err
	}
	if p.hi, err = p.Hi.DD(); err != nil {
		return nil, err
	}
	rest := b.rest(p.Hi.Layout().FP64() || s.Set.lossless(), low)
	part := s
	if part.Epsilon = s.Epsilon / MinEpsilon; rest.NNZ() == 0 || part.Epsilon >= 1 {
		return p, nil
	}
	if part.Layout == SELL8 || part.Layout == BCRS4x1 { // for patterns that Lo does not have
		part.Layout = CSR
	}
	p.low = make([]float64, m.Rows)
	if p.Lo, err = Build(rest, part, pool); err != nil {
		return nil, err
	}
	return p, nil
}

// High implements Pair.
func (p *pair) High() Matrix { return p.Hi }

// Bytes implements Pair.
func (p *pair) Bytes() int64 {
	if p.Lo == nil {
		return p.Hi.Bytes()
	}
	return p.Hi.Bytes() + p.Lo.Bytes()
}

// Tolerance implements Pair.
func (p *pair) Tolerance(i int) float64 {
	if p.Lo == nil {
		return p.Hi.Tolerance(i)
	}
	return p.Lo.Tolerance(i)
}

// Dims returns the dimensions of the matrix.
func (p *pair) Dims() (rows, cols int) { return p.Hi.Dims() }

// Apply computes dst = A src.
func (p *pair) Apply(dst, src dd.Vec) {
	p.hi.Apply(dst, src)
	p.addLow(dst, src, 1)
}

// ApplyDot computes dst = A src and returns dst·w.
func (p *pair) ApplyDot(dst, src, w dd.Vec) dd.DD {
	p.Apply(dst, src)
	return p.space.Dot(dst, w)
}

// ApplyDots computes dst = A src and returns dst·w and dst·dst.
func (p *pair) ApplyDots(dst, src, w dd.Vec) (dw, d2 dd.DD) {
	p.Apply(dst, src)
	return p.space.Dot(dst, w), p.space.Dot(dst, dst)
}

// Residual computes r = b - A x.
func (p *pair) Residual(r, b, x dd.Vec) {
	p.hi.Residual(r, b, x)
	p.addLow(r, x, -1)
}

// addLow adds sign Lo src.
func (p *pair) addLow(dst, src dd.Vec, sign float64) {
	if p.Lo == nil {
		return
	}
	p.Lo.Apply(p.low, src.Hi)
	p.space.Ranges(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			dst.Set(i, dst.At(i).Add(dd.From(sign*p.low[i])))
		}
	})
}

// rest is what the matrix as it is stored, exactly or in AFX, lacks of m + low, rounded to float64; low may be nil.
func (b *builder) rest(exact bool, low *csr.Matrix) *csr.Matrix {
	panels := csr.Panels(b.m)
	parts := make([]restRows, len(panels)-1)
	b.pool.RunRanges(panels, func(k, lo, hi int) {
		var t packed.Integers
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
				r.items, r.integers, r.tiny = t.Col[from:to], t.M[from:to], packed.TinyOf(t.Tiny, i-lo, i-lo+1)
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
	tiny     []packed.Tiny // of this row
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
		v -= dd.Ldexp(float64(r.integers[0]), r.unit)
		r.items, r.integers = r.items[1:], r.integers[1:]
	}
	for _, e := range r.tiny { // one or two
		if e.Col == j {
			v -= dd.Ldexp(float64(e.Value), r.unit)
		}
	}
	if len(r.lowCols) > 0 && r.lowCols[0] == j {
		v += r.lowVals[0]
		r.lowCols, r.lowVals = r.lowCols[1:], r.lowVals[1:]
	}
	return j, v
}
