//go:build linux

package kernels

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/internal/guard"
)

// eachTier runs a test on every tier that the processor has, portable Go first.
func eachTier(t *testing.T, test func(t *testing.T)) {
	for tier := Portable; tier <= processor; tier++ {
		t.Run(tier.String(), func(t *testing.T) {
			setActive(t, tier)
			test(t)
		})
	}
}

func setActive(t testing.TB, tier Tier) {
	before := active
	active = tier
	t.Cleanup(func() { active = before })
}

// fenced returns n normal numbers that end at a protected page.
func fenced[T Value](t *testing.T, rng *rand.Rand, n int) []T {
	x := guard.Slice[T](t, n)
	for i := range x {
		x[i] = T(rng.NormFloat64())
	}
	return x
}

// inOrder is the inner product as the comment of Dot32 tells it.
func inOrder[A Value](x, y []float32) A {
	var s [32]A
	for k := range x {
		s[k%32] += A(A(x[k]) * A(y[k]))
	}
	for _, h := range []int{16, 8, 4, 2, 1} {
		for k := range h {
			s[k] += s[k+h]
		}
	}
	return s[0]
}

func TestDot32(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(31, 32))
		for _, n := range []int{0, 1, 7, 31, 32, 33, 63, 64, 100, 1000, 1024} {
			x, y := fenced[float32](t, rng, n), fenced[float32](t, rng, n)
			if got, want := Dot32(x, y), inOrder[float32](x, y); got != want {
				t.Errorf("Dot32 of %d: %v, want %v", n, got, want)
			}
			if got, want := DotMixed(x, y), inOrder[float64](x, y); got != want {
				t.Errorf("DotMixed of %d: %v, want %v", n, got, want)
			}
		}
	})
}

// ELLMulVec has the bits of a product row by row, whatever the range of rows.
func TestELLMulVec(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(33, 34))
		for _, rows := range []int{1, 15, 16, 17, 40, 64} {
			for _, width := range []int{0, 1, 5} {
				testELL[float64, float64](t, rng, rows, width)
				testELL[float32, float64](t, rng, rows, width)
				testELL[float32, float32](t, rng, rows, width)
			}
		}
	})
}

func testELL[S, A Value](t *testing.T, rng *rand.Rand, rows, width int) {
	t.Helper()
	const cols = 50
	stride := rows + rng.IntN(3)
	m := ELL[S]{Width: width, Stride: stride, Col: guard.Slice[int32](t, width*stride), Val: fenced[S](t, rng, width*stride)}
	for i := range m.Col {
		m.Col[i] = int32(rng.IntN(cols))
	}
	x, dst := fenced[S](t, rng, cols), guard.Slice[S](t, rows)
	lo := rng.IntN(rows)
	ELLMulVec[S, A](dst, lo, rows, m, x)
	for i := range rows {
		var s A
		for k := range width {
			if i >= lo {
				s += A(A(m.Val[k*stride+i]) * A(x[m.Col[k*stride+i]]))
			}
		}
		if dst[i] != S(s) {
			t.Errorf("%T in %T, %d rows from %d of %d elements: row %d is %v, want %v", dst[i], s, rows, lo, width, i, dst[i], S(s))
		}
	}
}

// Every tier has the bits of one fused multiply-add after the other.
func TestMulAdds(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(35, 36))
		for _, n := range []int{0, 1, 31, 32, 64, 127, 128, 129, 256, 300, 1024} {
			for _, k := range []int{1, 2, 3, 16} {
				x, y := fenced[float64](t, rng, n), fenced[float32](t, rng, n)
				wide := make([]float64, n)
				for i := range wide {
					wide[i] = float64(y[i])
				}
				var s, mixed [MulAddLanes]float64
				var s32 [MulAddLanes32]float32
				s[0], s[31], s32[0], s32[63] = 1, 2, 3, 4
				MulAdds(&s, x, k, 0.75, 0.3)
				MulAdds(&mixed, y, k, 0.75, 0.3)
				MulAdds32(&s32, y, k, 0.75, 0.3)
				if want := mulAdds(x, k, 1, 2); s != want {
					t.Errorf("%d float64, k = %d: %v, want %v", n, k, s, want)
				}
				if want := mulAdds(wide, k, 0, 0); mixed != want {
					t.Errorf("%d float32 as float64, k = %d: %v, want %v", n, k, mixed, want)
				}
				if want := mulAdds32(y, k, 3, 4); s32 != want {
					t.Errorf("%d float32, k = %d: %v, want %v", n, k, s32, want)
				}
			}
		}
	})
}

func mulAdds(x []float64, k int, first, last float64) (s [MulAddLanes]float64) {
	s[0], s[31] = first, last
	for i, v := range x {
		for range k - 1 {
			v = math.FMA(0.75, v, 0.3)
		}
		s[i%32] = math.FMA(0.75, v, s[i%32])
	}
	return s
}

func mulAdds32(x []float32, k int, first, last float32) (s [MulAddLanes32]float32) {
	s[0], s[63] = first, last
	for i, v := range x {
		for range k - 1 {
			v = bigFMA(0.75, v, 0.3)
		}
		s[i%64] = bigFMA(0.75, v, s[i%64])
	}
	return s
}

// bigFMA rounds the exact a b + c once.
func bigFMA(a, b, c float32) float32 {
	exact := new(big.Float).SetPrec(600).SetFloat64(float64(a))
	exact.Mul(exact, big.NewFloat(float64(b))).Add(exact, big.NewFloat(float64(c)))
	f, _ := exact.Float32()
	return f
}

// Sums that lie next to the middle between two float32 are the hard ones.
func TestFMA32(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 38))
	for range 20000 {
		a := float32(1+rng.IntN(1<<12)) / (1 << 12)
		b := float32(1+rng.IntN(1<<12)) * float32(math.Ldexp(1, -rng.IntN(80)))
		c := float32(rng.IntN(1<<24)-1<<23) * 0x1p-10
		if got, want := fma32(a, b, c), bigFMA(a, b, c); got != want {
			t.Fatalf("%g %g + %g = %g, want %g", a, b, c, got, want)
		}
	}
	for _, c := range [][4]float32{
		{1, 0x1p-60, 1 + 0x1p-23, 1 + 0x1p-23},
		{1 + 0x1p-12, 1 - 0x1p-12, 0x1p-24, 1},
	} {
		if got := fma32(c[0], c[1], c[2]); got != c[3] {
			t.Errorf("%g %g + %g = %g, want %g", c[0], c[1], c[2], got, c[3])
		}
	}
}

func BenchmarkAccessor(b *testing.B) {
	for _, n := range []int{1 << 11, 1 << 26} {
		x, y := make([]float32, n), make([]float32, n)
		for i := range x {
			x[i], y[i] = 1, 2
		}
		for tier := Portable; tier <= processor; tier++ {
			for name, dot := range map[string]func(){
				"Dot32": func() { Dot32(x, y) }, "DotMixed": func() { DotMixed(x, y) },
				"MulAdds":   func() { MulAdds(new([MulAddLanes]float64), x, 4, 0.75, 0.3) },
				"MulAdds32": func() { MulAdds32(new([MulAddLanes32]float32), x, 4, 0.75, 0.3) },
			} {
				b.Run(fmt.Sprintf("%s/%d/%s", name, n, tier), func(b *testing.B) {
					setActive(b, tier)
					b.SetBytes(int64(8 * n))
					for b.Loop() {
						dot()
					}
				})
			}
		}
	}
}
