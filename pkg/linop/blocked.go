package linop

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

const (
	// blockSize is the number of elements that one partial result covers. It
	// is fixed, and partial results are added in the order of the blocks, so
	// sums have the same bits for any number of threads.
	blockSize = 4096
	// serialBelow is the dimension under which waking threads costs more than
	// it gains.
	serialBelow = 8 * 1024
)

// blocked is the common part of the spaces of the host: vectors are cut in blocks for threads, and reductions are in float64.
type blocked struct {
	reducer Reducer // of inner products, norms and maxima

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
	h := blocked{reducer: Local, n: n, len: length, parts: parts, pool: pool, kernels: kernels.Default()}
	h.block, h.ranges = cut(parts, blockSize), cut(parts, rangeSize)
	h.partial, h.sums = make([]float64, 2*h.blocks()), make([]float64, 2)
	return h
}

// cut divides the parts into spans of at most size elements.
func cut(parts []Range, size int) (spans []span) {
	for k, p := range parts {
		for lo := p.Lo; lo < p.Hi; lo += size {
			spans = append(spans, span{lo, min(lo+size, p.Hi), k})
		}
	}
	return spans
}

func (h *blocked) blocks() int { return len(h.block) }

// Reducer implements Host.
func (h *blocked) Reducer() Reducer { return h.reducer }

// SetReducer implements Host.
func (h *blocked) SetReducer(r Reducer) { h.reducer = r }

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
	h.threads().Run(h.blocks(), job)
}

// threads returns the pool if threads pay, otherwise nil.
func (h *blocked) threads() *parallel.Pool {
	if h.len < serialBelow {
		return nil
	}
	return h.pool
}

// rangeSize is the number of elements of a range of Ranges, Max and Norm2.
const rangeSize = 8 * blockSize

// Ranges implements Host.
func (h *blocked) Ranges(do func(lo, hi int)) {
	h.eachRange(func(_, lo, hi int) { do(lo, hi) })
}

func (h *blocked) eachRange(do func(k, lo, hi int)) {
	h.pool.Each(len(h.ranges), func(k int) { do(k, h.ranges[k].lo, h.ranges[k].hi) })
}

// Max implements Host.
func (h *blocked) Max(do func(lo, hi int) float64) float64 { return h.reducer.Max(h.partials(do)) }

// Sum implements Host.
func (h *blocked) Sum(do func(lo, hi int) float64) float64 {
	h.reducer.Sum(h.sums[:1], h.partials(do))
	return h.sums[0]
}

// Max2 implements Host.
func (h *blocked) Max2(do func(lo, hi int) (a, b float64)) (a, b float64) {
	ranges := len(h.ranges)
	as, bs := h.partial[:ranges], h.partial[ranges:2*ranges]
	h.eachRange(func(k, lo, hi int) { as[k], bs[k] = do(lo, hi) })
	return h.reducer.Max(as), h.reducer.Max(bs)
}

// AbsMax implements Host.
func (h *blocked) AbsMax(x []float64) float64 {
	return max(0, h.Max(func(lo, hi int) float64 { return kernels.AbsMax(x[lo:hi]) }))
}

// Norm2 implements Host.
func (h *blocked) Norm2(x []float64) (norm float64, exp int) {
	largest := h.AbsMax(x)
	if largest == 0 || !(largest <= math.MaxFloat64) {
		return largest, 0
	}
	exp = dd.Exponent(largest)
	return math.Sqrt(h.Sum(func(lo, hi int) (s float64) {
		for _, v := range x[lo:hi] {
			v = dd.Ldexp(v, -exp)
			s += float64(v * v)
		}
		return s
	})), exp
}

// partials returns the results of do for each range.
func (h *blocked) partials(do func(lo, hi int) float64) []float64 {
	partial := h.partial[:len(h.ranges)]
	h.eachRange(func(k, lo, hi int) { partial[k] = do(lo, hi) })
	return partial
}

const (
	// chunk is the number of elements of each vector in one piece of work: the chunks of two blocks of 8 vectors fit in the
	// first-level cache.
	chunk = 256
	// mostParts is the largest number of parts of a vector for threads. Neither parts nor sums depend on the number of
	// threads.
	mostParts = 64
)

// Gram implements Host.
func (h *host) Gram(g []float64, u, v [][]float64) { h.gram(g, u, v, false) }

// GramSymmetric implements Host.
func (h *host) GramSymmetric(g []float64, u, v [][]float64) { h.gram(g, u, v, true) }

func (h *host) gram(g []float64, u, v [][]float64, symmetric bool) {
	parts, size := h.blockParts(), len(u)*len(v)
	partial := make([]float64, size*len(parts))
	h.pool.Each(len(parts), func(k int) {
		sums := partial[k*size:][:size]
		var column [MostTogether]float64
		dots := column[:]
		if len(u) > len(column) {
			dots = make([]float64, len(u))
		}
		for lo := parts[k].lo; lo < parts[k].hi; lo += chunk {
			hi := min(lo+chunk, parts[k].hi)
			for j, w := range v {
				rows := len(u)
				if symmetric {
					rows = j + 1
				}
				h.kernels.MultiDot(dots[:rows], u[:rows], lo, hi, w)
				for i, dot := range dots[:rows] {
					sums[i*len(v)+j] += dot
				}
			}
		}
	})
	h.reducer.Sum(g[:size], partial)
	if symmetric {
		for i := range u {
			for j := range i {
				g[i*len(v)+j] = g[j*len(v)+i]
			}
		}
	}
}

// Combine implements Host.
func (h *host) Combine(a []float64, u, w [][]float64, plus bool) {
	parts := h.blockParts()
	columns := make([]Float64, len(u)*len(w))
	for i := range u {
		for j := range w {
			columns[j*len(u)+i] = Float64(a[i*len(w)+j])
		}
	}
	h.pool.Each(len(parts), func(k int) {
		for lo := parts[k].lo; lo < parts[k].hi; lo += chunk {
			hi := min(lo+chunk, parts[k].hi)
			for j, to := range w {
				if !plus {
					clear(to[lo:hi])
				}
				kernels.MultiAxpy(h.kernels, columns[j*len(u):][:len(u)], u, lo, hi, to)
			}
		}
	})
}

// blockParts returns the parts of vectors for threads, which are made once.
func (h *host) blockParts() []span {
	if h.blockSpans == nil {
		size := chunk * (1 + (h.len-1)/(chunk*mostParts))
		h.blockSpans = cut(h.parts, size)
	}
	return h.blockSpans
}
