package kernels

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/dd"
)

// floatKernels are the kernels of FP32, and of streams of numbers.
type floatKernels struct {
	dot32    dot32Kernel[float32]
	dotMixed dot32Kernel[float64]
	mulAdds  mulAddsKernels
	fold     foldKernel
}

var portableFloats = floatKernels{
	dot32:    addProducts[float32],
	dotMixed: addProducts[float64],
	mulAdds:  portableMulAdds,
	fold:     fold,
}

// mixedKernels are kernels on float64 and float32 vectors, like the methods of the same names for a length that is a
// multiple of group.
type mixedKernels struct {
	stepInto  func(a float64, p, x, q, r []float64, w, f []float32) float64
	xpayMixed func(w, x []float32, a float64, y []float64)
}

// StepInto computes x += a p, r -= a q and f = w∘r, and returns r·r: Step and the right-hand side of a preconditioner
// that works in float32. r is rounded to float32 before the multiplication.
func (k *Set) StepInto(a float64, p, x, q, r []float64, w, f []float32) float64 {
	n := grouped(len(p))
	s := k.mixed.stepInto(a, p[:n], x[:n], q[:n], r[:n], w[:n], f[:n])
	axpy(a, p[n:], x[n:])
	axpy(-a, q[n:], r[n:])
	MulMixed(w[n:], r[n:], f[n:])
	return s + dotRest(r[n:], r[n:])
}

func stepInto(a float64, p, x, q, r []float64, w, f []float32) float64 {
	s := step(a, p, x, q, r)
	MulMixed(w, r, f)
	return s
}

// MulMixed computes f = w∘r, elementwise, with r rounded to float32 first.
func MulMixed(w []float32, r []float64, f []float32) {
	r, f = r[:len(w)], f[:len(w)]
	for i, v := range w {
		f[i] = v * float32(r[i])
	}
}

// XpayMixed computes y = w∘x + a y, elementwise; the product w∘x is exact.
func (k *Set) XpayMixed(w, x []float32, a float64, y []float64) {
	n := grouped(len(y))
	k.mixed.xpayMixed(w[:n], x[:n], a, y[:n])
	xpayMixed(w[n:], x[n:], a, y[n:])
}

func xpayMixed(w, x []float32, a float64, y []float64) {
	w, x = w[:len(y)], x[:len(y)]
	for i, v := range y {
		y[i] = float64(w[i])*float64(x[i]) + float64(a*v)
	}
}

// Narrow is a type of numbers that float64 represents exactly in more bits.
type Narrow interface{ float32 | int16 }

// packedKernels are DotNarrow and AxpyNarrow for a length that is a multiple of group.
type packedKernels struct {
	dotFloats  func(v []float32, w []float64) float64
	dotShorts  func(v []int16, w []float64) float64
	axpyFloats func(a float64, v []float32, w []float64)
	axpyShorts func(a float64, v []int16, w []float64)

	dotFloats4  func(v0, v1, v2, v3 []float32, w []float64, h *[4]float64)
	axpyFloats4 func(a0, a1, a2, a3 float64, v0, v1, v2, v3 []float32, w []float64)
}

var portablePacked = packedKernels{
	dotNarrow[float32], dotNarrow[int16], axpyNarrow[float32], axpyNarrow[int16], dotFloats4, axpyFloats4,
}

func dotFloats4(v0, v1, v2, v3 []float32, w []float64, h *[4]float64) {
	for r, v := range [4][]float32{v0, v1, v2, v3} {
		h[r] = dotNarrow(v, w)
	}
}

func axpyFloats4(a0, a1, a2, a3 float64, v0, v1, v2, v3 []float32, w []float64) {
	for r, v := range [4][]float32{v0, v1, v2, v3} {
		axpyNarrow([4]float64{a0, a1, a2, a3}[r], v, w)
	}
}

// DotNarrow returns v·w in float64 arithmetic, with the sums of Dot.
func DotNarrow[T Narrow](k *Set, v []T, w []float64) float64 {
	n := grouped(len(v))
	var s float64
	switch head := any(v[:n]).(type) {
	case []float32:
		s = k.packed.dotFloats(head, w[:n])
	case []int16:
		s = k.packed.dotShorts(head, w[:n])
	}
	rest := 0.0
	for i, x := range v[n:] {
		rest += float64(float64(x) * w[n+i])
	}
	return s + rest
}

// AxpyNarrow computes w += a v in float64 arithmetic.
func AxpyNarrow[T Narrow](k *Set, a float64, v []T, w []float64) {
	n := grouped(len(v))
	switch head := any(v[:n]).(type) {
	case []float32:
		k.packed.axpyFloats(a, head, w[:n])
	case []int16:
		k.packed.axpyShorts(a, head, w[:n])
	}
	axpyNarrow(a, v[n:], w[n:])
}

