package kernels

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/dd"
)

// Number of sums of MulAdds and MulAdds32, 256 bytes each.
const (
	MulAddLanes   = 32
	MulAddLanes32 = 64
)

// MulAdds computes k >= 1 fused multiply-adds with every element of x, in float64:
// from v = x[i] on, v = a v + b is repeated k-1 times, then s[i mod MulAddLanes] +=
// a v. The arithmetic intensity grows with k.
func MulAdds[S Value](s *[MulAddLanes]float64, x []S, k int, a, b float64) {
	n := mulAddsSIMD(s, x, k, a, b)
	for i, stored := range x[n:] {
		v := float64(stored)
		for range k - 1 {
			v = math.FMA(a, v, b)
		}
		sum := &s[i%MulAddLanes]
		*sum = math.FMA(a, v, *sum)
	}
}

// MulAdds32 is MulAdds in float32.
func MulAdds32(s *[MulAddLanes32]float32, x []float32, k int, a, b float32) {
	n := mulAdds32SIMD(s, x, k, a, b)
	for i, v := range x[n:] {
		for range k - 1 {
			v = fma32(a, v, b)
		}
		sum := &s[i%MulAddLanes32]
		*sum = fma32(a, v, *sum)
	}
}

// fma32 returns a b + c rounded once. The product is exact in float64; the sum is
// rounded to odd, which leaves the rounding to float32 right.
func fma32(a, b, c float32) float32 {
	s, e := dd.TwoSum(float64(a)*float64(b), float64(c))
	if bits := math.Float64bits(s); e != 0 && e == e && bits&1 == 0 {
		if (e > 0) == (s > 0) {
			bits++
		} else {
			bits--
		}
		s = math.Float64frombits(bits)
	}
	return float32(s)
}
