package dist

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// NewReducer returns the Reducer of vectors that the ranks of c share. Sums are exact and rounded once, to nearest, ties to even, so
// they do not depend on the number of ranks nor on an order. Its methods are collective.
func NewReducer(c Comm) linop.Reducer { return &reducer{comm: c} }

type reducer struct {
	comm Comm
	sums []exactSum
	send []int64
}

// Sum implements linop.Reducer.
func (r *reducer) Sum(sums, partial []float64) {
	m := len(sums)
	for len(r.sums) < m {
		r.sums = append(r.sums, exactSum{})
	}
	for k := range m {
		s := &r.sums[k]
		*s = exactSum{}
		for at := k; at < len(partial); at += m {
			s.add(partial[at])
		}
	}
	if r.comm.Size() > 1 {
		r.send = r.send[:0]
		for k := range m {
			r.send = append(r.send, r.sums[k][:]...)
		}
		r.comm.Sum(r.send)
		for k := range m {
			copy(r.sums[k][:], r.send[k*exactLimbs:])
		}
	}
	for k := range m {
		sums[k] = r.sums[k].float()
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
