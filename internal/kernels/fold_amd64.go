//go:build !purego

package kernels

func foldSIMD(simd func(p *float64, n, streams int) uint64) foldKernel {
	return func(x []float64, n, streams int) uint64 {
		if n == 0 {
			return 0
		}
		return simd(&x[0], n, streams)
	}
}

//go:noescape
func foldAVX2(p *float64, n, streams int) uint64

//go:noescape
func foldAVX512(p *float64, n, streams int) uint64
