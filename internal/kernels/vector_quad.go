//go:build !purego && (amd64 || arm64)

package kernels

// quadVector is the kernels of c/vector.c in vectors of four lanes.
var quadVector = vectorKernels{
	dot: dotQuad, dot4: dot4Quad, axpy: axpyQuad, axpy4: axpy4Quad, axpyDot: axpyDotQuad, xpay: xpayQuad,
	scale: scaleQuad, step: stepQuad, mul: mulQuad, relax: relaxQuad,
}
