package kernels

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/dd"
)

// Number of sums of MulAdds and MulAdds32, 256 bytes each.
const (
	MulAddLanes   = 32
	MulAddLanes32 = 64
)

// MulAdds computes so many fused multiply-adds, one at least, with every element of x, in
// float64: from v = x[i] on, v = a v + b is repeated times-1 times, then s[i mod MulAddLanes] +=
// a v. The arithmetic intensity grows with times.
func MulAdds[S Value](k *Set, s *[MulAddLanes]float64, x []S, times int, a, b float64) {
	n := len(x) &^ (MulAddLanes - 1)
	switch x := any(x[:n]).(type) {
	case []float64:
		k.mulAdds.float64(hide(s), x, times, a, b)
	case []float32:
		k.mulAdds.mixed(hide(s), x, times, a, b)
	}
	mulAdds(s, x[n:], times, a, b)
}

// MulAdds32 is MulAdds in float32.
func (k *Set) MulAdds32(s *[MulAddLanes32]float32, x []float32, times int, a, b float32) {
	n := len(x) &^ (MulAddLanes32 - 1)
	k.mulAdds.float32(hide(s), x[:n], times, a, b)
	mulAdds32(s, x[n:], times, a, b)
}

// mulAddsKernels are MulAdds with numbers of either type, and MulAdds32, for a number of elements
// that is a multiple of that of the sums.
type mulAddsKernels struct {
	float64 func(s *[MulAddLanes]float64, x []float64, times int, a, b float64)
	mixed   func(s *[MulAddLanes]float64, x []float32, times int, a, b float64)
	float32 func(s *[MulAddLanes32]float32, x []float32, times int, a, b float32)
}

var portableMulAdds = mulAddsKernels{mulAdds[float64], mulAdds[float32], mulAdds32}

func mulAdds[S Value](s *[MulAddLanes]float64, x []S, times int, a, b float64) {
	for i, stored := range x {
		v := float64(stored)
		for range times - 1 {
			v = math.FMA(a, v, b)
		}
		sum := &s[i%MulAddLanes]
		*sum = math.FMA(a, v, *sum)
	}
}

func mulAdds32(s *[MulAddLanes32]float32, x []float32, times int, a, b float32) {
	for i, v := range x {
		for range times - 1 {
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
