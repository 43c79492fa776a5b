//go:build !purego

package kernels

// Kernels that keep values as float32 and compute with them in float64, and those
// they are compared with.

func dot32SIMD[A Value](kernel func(s *[lanes32]A, x, y *float32, n int)) dot32Kernel[A] {
	return func(s *[lanes32]A, x, y []float32) { kernel(s, &x[0], &y[0], len(x)) }
}

// ellSIMD makes an ellKernel of the assembly for a multiple of 16 rows; portable Go does
// the rest, with the same bits.
func ellSIMD[S, A Value](kernel func(dst *S, n, width, stride int, col *int32, val, x *S)) ellKernel[S] {
	const group = 16
	return func(dst []S, lo, hi int, m ELL[S], x []S) {
		if n := (hi - lo) / group * group; n > 0 && m.Width > 0 {
			kernel(&dst[lo], n, m.Width, m.Stride, &m.Col[lo], &m.Val[lo], &x[0])
			lo += n
		}
		ellMulVec[S, A](dst, lo, hi, m, x)
	}
}

// mulAddsSIMD makes kernels of the assembly for whole iterations, which take so many elements
// for each sum; portable Go does the rest, with the same bits.
func mulAddsSIMD(
	each int,
	double func(s *[MulAddLanes]float64, x *float64, n, k int, a, b float64),
	mixed func(s *[MulAddLanes]float64, x *float32, n, k int, a, b float64),
	single func(s *[MulAddLanes32]float32, x *float32, n, k int, a, b float32),
) mulAddsKernels {
	whole, whole32 := each*MulAddLanes, each*MulAddLanes32
	return mulAddsKernels{
		float64: func(s *[MulAddLanes]float64, x []float64, times int, a, b float64) {
			n := len(x) / whole * whole
			if n > 0 {
				double(s, &x[0], n, times, a, b)
			}
			mulAdds(s, x[n:], times, a, b)
		},
		mixed: func(s *[MulAddLanes]float64, x []float32, times int, a, b float64) {
			n := len(x) / whole * whole
			if n > 0 {
				mixed(s, &x[0], n, times, a, b)
			}
			mulAdds(s, x[n:], times, a, b)
		},
		float32: func(s *[MulAddLanes32]float32, x []float32, times int, a, b float32) {
			n := len(x) / whole32 * whole32
			if n > 0 {
				single(s, &x[0], n, times, a, b)
			}
			mulAdds32(s, x[n:], times, a, b)
		},
	}
}

//go:noescape
func dot32AVX2(s *[lanes32]float32, x, y *float32, n int)

//go:noescape
func dot32AVX512(s *[lanes32]float32, x, y *float32, n int)

//go:noescape
func dotMixedAVX2(s *[lanes32]float64, x, y *float32, n int)

//go:noescape
func dotMixedAVX512(s *[lanes32]float64, x, y *float32, n int)

//go:noescape
func ellAVX512(dst *float64, n, width, stride int, col *int32, val, x *float64)

//go:noescape
func ell32AVX512(dst *float32, n, width, stride int, col *int32, val, x *float32)

//go:noescape
func ellMixedAVX512(dst *float32, n, width, stride int, col *int32, val, x *float32)

//go:noescape
func mulAddsAVX2(s *[MulAddLanes]float64, x *float64, n, k int, a, b float64)

//go:noescape
func mulAddsAVX512(s *[MulAddLanes]float64, x *float64, n, k int, a, b float64)

//go:noescape
func mulAddsMixedAVX2(s *[MulAddLanes]float64, x *float32, n, k int, a, b float64)

//go:noescape
func mulAddsMixedAVX512(s *[MulAddLanes]float64, x *float32, n, k int, a, b float64)

//go:noescape
func mulAdds32AVX2(s *[MulAddLanes32]float32, x *float32, n, k int, a, b float32)

//go:noescape
func mulAdds32AVX512(s *[MulAddLanes32]float32, x *float32, n, k int, a, b float32)
