package kernels

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Products with 2, 4 and 8 vectors have the same bits in all sets, those of products with
// each vector; FuzzKernels has them too.
func TestMulti(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	a := &arena{t: t}
	for range 400 {
		multiSlots(a, rng)
		multiSymmetric(a, rng)
		multiCSR[float64](a, rng)
		multiCSR[float32](a, rng)
	}
}

// severally returns 2, 4 or 8 random vectors of n elements.
func severally(rng *rand.Rand, n int) (vectors [][]float64) {
	for range 2 << rng.IntN(3) {
		vectors = append(vectors, normal[float64](rng, n))
	}
	return vectors
}

// interleaved puts vectors element by element side by side.
func interleaved(vectors [][]float64) []float64 {
	k := len(vectors)
	all := make([]float64, k*len(vectors[0]))
	for v, x := range vectors {
		for i, xi := range x {
			all[k*i+v] = xi
		}
	}
	return all
}

// like returns so many vectors of n elements.
func like(xs [][]float64, n int) (vectors [][]float64) {
	for range xs {
		vectors = append(vectors, make([]float64, n))
	}
	return vectors
}

// same demands equal numbers; both may be NaN.
func same(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] && (got[i] == got[i] || want[i] == want[i]) {
			t.Fatalf("%s: number %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

func multiSlots(a *arena, rng *rand.Rand) {
	p := randomPanel(rng, 1+rng.IntN(20), 1+rng.IntN(9), 1+rng.IntN(500))
	if rng.IntN(4) == 0 {
		p = randomPanel(rng, 1+rng.IntN(10), 1+rng.IntN(200), 1+rng.IntN(5000))
	}
	xs := severally(rng, p.cols)
	k, y := len(xs), normal[float64](rng, p.rows)
	what := fmt.Sprintf("%d vectors, blocks of %d", k, p.Block)
	everywhere(a, what, nil, func(s *Set) []float64 {
		units, ys := p.units, like(xs, p.rows)
		units.Exp = put(a, units.Exp)
		for v := range ys {
			copy(ys[v], y)
		}
		dst := put(a, interleaved(ys))
		s.MulSlotsMulti(dst, k, p.put(a), put(a, interleaved(xs)), p.row0, units, p.add)
		for v := range ys {
			s.MulSlots(ys[v], &p.SlotPanel, xs[v], p.row0, p.units, p.add)
		}
		same(a.t, what, dst, interleaved(ys))
		return dst
	})
}

func multiSymmetric(a *arena, rng *rand.Rand) {
	b := 2 + rng.IntN(MaxBlock-1)
	p := randomSymmetric(rng, b, 1+rng.IntN(40), 1+rng.IntN(20))
	blocks := p.Row + p.Rows - p.Sums
	xs := severally(rng, b*(p.Row+p.Rows))
	k := len(xs)
	what := fmt.Sprintf("%d vectors, symmetric, blocks of %d", k, b)
	everywhere(a, what, nil, func(s *Set) []float64 {
		dst := put(a, make([]float64, k*b*blocks))
		s.MulSymmetricMulti(dst, k, p.put(a), put(a, interleaved(xs)), p.SymmetricRange)
		want := like(xs, b*blocks)
		for v, y := range want {
			sums := make([]float64, SumStride(b)*blocks)
			s.MulSymmetric(sums, &p.SlotPanel, xs[v], p.SymmetricRange)
			for i := range y {
				y[i] = sums[i/b*SumStride(b)+i%b]
			}
		}
		same(a.t, what, dst, interleaved(want))
		return dst
	})
}

func multiCSR[T Value](a *arena, rng *rand.Rand) {
	c := randomCSR[T](rng, rowLengths(rng), 1+rng.IntN(300))
	lo := rng.IntN(c.rows())
	hi := lo + 1 + rng.IntN(c.rows()-lo)
	xs := severally(rng, len(c.x))
	k, y := len(xs), normal[float64](rng, c.rows())
	what := fmt.Sprintf("%d vectors, CSR", k)
	everywhere(a, what, nil, func(s *Set) []float64 {
		ys := like(xs, c.rows())
		for v := range ys {
			copy(ys[v], y)
		}
		dst := put(a, interleaved(ys))
		CSRMulMulti(s, dst, k, lo, hi, put(a, c.ptr), put(a, c.col), put(a, c.val), put(a, interleaved(xs)))
		for v := range ys {
			CSRMulVec(s, ys[v], lo, hi, c.ptr, c.col, c.val, xs[v])
		}
		same(a.t, what, dst, interleaved(ys))
		return dst
	})
}
