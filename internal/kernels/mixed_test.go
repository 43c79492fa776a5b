package kernels

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// The kernels on float64 and float32 vectors compute what their comments say, with the same bits in every set, also
// for special numbers.
func TestMixedSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.NaN(), 0x1p-1074, 0x1p-140, math.MaxFloat64}
	a := &arena{t: t}
	for n := range 4*group + 4 {
		v, w := vectors(rng, n, 4), normal[float32](rng, n)
		if n%4 == 3 {
			for range 5 {
				v[rng.IntN(4)][rng.IntN(n)] = special[rng.IntN(len(special))]
				w[rng.IntN(n)] = float32(special[rng.IntN(len(special))])
			}
		}
		everywhere(a, fmt.Sprintf("StepInto of %d elements", n), nil, func(k *Set) []float64 {
			p, x, q, r := put(a, v[0]), put(a, v[1]), put(a, v[2]), put(a, v[3])
			w, f := put(a, w), put(a, make([]float32, n))
			rr := k.StepInto(-0.3, p, x, q, r, w, f)
			wantX, wantR, want := slices.Clone(v[1]), slices.Clone(v[3]), 0.0
			if want = k.Step(-0.3, v[0], wantX, v[2], wantR); rr != want && want == want || !sameNumbers(x, wantX) || !sameNumbers(r, wantR) {
				t.Errorf("StepInto of %d elements is not Step", n)
			}
			for i := range f {
				if want := w[i] * float32(r[i]); f[i] != want && want == want {
					t.Errorf("StepInto: f[%d] = %v, want %v", i, f[i], want)
				}
			}
			return slices.Concat(x, r, wide(f), []float64{rr})
		})
		everywhere(a, fmt.Sprintf("XpayMixed of %d elements", n), nil, func(k *Set) []float64 {
			w, x, y := put(a, w), put(a, w), put(a, v[0])
			k.XpayMixed(w, x, 0.7, y)
			for i := range y {
				if want := float64(w[i])*float64(x[i]) + float64(0.7*v[0][i]); y[i] != want && want == want {
					t.Errorf("XpayMixed: y[%d] = %v, want %v", i, y[i], want)
				}
			}
			return y
		})
	}
}

// sameNumbers is slices.Equal, except that NaN equals NaN.
func sameNumbers(x, y []float64) bool {
	return slices.EqualFunc(x, y, func(a, b float64) bool { return a == b || a != a && b != b })
}

// inOrder returns the inner product as the comment of Dot32 defines it.
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

// All sets give the bits of the sums in order.
func TestDot32(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	a := &arena{t: t}
	for _, n := range []int{0, 1, 7, 31, 32, 33, 63, 64, 100, 1000, 1024} {
		x, y := normal[float32](rng, n), normal[float32](rng, n)
		want, mixed := inOrder[float32](x, y), inOrder[float64](x, y)
		everywhere(a, fmt.Sprintf("products of %d elements", n), nil, func(k *Set) []float64 {
			x, y := put(a, x), put(a, y)
			got := []float64{float64(k.Dot32(x, y)), k.DotMixed(x, y)}
			if got[0] != float64(want) || got[1] != mixed {
				t.Fatalf("Dot32 and DotMixed of %d on %s: %v, want %v, %v", n, k, got, want, mixed)
			}
			return got
		})
	}
}

// ELLMulVec has the bits of a product row by row, for any range of rows.
func TestELLMulVec(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	a := &arena{t: t}
	for _, rows := range []int{1, 15, 16, 17, 40, 64} {
		for _, width := range []int{0, 1, 5} {
			testELL[float64, float64](a, rng, rows, width)
			testELL[float32, float64](a, rng, rows, width)
			testELL[float32, float32](a, rng, rows, width)
		}
	}
}

func testELL[S, A Value](a *arena, rng *rand.Rand, rows, width int) {
	a.t.Helper()
	const cols = 50
	stride := rows + rng.IntN(3)
	col, val, x := make([]int32, width*stride), normal[S](rng, width*stride), normal[S](rng, cols)
	for i := range col {
		col[i] = int32(rng.IntN(cols))
	}
	lo := rng.IntN(rows)
	want := make([]S, rows)
	for i := lo; i < rows; i++ {
		var s A
		for k := range width {
			s += A(A(val[k*stride+i]) * A(x[col[k*stride+i]]))
		}
		want[i] = S(s)
	}
	name := fmt.Sprintf("%T in %T, %d rows from %d of %d elements", *new(S), *new(A), rows, lo, width)
	everywhere(a, name, nil, func(k *Set) []float64 {
		dst := put(a, make([]S, rows))
		ELLMulVec[S, A](k, dst, lo, rows, ELL[S]{Width: width, Stride: stride, Col: put(a, col), Val: put(a, val)}, put(a, x))
		if !slices.Equal(dst, want) {
			a.t.Fatalf("%s on %s: %v, want %v", name, k, dst, want)
		}
		return wide(dst)
	})
}

