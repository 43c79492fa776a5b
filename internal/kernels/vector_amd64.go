//go:build !purego

package kernels

func init() {
	vector.from(AVX2, quadVector)
	vector.from(AVX512, vectorKernels{
		dot: dotOct, dot4: dot4Oct, axpy: axpyOct, axpy4: axpy4Oct, axpyDot: axpyDotOct, xpay: xpayOct,
		scale: scaleOct, step: stepOct, mul: mulOct, relax: relaxOct,
	})
}
