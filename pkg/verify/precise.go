package verify

import (
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/dist"
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
	// moreBits is the number of bits that it has more than x.
	moreBits = 128
)

// number is element j of a vector: ±0.m 2^e with the lowest word of m first and its highest bit 1; of zero all of m is 0. It is not
// written to.
type number = func(j int) (neg bool, m []uint64, e int)

// Precisely measures an x of numbers of so many bits. The matrix and the right-hand side are the
// exact sums of their parts. The first parts are much larger than the others, and errors are relative to them. Weights, a positive one for
// each row, may be nil. Residuals are summed in fixed point, of a precision relative to the largest term of their row.
func Precisely(a []*csr.Matrix, x number, b [][]float64, weights []float64, bits int, pool *parallel.Pool) (PreciseErrors, error) {
	m := a[0]
	for _, p := range a[1:] {
		if p.Rows != m.Rows || p.Cols != m.Cols {
			return PreciseErrors{}, fmt.Errorf("verify: a %d x %d matrix and a part of %d x %d", m.Rows, m.Cols, p.Rows, p.Cols)
		}
	}
	for _, part := range b {
		if len(part) != m.Rows || weights != nil && len(weights) != m.Rows {
			return PreciseErrors{}, fmt.Errorf("verify: %d x %d matrix with b of %d elements and %d weights", m.Rows, m.Cols, len(part), len(weights))
		}
	}
	s := &preciseSystem{m: m, lower: a[1:], b: b[0], lowerB: b[1:], weights: weights, bits: max(leastBits, bits+moreBits), x: x, size: make([]float64, m.Cols)}
	return s.all([][2]int{{0, m.Rows}}, [][2]int{{0, m.Cols}}, nil, pool), nil
}

// PreciselyDistributed is Precisely for a matrix that is spread over ranks, and vectors of this rank, whose own elements count, b in one part; see ComputeDistributed.
func PreciselyDistributed(a *dist.Matrix, x func(j int) (neg bool, m []uint64, e int), b, weights []float64, bits int, pool *parallel.Pool) PreciseErrors {
	r := newRanks(a)
	s := &preciseSystem{m: a.Local, b: b, weights: weights, bits: max(leastBits, bits+moreBits), x: r.numbers(x, (bits+63)/64), size: make([]float64, a.Len)}
	var segments [][2]int
	for _, p := range a.Parts {
		segments = append(segments, [2]int{p.At, p.Next()})
	}
	return s.all(ownRows(a), segments, r, pool)
}

// numbers returns x with ghosts that are the numbers, of so many words, of the ranks that own them.
func (r *ranks) numbers(x number, words int) number {
	at := map[uint32]int{} // of ghosts
	for _, positions := range r.ask {
		for _, p := range positions {
			at[p] = len(at)
		}
	}
	head, m := make([]uint64, len(at)), make([]uint64, len(at)*words)
	r.copies(func(p uint32) uint64 {
		neg, _, e := x(int(p))
		h := uint64(uint32(int32(e))) << 1
		if neg {
			h |= 1
		}
		return h
	}, func(p uint32, v uint64) { head[at[p]] = v })
	for w := range words {
		r.copies(func(p uint32) uint64 {
			_, m, _ := x(int(p))
			return m[w]
		}, func(p uint32, v uint64) { m[at[p]*words+w] = v })
	}
	return func(j int) (neg bool, _ []uint64, e int) {
		k, ghost := at[uint32(j)]
		if !ghost {
			return x(j)
		}
		return head[k]&1 != 0, m[k*words : (k+1)*words], int(int32(uint32(head[k] >> 1)))
	}
}

// all returns the errors of the rows of these ranges, one for each domain of this rank, with columns in others, and of those of the other ranks; nil: there are none.
func (s *preciseSystem) all(own, columns [][2]int, over *ranks, pool *parallel.Pool) PreciseErrors {
	s.sizes(columns, over, pool)
	var sums []precisePartial
	for _, rows := range own {
		blocks := (rows[1] - rows[0] + blockRows - 1) / blockRows
		parts := make([]precisePartial, blocks)
		pool.Each(blocks, func(k int) {
			lo := rows[0] + k*blockRows
			parts[k] = s.measure(lo, min(lo+blockRows, rows[1]))
		})
		sum := newPrecisePartial()
		for k := range parts {
			sum.merge(&parts[k])
		}
		sums = append(sums, sum)
	}
	all := newPrecisePartial()
	for _, p := range partials(over, sums) {
		all.merge(&p)
	}
	return s.errors(&all)
}

