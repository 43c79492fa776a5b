//go:build !purego

package kernels

func init() {
	vector.from(AVX2, vectorKernels{
		dot: dotAVX2, dot4: dot4AVX2, axpy: axpyAVX2, axpy4: axpy4AVX2,
		axpyDot: axpyDotAVX2, xpay: xpayAVX2, scale: scaleAVX2, step: stepAVX2,
		mul: mulAVX2, relax: relaxAVX2,
	})
	vector.from(AVX512, vectorKernels{
		dot: dotAVX512, dot4: dot4AVX512, axpy: axpyAVX512, axpy4: axpy4AVX512,
		axpyDot: axpyDotAVX512, xpay: xpayAVX512, scale: scaleAVX512, step: stepAVX512,
		mul: mulAVX512, relax: relaxAVX512,
	})
}

//go:noescape
func dotAVX2(x, y []float64) float64

//go:noescape
func dotAVX512(x, y []float64) float64

// dot4AVX2 takes the vectors by twos: two have half the registers for
// accumulators.
func dot4AVX2(v0, v1, v2, v3, w []float64) (h0, h1, h2, h3 float64) {
	h0, h1 = dot2AVX2(v0, v1, w)
	h2, h3 = dot2AVX2(v2, v3, w)
	return h0, h1, h2, h3
}

//go:noescape
func dot2AVX2(v0, v1, w []float64) (h0, h1 float64)

//go:noescape
func dot4AVX512(v0, v1, v2, v3, w []float64) (h0, h1, h2, h3 float64)

//go:noescape
func axpyAVX2(a float64, x, y []float64)

//go:noescape
func axpyAVX512(a float64, x, y []float64)

//go:noescape
func axpy4AVX2(a0, a1, a2, a3 float64, v0, v1, v2, v3, w []float64)

//go:noescape
func axpy4AVX512(a0, a1, a2, a3 float64, v0, v1, v2, v3, w []float64)

//go:noescape
func axpyDotAVX2(a float64, x, y, z []float64) float64

//go:noescape
func axpyDotAVX512(a float64, x, y, z []float64) float64

//go:noescape
func xpayAVX2(x []float64, a float64, y []float64)

//go:noescape
func xpayAVX512(x []float64, a float64, y []float64)

//go:noescape
func scaleAVX2(a float64, x []float64)

//go:noescape
func scaleAVX512(a float64, x []float64)

//go:noescape
func stepAVX2(a float64, p, x, q, r []float64) float64

//go:noescape
func stepAVX512(a float64, p, x, q, r []float64) float64

//go:noescape
func mulAVX2(a float64, w, x, y []float64)

//go:noescape
func mulAVX512(a float64, w, x, y []float64)

//go:noescape
func relaxAVX2(a float64, w, x, r []float64)

//go:noescape
func relaxAVX512(a float64, w, x, r []float64)
