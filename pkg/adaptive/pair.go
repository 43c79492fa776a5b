package adaptive

import (
	"fmt"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
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
	p := &pair{space: linop.NewHostDD(m.Rows, pool), pool: pool}
	kernels.Use(p.space, b.spec.Kernels)
	if p.Hi, err = b.build(b.choose()); err != nil {
		return nil, err
	}
	if p.hi, err = p.Hi.DD(); err != nil {
		return nil, err
	}
	rest := b.rest(p.Hi.Layout().FP64(), low)
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