// fields are the numbers that a precisePartial consists of.
func (p *precisePartial) fields() (values []*float64, exponents []*int) {
	values = []*float64{&p.row, &p.componentwise, &p.weighted}
	for _, s := range []*scaled{&p.residual, &p.b, &p.t} {
		values, exponents = append(values, &s.v), append(exponents, &s.e)
	}
	for _, s := range []*sumSquares{&p.residual2, &p.b2} {
		values, exponents = append(values, &s.sum), append(exponents, &s.e)
	}
	return values, exponents
}

// preciseSystem is A, x and b.
type preciseSystem struct {
	m          *csr.Matrix
	lower      []*csr.Matrix // parts of the matrix
	lowerB     [][]float64   // parts of b
	x          number
	size       []float64 // |x_j| 2^-ex, rounded
	ex         int       // exponent of the largest magnitude of x
	xmax       float64   // that times 2^-ex
	b, weights []float64
	bits       int
}

// sizes finds out how large x is, on all ranks.
func (s *preciseSystem) sizes(columns [][2]int, over *ranks, pool *parallel.Pool) {
	var spans [][2]int
	for _, c := range columns {
		for lo := c[0]; lo < c[1]; lo += blockRows {
			spans = append(spans, [2]int{lo, min(lo+blockRows, c[1])})
		}
	}
	blocks := len(spans)
	each := func(do func(k, j int)) {
		pool.Each(blocks, func(k int) {
			for j := spans[k][0]; j < spans[k][1]; j++ {
				do(k, j)
			}
		})
	}
	largest := make([]int, blocks)
	for k := range largest {
		largest[k] = math.MinInt32
	}
	each(func(k, j int) {
		if _, m, e := s.x(j); m[len(m)-1] != 0 {
			largest[k] = max(largest[k], e)
		}
	})
	s.ex = math.MinInt32
	for _, e := range largest {
		s.ex = max(s.ex, e)
	}
	if over != nil {
		most := []int64{int64(s.ex)}
		over.Comm.Max(most)
		s.ex = int(most[0])
	}
	if s.ex == math.MinInt32 { // x = 0
		s.ex = 0
	}
	tops := make([]float64, blocks)
	each(func(k, j int) {
		_, m, e := s.x(j)
		s.size[j] = dd.Ldexp(float64(m[len(m)-1]), max(e-s.ex, -2000)-64)
		tops[k] = max(tops[k], s.size[j])
	})
	for _, v := range tops {
		s.xmax = max(s.xmax, v)
	}
	s.xmax = over.largest(s.xmax)
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

// measure gathers the rows lo to hi-1. Residuals are rounded up by what their sums may have left out.
func (s *preciseSystem) measure(lo, hi int) precisePartial {
	p, sum := newPrecisePartial(), newFixed(s.bits)
	for i := lo; i < hi; i++ {
		cols, vals := s.m.Row(i)
		largest := 0.0
		for _, v := range vals {
			largest = max(largest, math.Abs(v))
		}
		ea := dd.Exponent(largest)
		var t, absAx float64
		for k, j := range cols {
			v := dd.Ldexp(math.Abs(vals[k]), -ea)
			t += v
			absAx += float64(v * s.size[j])
		}
		count := s.residual(sum, i)
		b := scaled{math.Abs(s.b[i]), 0}
		terms := scaled{absAx, ea + s.ex}
		r := sum.magnitude()
		if sum.inexact {
			r = r.plus(scaled{float64(count), sum.low})
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

// residual sets sum = (b - A x)_i, and returns the number of its terms.
func (s *preciseSystem) residual(sum *fixed, i int) (count int) {
	top := math.MinInt32
	s.terms(i, func(v float64) {
		top = max(top, dd.Exponent(v))
	}, func(v float64, j int32) {
		if _, m, e := s.x(int(j)); m[len(m)-1] != 0 {
			top = max(top, dd.Exponent(v)+e)
		}
	})
	if top == math.MinInt32 {
		top = 0
	}
	sum.begin(top)
	s.terms(i, func(v float64) {
		sum.addFloat(v)
		count++
	}, func(v float64, j int32) {
		neg, m, e := s.x(int(j))
		sum.subProduct(v, neg, m, e-64*len(m))
		count++
	})
	return count
}

// terms calls the functions for what is not zero of b_i and of row i of A, with its column, part by part.
func (s *preciseSystem) terms(i int, b func(float64), a func(float64, int32)) {
	of := func(m *csr.Matrix) {
		cols, vals := m.Row(i)
		for k, v := range vals {
			if v != 0 {
				a(v, cols[k])
			}
		}
	}
	if s.b[i] != 0 {
		b(s.b[i])
	}
	for _, part := range s.lowerB {
		if part[i] != 0 {
			b(part[i])
		}
	}
	of(s.m)
	for _, part := range s.lower {
		of(part)
	}
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

// errors returns the errors of all rows.
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
