package linop

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// A Reducer combines partial results of sums and maxima. [Local] combines those of one
// process; for vectors that several processes share, a Reducer combines those of all, and
// gives all of them the same bits.
type Reducer interface {
	// Sum sets each of the m sums to the sum of the partial results with its index modulo
	// m, in their order: sums[k] = partial[k] + partial[k+m] + ...
	Sum(sums, partial []float64)
	// Max returns the largest of the partial results, NaN if any is, -Inf if there are none.
	Max(partial []float64) float64
}

// Local is the Reducer of vectors that are not shared with other processes.
type Local struct{}

var _ Reducer = Local{}

// Sum implements Reducer.
func (Local) Sum(sums, partial []float64) {
	for k := range sums {
		var s float64
		for at := k; at < len(partial); at += len(sums) {
			s += partial[at]
		}
		sums[k] = s
	}
}

// Max implements Reducer.
func (Local) Max(partial []float64) float64 {
	largest := math.Inf(-1)
	for _, v := range partial {
		largest = max(largest, v)
	}
	return largest
}

// rangeSize is the number of elements of a range of Ranges, Max and Norm2.
const rangeSize = 8 * blockSize

// Ranges calls do for ranges of elements, lo <= i < hi, on all threads: those of all indices that this process has.
func (h *Host) Ranges(do func(lo, hi int)) {
	h.eachRange(func(_, lo, hi int) { do(lo, hi) })
}

func (h *Host) eachRange(do func(k, lo, hi int)) {
	h.pool.Run(len(h.ranges), parallel.Func(func(k int) { do(k, h.ranges[k].lo, h.ranges[k].hi) }))
}

// Max returns the largest of what do returns for all ranges, as Ranges has them; NaN if
// any is, -Inf if n = 0.
func (h *Host) Max(do func(lo, hi int) float64) float64 { return h.Reducer.Max(h.partials(do)) }

// Sum returns the sum of what do returns for all ranges, as Ranges has them.
func (h *Host) Sum(do func(lo, hi int) float64) float64 {
	h.Reducer.Sum(h.sums[:1], h.partials(do))
	return h.sums[0]
}

// Max2 is Max of two numbers at once.
func (h *Host) Max2(do func(lo, hi int) (a, b float64)) (a, b float64) {
	ranges := len(h.ranges)
	as, bs := h.partial[:ranges], h.partial[ranges:2*ranges]
	h.eachRange(func(k, lo, hi int) { as[k], bs[k] = do(lo, hi) })
	return h.Reducer.Max(as), h.Reducer.Max(bs)
}

// AbsMax returns max |x_i|, NaN if any element is, and 0 if n = 0.
func (h *Host) AbsMax(x []float64) float64 {
	return max(0, h.Max(func(lo, hi int) float64 { return kernels.AbsMax(x[lo:hi]) }))
}

// Norm2 returns the 2-norm of x as norm 2^exp, which may be beyond float64.
func (h *Host) Norm2(x []float64) (norm float64, exp int) {
	largest := h.AbsMax(x)
	if largest == 0 || !(largest <= math.MaxFloat64) {
		return largest, 0
	}
	exp = csr.Exponent(largest)
	return math.Sqrt(h.Sum(func(lo, hi int) (s float64) {
		for _, v := range x[lo:hi] {
			v = csr.Ldexp(v, -exp)
			s += float64(v * v)
		}
		return s
	})), exp
}

// partials returns what do returns for each range.
func (h *Host) partials(do func(lo, hi int) float64) []float64 {
	partial := h.partial[:len(h.ranges)]
	h.eachRange(func(k, lo, hi int) { partial[k] = do(lo, hi) })
	return partial
}
