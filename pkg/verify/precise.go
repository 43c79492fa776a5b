package verify

import (
	"fmt"
	"math"
	"math/big"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// PreciseErrors are the errors of an x of multiple precision, as decimal logarithms, since they may be below what float64
// holds; -Inf: r = 0.
type PreciseErrors struct {
	Row, Normwise, Componentwise, RelativeResidual float64 // see Errors

	Weighted float64 // max_i |r_i| / weights_i; NaN without weights
	Bits     int     // in which residuals were summed
}

const (
	// leastBits is the least precision in which residuals of multiple precision are summed.
	leastBits = 512
	// moreBits is what it has more than x.
	moreBits = 128
)

// Precisely measures an x of numbers of so many bits, given by element, for the right-hand side b, by math/big. Weights, a positive one for each
// row, may be nil.
func Precisely(m *csr.Matrix, x func(j int) *big.Float, b, weights []float64, bits int, pool *parallel.Pool) (PreciseErrors, error) {
	if len(b) != m.Rows || weights != nil && len(weights) != m.Rows {
		return PreciseErrors{}, fmt.Errorf("verify: %d x %d matrix with b of %d elements and %d weights", m.Rows, m.Cols, len(b), len(weights))
	}
	s := &preciseSystem{m: m, b: b, weights: weights, bits: uint(max(leastBits, bits+moreBits)), x: make([]*big.Float, m.Cols), size: make([]float64, m.Cols)}
	s.take(x, pool)
	blocks := (m.Rows + blockRows - 1) / blockRows
	parts := make([]precisePartial, blocks)
	pool.Run(blocks, parallel.Func(func(k int) {
		parts[k] = s.measure(k*blockRows, min((k+1)*blockRows, m.Rows))
	}))
	all := newPrecisePartial()
	for k := range parts {
		all.merge(&parts[k])
	}
	return s.errors(&all), nil
}

// preciseSystem is A, x and b.
type preciseSystem struct {
	m          *csr.Matrix
	x          []*big.Float
	size       []float64 // |x_j| 2^-ex, rounded
	ex         int       // exponent of the largest magnitude of x
	xmax       float64   // that times 2^-ex
	b, weights []float64
	bits       uint
}

// take gathers x and finds out how large it is.
func (s *preciseSystem) take(x func(j int) *big.Float, pool *parallel.Pool) {
	blocks := (len(s.x) + blockRows - 1) / blockRows
	largest := make([]int, blocks)
	each := func(do func(k, j int)) {
		pool.Run(blocks, parallel.Func(func(k int) {
			for j := k * blockRows; j < min((k+1)*blockRows, len(s.x)); j++ {
				do(k, j)
			}
		}))
	}
	for k := range largest {
		largest[k] = math.MinInt32
	}
	each(func(k, j int) {
		if s.x[j] = x(j); s.x[j].Sign() != 0 {
			largest[k] = max(largest[k], s.x[j].MantExp(nil))
		}
	})
	s.ex = math.MinInt32
	for _, e := range largest {
		s.ex = max(s.ex, e)
	}
	if s.ex == math.MinInt32 { // x = 0
		s.ex = 0
	}
	tops := make([]float64, blocks)
	each(func(k, j int) {
		var m big.Float
		e := s.x[j].MantExp(&m)
		v, _ := m.Float64()
		s.size[j] = csr.Ldexp(math.Abs(v), max(e-s.ex, -2000))
		tops[k] = max(tops[k], s.size[j])
	})
	for _, v := range tops {
		s.xmax = max(s.xmax, v)
	}
}

// precisePartial gathers rows.
type precisePartial struct {
	row, componentwise, weighted float64 // log2 of the largest ratios
	residual, b, t               scaled  // inf-norms
	residual2, b2                sumSquares
}

func newPrecisePartial() precisePartial {
	least := math.Inf(-1)
	return precisePartial{row: least, componentwise: least, weighted: least}
}

func (p *precisePartial) merge(q *precisePartial) {
	p.row, p.componentwise, p.weighted = math.Max(p.row, q.row), math.Max(p.componentwise, q.componentwise), math.Max(p.weighted, q.weighted)
	p.residual, p.b, p.t = p.residual.max(q.residual), p.b.max(q.b), p.t.max(q.t)
	p.residual2.merge(q.residual2)
	p.b2.merge(q.b2)
}

// measure gathers the rows lo to hi-1. Residuals are rounded up by what roundings of their sums may be.
func (s *preciseSystem) measure(lo, hi int) precisePartial {
	p := newPrecisePartial()
	var sum, product, factor, significand big.Float
	for i := lo; i < hi; i++ {
		cols, vals := s.m.Row(i)
		sum.SetPrec(s.bits).SetFloat64(s.b[i])
		product.SetPrec(s.bits)
		largest := 0.0
		for _, v := range vals {
			largest = max(largest, math.Abs(v))
		}
		ea := csr.Exponent(largest)
		var t, absAx float64
		for k, j := range cols {
			v := vals[k]
			sum.Sub(&sum, product.Mul(factor.SetFloat64(v), s.x[j]))
			v = csr.Ldexp(math.Abs(v), -ea)
			t += v
			absAx += float64(v * s.size[j])
		}
		e := sum.MantExp(&significand)
		v, _ := significand.Float64()
		b := scaled{math.Abs(s.b[i]), 0}
		terms := scaled{absAx, ea + s.ex}
		roundings := scaled{float64(len(cols) + 2), -int(s.bits)}.times(terms.plus(b))
		r := scaled{math.Abs(v), e}
		if sum.Sign() != 0 {
			r = r.plus(roundings)
		}
		row := scaled{t, ea}
		p.row = math.Max(p.row, r.ratio(row.times(scaled{s.xmax, s.ex}).plus(b)))
		p.componentwise = math.Max(p.componentwise, r.ratio(terms.plus(b)))
		if s.weights != nil {
			p.weighted = math.Max(p.weighted, r.ratio(scaled{s.weights[i], 0}))
		}
		p.residual, p.b, p.t = p.residual.max(r), p.b.max(b), p.t.max(row)
		p.residual2.add(r)
		p.b2.add(b)
	}
	return p
}

// ratio returns log2 (s/o), with 0/0 = 0.
func (s scaled) ratio(o scaled) float64 {
	if s.v == 0 {
		return math.Inf(-1)
	}
	m, e := split(s.v)
	n, f := split(o.v)
	return math.Log2(m/n) + float64(s.e+e-o.e-f)
}

// errors returns those of all rows.
func (s *preciseSystem) errors(all *precisePartial) PreciseErrors {
	decimal := func(log2 float64) float64 { return log2 * math.Log10(2) }
	e := PreciseErrors{
		Row: decimal(all.row), Componentwise: decimal(all.componentwise),
		Normwise:         decimal(all.residual.ratio(all.t.times(scaled{s.xmax, s.ex}).plus(all.b))),
		RelativeResidual: decimal(all.residual2.sqrt().ratio(all.b2.sqrt())),
		Weighted:         math.NaN(), Bits: int(s.bits),
	}
	if s.weights != nil {
		e.Weighted = decimal(all.weighted)
	}
	return e
}
