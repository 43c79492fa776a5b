//go:build !purego && (amd64 || arm64)

package kernels

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The sums have the same bits for every walk, and the elements after a row, whose x may be anything, do not matter.
func TestCSRWalks(t *testing.T) {
	if len(Sets()) == 1 {
		t.Skip("portable kernels only")
	}
	t.Run("float64", testCSRWalks[float64])
	t.Run("float32", testCSRWalks[float32])
}

func testCSRWalks[T Value](t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for round := range 600 {
		lengths := make([]int, 1+rng.IntN(90))
		for i := range lengths {
			lengths[i] = rng.IntN(20)
			if round%2 == 0 && rng.IntN(10) > 0 { // mostly alike
				lengths[i] = round / 2 % 20
			}
		}
		c := randomCSR[T](rng, lengths, 1+rng.IntN(100))
		for _, special := range []float64{math.Inf(1), math.NaN(), math.Copysign(0, -1)} {
			if rng.IntN(3) == 0 {
				c.x[rng.IntN(len(c.x))] = special
			}
		}
		lo := rng.IntN(c.rows())
		hi := lo + 1 + rng.IntN(c.rows()-lo)
		want := make([]float64, c.rows())
		csrMulVec(want, lo, hi, c.ptr, c.col, c.val, c.x)
		for _, w := range []csrWalk{{1, 1, 0}, {640, 1, 0}, {256, 2, 0}, {1, 1, 1 << 30}} {
			got := make([]float64, c.rows())
			csrQuad[T](w)(got, lo, hi, c.ptr, c.col, c.val, c.x)
			for i := range want {
				if math.Float64bits(got[i]) != math.Float64bits(want[i]) && !(math.IsNaN(got[i]) && math.IsNaN(want[i])) {
					t.Fatalf("%+v, row %d of %d to %d: %v, portable %v", w, i, lo, hi, got[i], want[i])
				}
			}
		}
	}
}
