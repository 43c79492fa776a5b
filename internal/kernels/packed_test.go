package kernels

import (
	"fmt"
	"slices"
	"testing"
)

// packedCase compares all sets, and these with Dot and Axpy of the same numbers in float64.
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
