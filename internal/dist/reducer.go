package dist

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// NewReducer returns the Reducer of vectors that the ranks of c share. Sums are exact and rounded once, to nearest,
// ties to even, so that they depend neither on the number of ranks nor on an order. The methods of the Reducer are
// collective.
func NewReducer(c Comm) linop.Reducer {
	return &reducer{comm: c, first: (1074+64)/32 + 1 - leastWidth, width: leastWidth} // for sums of up to 2^64
}

type reducer struct {
	comm  Comm
	sums  []exactSum
	send  []int64
	first int // first limb that is sent
	width int // number of limbs that are sent
}

// leastWidth is the least number of limbs that are sent for a sum, 256 bits, as long as that suffices.
const leastWidth = 8

// Sum implements linop.Reducer.
func (r *reducer) Sum(sums, partial []float64) {
	m := len(sums)
	for len(r.sums) < m {
		r.sums = append(r.sums, exactSum{})
	}
	for k := range m {
		s := &r.sums[k]
		clear(s[:])
		for at := k; at < len(partial); at += m {
			s.add(partial[at])
		}
	}
	if r.comm.Size() > 1 && m > 0 {
		r.combine(r.sums[:m])
	}
	for k := range m {
		sums[k] = r.sums[k].float()
	}
}

// combine adds the sums of all ranks. Most sums of a solve have the order of magnitude of the previous ones, so it
// sends only the limbs around those, and all limbs in a second message if that omits any on any rank. The choice
// depends on results that all ranks have.
func (r *reducer) combine(sums []exactSum) {
	if r.width < limbs && r.window(sums) {
		return
	}
	r.width = min(2*r.width, limbs)
	r.send = r.send[:0]
	for k := range sums {
		r.send = append(r.send, sums[k][:]...)
	}
	r.comm.Sum(r.send)
	for k := range sums {
		copy(sums[k][:], r.send[k*exactLimbs:])
	}
	r.follow(sums)
}

// window adds the sums of all ranks if the chosen limbs suffice for all of them.
func (r *reducer) window(sums []exactSum) bool {
	first, end := r.first, r.first+r.width
	r.send = r.send[:0]
	beyond := int64(0)
	for k := range sums {
		s := &sums[k]
		if lo, hi := s.span(); lo < hi && (lo < first || hi > end) || !s.finite() {
			beyond = 1
		}
		r.send = append(r.send, s[first:end]...)
	}
	r.send = append(r.send, beyond)
	r.comm.Sum(r.send)
	if r.send[len(r.send)-1] > 0 {
		return false
	}
	for k := range sums {
		copy(sums[k][first:end], r.send[k*r.width:])
	}
	r.follow(sums)
	return true
}

// follow chooses the limbs of the next message: one limb more than the sums have, and the limbs below it.
func (r *reducer) follow(sums []exactSum) {
	high := 0
	for k := range sums {
		_, hi := sums[k].span()
		high = max(high, hi)
	}
	if high > 0 {
		r.first = min(max(high+1-r.width, 0), limbs-r.width)
	}
}

// Max implements linop.Reducer.
func (r *reducer) Max(partial []float64) float64 {
	largest := linop.Local{}.Max(partial)
	if r.comm.Size() == 1 {
		return largest
	}
	x := [1]int64{ordered(largest)}
	r.comm.Max(x[:])
	return unordered(x[0])
}

// ordered maps numbers to integers of the same order; NaN is above all of them.
func ordered(v float64) int64 {
	b := int64(math.Float64bits(v))
	switch {
	case v != v:
		return math.MaxInt64
	case b < 0:
		return b ^ math.MaxInt64
	}
	return b
}

// unordered is the inverse of ordered.
func unordered(k int64) float64 {
	if k < 0 {
		k ^= math.MaxInt64
	}
	return math.Float64frombits(uint64(k)) // MaxInt64 is a NaN
}
