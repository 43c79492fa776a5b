package linop

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

const (
	// blockSize is the number of elements that one partial result covers. It
	// is fixed, and partial results are added in the order of the blocks, so
	// sums have the same bits for any number of threads.
	blockSize = 4096
	// serialBelow is the dimension under which waking threads costs more than
	// it brings.
	serialBelow = 32 * 1024
)

// blocked is what spaces of the host have in common: how their vectors are cut for threads, and reductions in float64.
type blocked struct {
	Reducer Reducer // of inner products, norms and maxima; Local for a new space

	n       int // dimension
	len     int // elements of a vector of this process
	parts   []Range
	pool    *parallel.Pool
	kernels *kernels.Set
	block   []span    // of at most blockSize elements
	ranges  []span    // of at most rangeSize
	partial []float64 // for each block one, two for DoubleStep, len(vs) for MultiDot
	sums    []float64 // of them
}

// A Range is the elements Lo to Hi-1 of a vector of this process.
type Range struct {
	Lo, Hi int
	First  int // the index of element Lo in the whole vector
}

// span is the elements Lo to Hi-1, which are of a part.
type span struct{ lo, hi, part int }

func newBlocked(n, length int, parts []Range, pool *parallel.Pool) blocked {
	h := blocked{Reducer: Local{}, n: n, len: length, parts: parts, pool: pool, kernels: kernels.Default()}
	h.block, h.ranges = cut(parts, blockSize), cut(parts, rangeSize)
	h.partial, h.sums = make([]float64, 2*h.blocks()), make([]float64, 2)
	return h
}

// cut is the parts in spans of at most size elements.
func cut(parts []Range, size int) (spans []span) {
	for k, p := range parts {
		for lo := p.Lo; lo < p.Hi; lo += size {
			spans = append(spans, span{lo, min(lo+size, p.Hi), k})
		}
	}
	return spans
}

func (h *blocked) blocks() int { return len(h.block) }

// Use makes k the kernels of the operations, nil the default ones.
func (h *blocked) Use(k *kernels.Set) { h.kernels = k.Or() }

// Dim returns n.
func (h *blocked) Dim() int { return h.n }

// Fill sets x_i = element(i), in the order of i, for all indices that this process has.
func (h *blocked) Fill(x []float64, element func(i int) float64) {
	for _, p := range h.parts {
		for at := p.Lo; at < p.Hi; at++ {
			x[at] = element(p.First + at - p.Lo)
		}
	}
}

// room makes room for m sums.
func (h *blocked) room(m int) {
	if need := m * h.blocks(); len(h.partial) < need {
		h.partial = make([]float64, need)
	}
	if len(h.sums) < m {
		h.sums = make([]float64, m)
	}
}

// onBlocks does a job of every block, on all threads if that pays.
func (h *blocked) onBlocks(job parallel.Job) {
	if h.len < serialBelow {
		for b := range h.blocks() {
			job.Do(b)
		}
		return
	}
	h.pool.Run(h.blocks(), job)
}

// rangeSize is the number of elements of a range of Ranges, Max and Norm2.
const rangeSize = 8 * blockSize

// Ranges calls do for ranges of elements, lo <= i < hi, on all threads: those of all indices that this process has.
func (h *blocked) Ranges(do func(lo, hi int)) {
	h.eachRange(func(_, lo, hi int) { do(lo, hi) })
}

func (h *blocked) eachRange(do func(k, lo, hi int)) {
	h.pool.Run(len(h.ranges), parallel.Func(func(k int) { do(k, h.ranges[k].lo, h.ranges[k].hi) }))
}

// Max returns the largest of what do returns for all ranges, as Ranges has them; NaN if
// any is, -Inf if n = 0.
func (h *blocked) Max(do func(lo, hi int) float64) float64 { return h.Reducer.Max(h.partials(do)) }

// Sum returns the sum of what do returns for all ranges, as Ranges has them.
func (h *blocked) Sum(do func(lo, hi int) float64) float64 {
	h.Reducer.Sum(h.sums[:1], h.partials(do))
	return h.sums[0]
}

// Max2 is Max of two numbers at once.
func (h *blocked) Max2(do func(lo, hi int) (a, b float64)) (a, b float64) {
	ranges := len(h.ranges)
	as, bs := h.partial[:ranges], h.partial[ranges:2*ranges]
	h.eachRange(func(k, lo, hi int) { as[k], bs[k] = do(lo, hi) })
	return h.Reducer.Max(as), h.Reducer.Max(bs)
}

// AbsMax returns max |x_i|, NaN if any element is, and 0 if n = 0.
func (h *blocked) AbsMax(x []float64) float64 {
	return max(0, h.Max(func(lo, hi int) float64 { return kernels.AbsMax(x[lo:hi]) }))
}

// Norm2 returns the 2-norm of x as norm 2^exp, which may be beyond float64.
func (h *blocked) Norm2(x []float64) (norm float64, exp int) {
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
func (h *blocked) partials(do func(lo, hi int) float64) []float64 {
	partial := h.partial[:len(h.ranges)]
	h.eachRange(func(k, lo, hi int) { partial[k] = do(lo, hi) })
	return partial
}