// All sets give the bits of single fused multiply-adds, one after the other.
func TestMulAdds(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	a := &arena{t: t}
	for _, n := range []int{0, 1, 31, 32, 64, 127, 128, 129, 256, 300, 1024} {
		for _, times := range []int{1, 2, 3, 16} {
			x, y := normal[float64](rng, n), normal[float32](rng, n)
			want, mixed, want32 := mulAddsInTurn(x, times, 1, 2), mulAddsInTurn(wide(y), times, 0, 0), mulAdds32InTurn(y, times, 3, 4)
			everywhere(a, fmt.Sprintf("%d multiply-adds with %d elements", times, n), nil, func(k *Set) []float64 {
				var s, m [MulAddLanes]float64
				var s32 [MulAddLanes32]float32
				s[0], s[31], s32[0], s32[63] = 1, 2, 3, 4
				x, y := put(a, x), put(a, y)
				MulAdds(k, &s, x, times, 0.75, 0.3)
				MulAdds(k, &m, y, times, 0.75, 0.3)
				k.MulAdds32(&s32, y, times, 0.75, 0.3)
				if s != want || m != mixed || s32 != want32 {
					t.Fatalf("%d elements, %d times, on %s: %v, %v, %v, want %v, %v, %v", n, times, k, s, m, s32, want, mixed, want32)
				}
				return nil
			})
		}
	}
}

func mulAddsInTurn(x []float64, times int, first, last float64) (s [MulAddLanes]float64) {
	s[0], s[31] = first, last
	for i, v := range x {
		for range times - 1 {
			v = math.FMA(0.75, v, 0.3)
		}
		s[i%32] = math.FMA(0.75, v, s[i%32])
	}
	return s
}

func mulAdds32InTurn(x []float32, times int, first, last float32) (s [MulAddLanes32]float32) {
	s[0], s[63] = first, last
	for i, v := range x {
		for range times - 1 {
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

// Sums next to the midpoint of two float32 are the hard cases.
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

// packedCase compares all sets with each other, and with Dot and Axpy of the same numbers in float64.
func packedCase[T Narrow](a *arena, v []T, factor float64, w []float64) {
	everywhere(a, fmt.Sprintf("%T of %d elements", v, len(v)), nil, func(k *Set) []float64 {
		y, long := put(a, w), wide(v)
		s := DotNarrow(k, put(a, v), y)
		if want := k.Dot(long, w); s != want && want == want {
			a.t.Errorf("DotNarrow of %T is %v, in float64 it is %v", v, s, want)
		}
		AxpyNarrow(k, factor, put(a, v), y)
		want := slices.Clone(w)
		if k.Axpy(factor, long, want); !sameNumbers(y, want) {
			a.t.Errorf("AxpyNarrow of %T differs from Axpy", v)
		}
		return append(y, s)
	})
}

func BenchmarkDotNarrow(b *testing.B) {
	const n = 1 << 24
	w := make([]float64, n)
	k := Default()
	run := func(name string, bytes int64, dot func()) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(n * bytes)
			for b.Loop() {
				dot()
			}
		})
	}
	long, single, short := make([]float64, n), make([]float32, n), make([]int16, n)
	w = w[:4096]
	blocks := func(do func(lo, hi int)) func() {
		return func() {
			for lo := 0; lo < n; lo += len(w) {
				do(lo, lo+len(w))
			}
		}
	}
	run("float64", 8, blocks(func(lo, hi int) { k.Dot(long[lo:hi], w) }))
	run("float32", 4, blocks(func(lo, hi int) { DotNarrow(k, single[lo:hi], w) }))
	run("int16", 2, blocks(func(lo, hi int) { DotNarrow(k, short[lo:hi], w) }))
	run("axpy float64", 8, blocks(func(lo, hi int) { k.Axpy(0.5, long[lo:hi], w) }))
	run("axpy float32", 4, blocks(func(lo, hi int) { AxpyNarrow(k, 0.5, single[lo:hi], w) }))
	run("axpy int16", 2, blocks(func(lo, hi int) { AxpyNarrow(k, 0.5, short[lo:hi], w) }))
}
