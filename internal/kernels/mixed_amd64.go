//go:build !purego

package kernels

//go:noescape
func stepIntoAVX2(a float64, p, x, q, r []float64, w, f []float32) float64

//go:noescape
func stepIntoAVX512(a float64, p, x, q, r []float64, w, f []float32) float64

//go:noescape
func xpayMixedAVX2(w, x []float32, a float64, y []float64)

//go:noescape
func xpayMixedAVX512(w, x []float32, a float64, y []float64)