func dotNarrow[T Narrow](v []T, w []float64) float64 {
	var s [group]float64
	for ; len(v) >= group; v, w = v[group:], w[group:] {
		for k := range s {
			s[k] += float64(float64(v[k]) * w[k])
		}
	}
	for half := group / 2; half > 0; half /= 2 {
		for k := range half {
			s[k] += s[k+half]
		}
	}
	return s[0]
}

func axpyNarrow[T Narrow](a float64, v []T, w []float64) {
	w = w[:len(v)]
	for i, x := range v {
		w[i] += float64(a * float64(x))
	}
}

// lanes32 is the number of accumulators of an inner product of float32 vectors: product number k goes to accumulator
// k mod lanes32.
const lanes32 = 32

// Dot32 returns x·y in float32 arithmetic. The accumulators are added by halves, as in Dot; y has the length of x.
func (k *Set) Dot32(x, y []float32) float32 {
	var s [lanes32]float32
	n := len(x) &^ (lanes32 - 1)
	if n > 0 {
		k.dot32(hide(&s), x[:n], y[:n])
	}
	addProducts(&s, x[n:], y[n:])
	return sumByHalves(&s)
}

// DotMixed returns x·y in float64 arithmetic, in which the products are exact, added in the order of Dot32.
func (k *Set) DotMixed(x, y []float32) float64 {
	var s [lanes32]float64
	n := len(x) &^ (lanes32 - 1)
	if n > 0 {
		k.dotMixed(hide(&s), x[:n], y[:n])
	}
	addProducts(&s, x[n:], y[n:])
	return sumByHalves(&s)
}

// dot32Kernel is addProducts for a positive multiple of lanes32 elements.
type dot32Kernel[A Value] = func(s *[lanes32]A, x, y []float32)

// addProducts adds x[k] y[k] to s[k mod lanes32] in the arithmetic of s.
func addProducts[A Value](s *[lanes32]A, x, y []float32) {
	for len(x) >= lanes32 && len(y) >= lanes32 {
		a, b := (*[lanes32]float32)(x), (*[lanes32]float32)(y)
		for k := range s {
			s[k] += A(A(a[k]) * A(b[k]))
		}
		x, y = x[lanes32:], y[lanes32:]
	}
	y = y[:len(x)]
	for k, v := range x {
		s[k] += A(A(v) * A(y[k]))
	}
}

func sumByHalves[A Value](s *[lanes32]A) A {
	for h := lanes32 / 2; h > 0; h /= 2 {
		for k := range h {
			s[k] += s[k+h]
		}
	}
	return s[0]
}

// The numbers of sums of MulAdds and MulAdds32, 256 bytes each.
const (
	MulAddLanes   = 32
	MulAddLanes32 = 64
)

// MulAdds computes times >= 1 fused multiply-adds with every element of x, in float64: starting from v = x[i], v = a
// v + b is repeated times-1 times, then s[i mod MulAddLanes] += a v. The arithmetic intensity grows with times.
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

// mulAddsKernels are MulAdds with numbers of either type, and MulAdds32, for a number of elements that is a multiple
// of the number of sums.
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

// fma32 returns a b + c rounded once. The product is exact in float64; the sum is rounded to odd, so that the
// rounding to float32 is correct.
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

// foldLine is the number of elements in a cache line.
const foldLine = 8

// StreamLength returns the number of elements, in whole cache lines, of each of the streams that Fold reads from a
// slice of n elements.
func StreamLength(n, streams int) int { return n / streams / foldLine * foldLine }

// Fold returns the exclusive or of the bits of all elements of 1 to 4 contiguous streams that x is divided into. It
// reads a cache line of each in turn. This is the cheapest use of every element: its speed is the speed of reading
// memory.
func (k *Set) Fold(x []float64, streams int) uint64 {
	return k.fold(x, StreamLength(len(x), streams), streams)
}

// foldKernel folds n elements of each stream.
type foldKernel func(x []float64, n, streams int) uint64

func fold(x []float64, n, streams int) uint64 {
	var f0, f1, f2, f3 uint64
	for i := 0; i < n; i += foldLine {
		for s := range streams {
			v := x[s*n+i : s*n+i+foldLine : s*n+i+foldLine]
			f0 ^= math.Float64bits(v[0]) ^ math.Float64bits(v[4])
			f1 ^= math.Float64bits(v[1]) ^ math.Float64bits(v[5])
			f2 ^= math.Float64bits(v[2]) ^ math.Float64bits(v[6])
			f3 ^= math.Float64bits(v[3]) ^ math.Float64bits(v[7])
		}
	}
	return f0 ^ f1 ^ f2 ^ f3
}
