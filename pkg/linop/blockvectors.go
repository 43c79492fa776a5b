package linop

import (
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/parallel"
)

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
	h.pool.Run(len(parts), parallel.Func(func(k int) {
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
	}))
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
	h.pool.Run(len(parts), parallel.Func(func(k int) {
		for lo := parts[k].lo; lo < parts[k].hi; lo += chunk {
			hi := min(lo+chunk, parts[k].hi)
			for j, to := range w {
				if !plus {
					clear(to[lo:hi])
				}
				kernels.MultiAxpy(h.kernels, columns[j*len(u):][:len(u)], u, lo, hi, to)
			}
		}
	}))
}

// blockParts returns the parts of vectors for threads, which are made once.
func (h *host) blockParts() []span {
	if h.blockSpans == nil {
		size := chunk * (1 + (h.len-1)/(chunk*mostParts))
		h.blockSpans = cut(h.parts, size)
	}
	return h.blockSpans
}
