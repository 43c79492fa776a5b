package mp

import (
	"math/bits"
)

// Residual sets r, in units of 2^e, to b - A x, and returns the e for which the largest |r_i| is between 1/2 and 1 (0
// if r = 0). The error of an element is at most one rounding to float64 and MatrixBound. b is the sum of its parts.
func (a *Matrix) Residual(r []float64, x *Vec, b ...[]float64) (e int) {
	if len(r) != a.rows || x.Len() != a.cols {
		panic("mp: a residual of vectors that do not match")
	}
	lead, exps, negs := make([]uint64, a.rows), make([]int, a.rows), make([]bool, a.rows)
	ex, any := x.top()
	if any {
		size := sizeOf(x.bits)
		a.eachRow(size, x.magnitudes(a.pool, size, ex), func(i int, s sum, m []uint64) {
			for k := range s {
				s[k] = -s[k]
			}
			unit := a.unit(i, ex, size)
			if a.ptr[i] == a.ptr[i+1] {
				unit = lowest(i, b)
			}
			negs[i], lead[i], exps[i] = s.addTo(unit, i, b, m)
		})
	} else {
		a.pool.RunRanges(blocks(a.rows), func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				negs[i], lead[i], exps[i] = make(sum, 4).addTo(lowest(i, b), i, b, nil)
			}
		})
	}
	any = false
	for i, m := range lead {
		if m != 0 && (!any || exps[i] > e) {
			e, any = exps[i], true
		}
	}
	a.pool.RunRanges(blocks(a.rows), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			r[i] = float64of(negs[i], lead[i], exps[i]-e)
		}
	})
	return e
}

// lowest returns the exponent of a unit of which all parts of b_i are multiples.
func lowest(i int, b [][]float64) (unit int) {
	any := false
	for _, part := range b {
		if m, e, _ := split(part[i]); m != 0 && (!any || e < unit) {
			unit, any = e, true
		}
	}
	return unit
}

// addTo returns s, in units of 2^unit, plus the parts of b_i, as ±0.lead 2^e, without what is below a unit. words is
// room for the words of the sum, if it suffices.
func (s sum) addTo(unit, i int, b [][]float64, words []uint64) (neg bool, leading uint64, e int) {
	for _, part := range b {
		m, e, minus := split(part[i])
		if m == 0 {
			continue
		}
		at := e - unit // of the lowest bit of m
		if at < 0 {
			m >>= min(-at, 63)
			at = 0
		}
		if more := at/limbBits + 4 - len(s); more > 0 {
			s = append(s, make(sum, more)...)
		}
		limbs := []uint64{m}
		for k := range 3 {
			limb := int64(bitsFrom(limbs, limbBits*k-at%limbBits) & limbMask)
			if minus {
				limb = -limb
			}
			s[at/limbBits+k] += limb
		}
	}
	neg = s.settle()
	m, n := words, packed(len(s))
	if n > len(m) {
		m = make([]uint64, n)
	}
	m = m[:n]
	s.pack(m)
	t := len(m) - 1
	for t >= 0 && m[t] == 0 {
		t--
	}
	if t < 0 {
		return false, 0, 0
	}
	shift := uint(bits.LeadingZeros64(m[t]))
	return neg, lead(m, t, shift), unit + 64*(t+1) - int(shift)
}
