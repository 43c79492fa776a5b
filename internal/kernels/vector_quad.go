//go:build !purego && (amd64 || arm64)

package kernels

import "unsafe"

// quadVector calls the assembly of c/vector.c; the lengths are multiples of a group.
var quadVector = vectorKernels{
	dot: func(x, y []float64) float64 { return dotQuad(at(x), at(y), len(x)) },
	dot4: func(v0, v1, v2, v3, w []float64) (h0, h1, h2, h3 float64) { // by twos: registers for accumulators
		var h [4]float64
		dot2Quad(at(v0), at(v1), at(w), len(w), &h[0])
		dot2Quad(at(v2), at(v3), at(w), len(w), &h[2])
		return h[0], h[1], h[2], h[3]
	},
	axpy: func(a float64, x, y []float64) { axpyQuad(a, at(x), at(y), len(x)) },
	axpy4: func(a0, a1, a2, a3 float64, v0, v1, v2, v3, w []float64) {
		axpy4Quad(&axpy4Call{a: [4]float64{a0, a1, a2, a3}, v: [4]*float64{at(v0), at(v1), at(v2), at(v3)}, w: at(w), n: len(w)})
	},
	axpyDot: func(a float64, x, y, z []float64) float64 { return axpyDotQuad(a, at(x), at(y), at(z), len(x)) },
	xpay:    func(x []float64, a float64, y []float64) { xpayQuad(at(x), a, at(y), len(x)) },
	scale:   func(a float64, x []float64) { scaleQuad(a, at(x), len(x)) },
	step: func(a float64, p, x, q, r []float64) float64 {
		return stepQuad(a, at(p), at(x), at(q), at(r), len(p))
	},
	mul:   func(a float64, w, x, y []float64) { mulQuad(a, at(w), at(x), at(y), len(w)) },
	relax: func(a float64, w, x, r []float64) { relaxQuad(a, at(w), at(x), at(r), len(w)) },
}

// axpy4Call is the arguments of the assembly, with struct axpy4_call of c/vector.c.
type axpy4Call struct {
	a [4]float64
	v [4]*float64
	w *float64
	n int
}

// at is the address of a slice.
func at(x []float64) *float64 { return unsafe.SliceData(x) }
