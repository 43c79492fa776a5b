package packed

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// exponents is a range of exponents: values are multiples of 2^low and less than 2^high in magnitude. Zeros have an empty one.
type exponents struct{ low, high int }

var empty = exponents{math.MaxInt, math.MinInt}

// exponentsOf returns the exponents of a value that is finite.
func exponentsOf(v float64) exponents {
	u := math.Float64bits(v) &^ (1 << 63)
	if u == 0 {
		return empty
	}
	e, f := int(u>>52), u&(1<<52-1)
	if e > 0 {
		f |= 1 << 52
		e--
	}
	return exponents{e - 1074 + bits.TrailingZeros64(f), e - 1074 + bits.Len64(f)}
}

// with returns those of both.
func (s exponents) with(o exponents) exponents {
	return exponents{min(s.low, o.low), max(s.high, o.high)}
}

// fits reports whether integers of AFX hold all multiples; none fits.
func (s exponents) fits() bool { return s == empty || s.high-s.low <= maxFixedBits }

// divisor returns the exponent of the largest power of two that divides all values, or, as soon as it shows, one that
// is not above the quantum of row i.
func (t *Tolerances) divisor(i int, s *Spec, vals []float64) int {
	low, quantum := math.MaxInt, int(t.Exp[i])-s.unitQuanta()
	for _, v := range vals {
		if low = min(low, exponentsOf(v).low); low <= quantum {
			break
		}
	}
	return low
}

// coarsen makes 2^low the quantum of row i, or of all rows, if that is more: its values, which are multiples, need
// fewer bits then, and have no error.
func (t *Tolerances) coarsen(i int, s *Spec, low int) {
	if quantum := int(t.Exp[i]) - s.unitQuanta(); low > quantum && low < math.MaxInt {
		t.Exp[i] += int32(low - quantum)
		t.Theta[i] = 0
	}
}

// unitQuanta returns k if 2^k quanta of AFX are a unit.
func (s *Spec) unitQuanta() int { return s.unitBits() - 1 + s.GuardBits }

// lossless returns the tolerances of a lossless set: quanta that divide all elements of the rows, or of the whole matrix,
// unless integers would be too wide.
func lossless(m *csr.Matrix, whole bool, panels []int, pool *parallel.Pool) (*Tolerances, error) {
	t := newTolerances(m.Rows)
	t.Wide = make([]bool, m.Rows)
	spans, faults := make([]exponents, len(panels)-1), make([]int, len(panels)-1)
	pool.RunRanges(panels, func(k, lo, hi int) {
		all := empty
		for i := lo; i < hi; i++ {
			row := empty
			_, vals := m.Row(i)
			for _, v := range vals {
				if v-v != 0 && faults[k] == 0 {
					faults[k] = i + 1
				}
				row = row.with(exponentsOf(v))
			}
			all = all.with(row)
			if t.Wide[i] = !row.fits(); !t.Wide[i] && row != empty {
				t.Exp[i] = int32(row.low)
			}
		}
		spans[k] = all
	})
	for _, row := range faults {
		if row > 0 {
			return nil, fmt.Errorf("quantize: row %d has an element that is NaN or Inf", row)
		}
	}
	if !whole && slices.Contains(t.Wide, false) {
		return t, nil
	}
	all := empty
	for _, s := range spans {
		all = all.with(s)
	}
	one := newTolerances(1)
	if one.Wide = []bool{!all.fits()}; all.fits() && all != empty {
		one.Exp[0] = int32(all.low)
	}
	return one, nil
}

// wide reports whether a lossless set holds one of the rows lo to hi-1 in FP64.
func (t *Tolerances) wide(lo, hi int) bool {
	if len(t.Wide) <= 1 {
		return len(t.Wide) == 1 && t.Wide[0]
	}
	return slices.Contains(t.Wide[lo:hi], true)
}
