//go:build !purego

package kernels

// Kernels that keep values as float32 and compute with them in float64, and those
// they are compared with. Each returns how many elements it has processed, a multiple
// of what one iteration of its loop takes; portable Go does the rest, with the same bits.

func dot32SIMD(s *[lanes32]float32, x, y []float32) (done int) {
	n := len(x) &^ (lanes32 - 1)
	switch {
	case n == 0 || active < AVX2:
		return 0
	case active < AVX512:
		dot32AVX2(s, &x[0], &y[0], n)
	default:
		dot32AVX512(s, &x[0], &y[0], n)
	}
	return n
}

func dotMixedSIMD(s *[lanes32]float64, x, y []float32) (done int) {
	n := len(x) &^ (lanes32 - 1)
	switch {
	case n == 0 || active < AVX2:
		return 0
	case active < AVX512:
		dotMixedAVX2(s, &x[0], &y[0], n)
	default:
		dotMixedAVX512(s, &x[0], &y[0], n)
	}
	return n
}

// ellRows is the number of rows that the ELL kernels do at once.
const ellRows = 16

func ellSIMD[S, A Value](dst []S, lo, hi int, m ELL[S], x []S) (done int) {
	n := (hi - lo) &^ (ellRows - 1)
	if n <= 0 || m.Width == 0 || active < AVX512 {
		return 0
	}
	switch to := any(&dst[lo]).(type) {
	case *float64:
		ellAVX512(to, n, m.Width, m.Stride, &m.Col[lo], any(&m.Val[lo]).(*float64), any(&x[0]).(*float64))
	case *float32:
		from, vector := any(&m.Val[lo]).(*float32), any(&x[0]).(*float32)
		if _, mixed := any(*new(A)).(float64); mixed {
			ellMixedAVX512(to, n, m.Width, m.Stride, &m.Col[lo], from, vector)
		} else {
			ell32AVX512(to, n, m.Width, m.Stride, &m.Col[lo], from, vector)
		}
	}
	return n
}

func mulAddsSIMD[S Value](s *[MulAddLanes]float64, x []S, k int, a, b float64) (done int) {
	n := mulAddsWhole(len(x), MulAddLanes)
	if n == 0 {
		return 0
	}
	switch from := any(&x[0]).(type) {
	case *float64:
		if active < AVX512 {
			mulAddsAVX2(s, from, n, k, a, b)
		} else {
			mulAddsAVX512(s, from, n, k, a, b)
		}
	case *float32:
		if active < AVX512 {
			mulAddsMixedAVX2(s, from, n, k, a, b)
		} else {
			mulAddsMixedAVX512(s, from, n, k, a, b)
		}
	}
	return n
}

func mulAdds32SIMD(s *[MulAddLanes32]float32, x []float32, k int, a, b float32) (done int) {
	n := mulAddsWhole(len(x), MulAddLanes32)
	switch {
	case n == 0:
		return 0
	case active < AVX512:
		mulAdds32AVX2(s, &x[0], n, k, a, b)
	default:
		mulAdds32AVX512(s, &x[0], n, k, a, b)
	}
	return n
}

// mulAddsWhole is the part of n elements in whole iterations, which take one element
// for each sum with AVX2, four with AVX-512.
func mulAddsWhole(n, lanes int) int {
	switch {
	case active < AVX2:
		return 0
	case active >= AVX512:
		lanes *= 4
	}
	return n - n%lanes
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
