package packed

import (
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// magnitude is f 2^e with f in [1/2, 1), or 0: the norms of matrices near the ends of the range of float64 are beyond
// it.
type magnitude struct {
	f float64
	e int
}

func (a magnitude) less(b magnitude) bool {
	switch {
	case a.f == 0 || b.f == 0:
		return a.f < b.f
	case a.e != b.e:
		return a.e < b.e
	}
	return a.f < b.f
}

// times returns a v.
func (a magnitude) times(v float64) magnitude {
	f, e := math.Frexp(a.f * v)
	return magnitude{f, a.e + e}
}

// A Norm encodes the largest norm of the rows of a matrix, which may be beyond the range of float64, as an integer
// that increases with the norm.
type Norm int64

// normBias is added to exponents of norms to make those of all matrices positive.
const normBias = 1100

// norm returns a as a Norm.
func (a magnitude) norm() Norm {
	if a.f == 0 {
		return math.MinInt64
	}
	u := uint64(a.e+normBias)<<52 | math.Float64bits(a.f)&(1<<52-1)
	return Norm(u ^ 1<<63)
}

// magnitude is the inverse of norm.
func (n Norm) magnitude() magnitude {
	if n == math.MinInt64 {
		return magnitude{}
	}
	u := uint64(n) ^ 1<<63
	return magnitude{math.Float64frombits(1022<<52 | u&(1<<52-1)), int(u>>52) - normBias}
}

// NewNorm returns the norm of m that is T for NW and for uniform sets.
func NewNorm(m *csr.Matrix, s Spec, panels []int, pool *parallel.Pool) (Norm, error) {
	norm, err := largestNorm(s.Kernels.Or(), m, s.weights(), panels, pool)
	return norm.norm(), err
}

// weights returns the weights of the elements of a row in its norm, nil for ones.
func (s *Spec) weights() []float64 {
	if s.criterion() == Exact {
		return s.X
	}
	return nil
}

// rowNorms sets norms to the norms of the rows from lo on, sum_j |a_ij w_j|; w = nil stands for ones. A NaN or Inf
// makes f NaN or Inf. sums must have the same length.
func rowNorms(k *kernels.Set, norms []magnitude, sums []float64, m *csr.Matrix, lo int, w []float64) {
	if w == nil {
		k.AbsSums(sums, m.RowPtr[lo:], m.Val)
	}
	for i := range norms {
		if w == nil && plain(sums[i]) {
			norms[i] = magnitude{sums[i], 0}.times(1)
			continue
		}
		cols, vals := m.Row(lo + i)
		norms[i] = extremeNorm(cols, vals, w)
	}
}

// plain reports whether roundings to subnormal numbers and overflow do not matter in a sum.
func plain(s float64) bool { return s > leastSum && s <= math.MaxFloat64 }

// leastSum is so large that subnormal numbers are negligible beside it.
const leastSum = 0x1p-900

// extremeNorm is rowNorms for a row whose sum may temporarily leave the range of float64.
func extremeNorm(cols []int32, vals, w []float64) magnitude {
	top := math.MinInt
	for _, v := range vals {
		if v != 0 {
			top = max(top, dd.Exponent(v))
		}
	}
	if top == math.MinInt {
		return magnitude{}
	}
	var s float64
	for k, v := range vals {
		a := math.Abs(dd.Ldexp(v, -top))
		if w != nil {
			a *= math.Abs(w[cols[k]])
		}
		s += a
	}
	f, e := math.Frexp(s)
	return magnitude{f, e + top}
}

// Tolerances holds, for each row or for all rows alike, the unit 2^exp of the stored values, and the absolute error
// theta allowed for them, in that unit.
//
// With 2^-c <= epsilon < 2^(1-c) and 2^t <= epsilon T < 2^(t+1) the unit is 2^(t+c), about T, so that stored values
// are below 2 and the units are in the range of float64 whenever T is. theta is 2^-c, epsilon T rounded down to a
// power of two; in paper-exact mode it is epsilon T itself.
type Tolerances struct {
	Exp   []int32 // one for each row, or a single one
	Theta []float64
	Wide  []bool // rows, or all rows, that a lossless set holds in FP64; nil: of another set
}

// Row returns the unit 2^exp of row i, and theta in this unit.
func (t *Tolerances) Row(i int) (exp int, theta float64) {
	if len(t.Exp) == 1 {
		return int(t.Exp[0]), t.Theta[0]
	}
	return int(t.Exp[i]), t.Theta[i]
}

// Exponent returns the exponent of the unit of row i.
func (t *Tolerances) Exponent(i int) int { return int(t.Exp[min(i, len(t.Exp)-1)]) }

// NewTolerances computes the tolerances of m. It returns an error if m has an element that is not finite.
//
// For integers, theta is 0 and the unit is larger where all elements are multiples of a larger quantum.
func NewTolerances(m *csr.Matrix, s Spec, panels []int, pool *parallel.Pool) (*Tolerances, error) {
	w := s.weights()
	if s.Set.Lossless() {
		return lossless(m, s.criterion() == NW, panels, pool)
	}
	if s.criterion() == NW || s.Set.Uniform {
		norm, err := largestNorm(s.Kernels.Or(), m, w, panels, pool)
		if err != nil {
			return nil, err
		}
		if s.Norm != nil {
			norm = s.Norm.magnitude()
		}
		t := newTolerances(1)
		t.set(0, norm, &s)
		if s.Fixed() {
			low := make([]int, len(panels)-1)
			pool.RunRanges(panels, func(k, lo, hi int) { low[k] = t.divisor(0, &s, m.Val[m.RowPtr[lo]:m.RowPtr[hi]]) })
			t.coarsen(0, &s, slices.Min(append(low, math.MaxInt)))
		}
		return t, nil
	}
	t := newTolerances(m.Rows)
	parts := make([]part, len(panels)-1)
	pool.RunRanges(panels, func(k, lo, hi int) {
		norms, sums := make([]magnitude, hi-lo), make([]float64, hi-lo)
		rowNorms(s.Kernels.Or(), norms, sums, m, lo, w)
		for i, norm := range norms {
			if parts[k].add(lo+i, norm) {
				t.set(lo+i, norm, &s)
			}
			if _, vals := m.Row(lo + i); s.Fixed() {
				t.coarsen(lo+i, &s, t.divisor(lo+i, &s, vals))
			}
		}
	})
	if _, err := together(parts); err != nil {
		return nil, err
	}
	return t, nil
}

// part is the largest norm of some rows, and the number of the first row whose norm is not finite.
type part struct {
	largest magnitude
	fault   int // from 1, 0: none
}

// add adds the norm of row i, and reports whether it is finite.
func (p *part) add(i int, norm magnitude) bool {
	switch {
	case norm.f-norm.f == 0:
		if p.largest.less(norm) {
			p.largest = norm
		}
		return true
	case p.fault == 0:
		p.fault = i + 1
	}
	return false
}

// together returns the largest norm of all parts.
func together(parts []part) (largest magnitude, err error) {
	for _, p := range parts {
		if p.fault > 0 {
			return largest, fmt.Errorf("quantize: row %d has an element that is NaN or Inf", p.fault)
		}
		if largest.less(p.largest) {
			largest = p.largest
		}
	}
	return largest, nil
}

// largestNorm returns the largest norm of all rows.
func largestNorm(k *kernels.Set, m *csr.Matrix, w []float64, panels []int, pool *parallel.Pool) (magnitude, error) {
	parts := make([]part, len(panels)-1)
	pool.RunRanges(panels, func(number, lo, hi int) {
		var p part
		most := 0.
		sums := make([]float64, hi-lo) // zero if there are weights, for which all rows count as extreme
		if w == nil {
			k.AbsSums(sums, m.RowPtr[lo:], m.Val)
		}
		for i, s := range sums {
			if plain(s) {
				most = max(most, s)
			} else {
				cols, vals := m.Row(lo + i)
				p.add(lo+i, extremeNorm(cols, vals, w))
			}
		}
		p.add(lo, magnitude{most, 0}.times(1))
		parts[number] = p
	})
	return together(parts)
}

func newTolerances(n int) *Tolerances {
	return &Tolerances{Exp: make([]int32, n), Theta: make([]float64, n)}
}

// set sets the tolerances of row i, or of all rows, for this norm.
func (t *Tolerances) set(i int, norm magnitude, s *Spec) {
	c := s.unitBits()
	et := norm.times(s.Epsilon) // in [2^(e-1), 2^e)
	t.Exp[i] = int32(et.e - 1 + c)
	t.Theta[i] = math.Ldexp(1, -c)
	if s.PaperExact {
		t.Theta[i] = math.Ldexp(et.f, et.e-int(t.Exp[i]))
	}
}

// Tolerance returns theta_i, the absolute error allowed for elements of row i.
func (t *Tolerances) Tolerance(i int) float64 {
	i = min(i, len(t.Exp)-1)
	return dd.Ldexp(t.Theta[i], int(t.Exp[i]))
}

// Scale multiplies dst, which holds the rows from lo on, by their units and 2^shift.
func (t *Tolerances) Scale(dst []float64, lo, shift int) {
	if unit := math.Ldexp(1, int(t.Exp[0])+shift); len(t.Exp) == 1 && unit >= 0x1p-1022 && !math.IsInf(unit, 1) {
		for i := range dst {
			dst[i] *= unit
		}
		return
	}
	for i, v := range dst {
		if e := t.Exponent(lo+i) + shift; MinNormal <= e && e <= MaxNormal {
			dst[i] = v * math.Float64frombits(uint64(e+1023)<<52) // 2^e
		} else {
			dst[i] = math.Ldexp(v, e)
		}
	}
}

// Range of the exponents of powers of two that are normal numbers.
const (
	MinNormal = -1022
	MaxNormal = 1023
)
