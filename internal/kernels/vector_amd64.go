//go:build !purego

package kernels

//go:noescape
func dotAVX512(x, y []float64) float64

//go:noescape
func dot4AVX512(v0, v1, v2, v3, w []float64) (h0, h1, h2, h3 float64)

//go:noescape
func axpyAVX512(a float64, x, y []float64)

//go:noescape
func axpy4AVX512(a0, a1, a2, a3 float64, v0, v1, v2, v3, w []float64)

//go:noescape
func axpyDotAVX512(a float64, x, y, z []float64) float64

//go:noescape
func xpayAVX512(x []float64, a float64, y []float64)

//go:noescape
func scaleAVX512(a float64, x []float64)

//go:noescape
func stepAVX512(a float64, p, x, q, r []float64) float64

//go:noescape
func mulAVX512(a float64, w, x, y []float64)

//go:noescape
func relaxAVX512(a float64, w, x, r []float64)
