package kernels

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

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

// severally returns k random vectors of n elements.
func severally(rng *rand.Rand, k, n int) (vectors [][]float64) {
	for range k {
		vectors = append(vectors, normal[float64](rng, n))
	}
	return vectors
}

// All tiers give the same bits, those of products with each vector.
func TestSlotsMulti(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	a, set := &arena{t: t}, Default()
	for n := range 600 {
		k := 2 << (n % 3)
		p := randomPanel(rng, 1+rng.IntN(20), 1+rng.IntN(9), 1+rng.IntN(500))
		if n%4 == 0 {
			p = randomPanel(rng, 1+rng.IntN(10), 1+rng.IntN(200), 1+rng.IntN(5000))
		}
		xs, ys := severally(rng, k, p.cols), severally(rng, k, p.rows)
		x, y := interleaved(xs), interleaved(ys)
		everywhere(a, fmt.Sprintf("%d vectors, blocks of %d", k, p.Block), nil, func(s *Set) []float64 {
			units := p.units
			units.Exp = put(a, units.Exp)
			dst := put(a, y)
			s.MulSlotsMulti(dst, k, p.put(a), put(a, x), p.row0, units, p.add)
			return dst
		})
		for v := range k {
			set.MulSlots(ys[v], &p.SlotPanel, xs[v], p.row0, p.units, p.add)
		}
		set.MulSlotsMulti(y, k, &p.SlotPanel, x, p.row0, p.units, p.add)
		same(t, fmt.Sprintf("%d vectors, blocks of %d", k, p.Block), y, interleaved(ys))
	}
}

func TestSymmetricMulti(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	a, set := &arena{t: t}, Default()
	for n := range 600 {
		k, b := 2<<(n%3), 2+n/3%(MaxBlock-1)
		p := randomSymmetric(rng, b, 1+rng.IntN(40), 1+rng.IntN(20))
		end := p.Row + p.Rows
		xs := severally(rng, k, b*end)
		x, sums := interleaved(xs), make([]float64, k*b*(end-p.Sums))
		everywhere(a, fmt.Sprintf("%d vectors, blocks of %d", k, b), nil, func(s *Set) []float64 {
			dst := put(a, sums)
			s.MulSymmetricMulti(dst, k, p.put(a), put(a, x), p.SymmetricRange)
			return dst
		})
		set.MulSymmetricMulti(sums, k, &p.SlotPanel, x, p.SymmetricRange)
		var want [][]float64
		for v := range k {
			one, y := make([]float64, SumStride(b)*(end-p.Sums)), make([]float64, b*(end-p.Sums))
			set.MulSymmetric(one, &p.SlotPanel, xs[v], p.SymmetricRange)
			for i := range y {
				y[i] = one[i/b*SumStride(b)+i%b]
			}
			want = append(want, y)
		}
		same(t, fmt.Sprintf("%d vectors, blocks of %d", k, b), sums, interleaved(want))
	}
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

func TestCSRMulti(t *testing.T) {
	testCSRMulti[float64](t)
	testCSRMulti[float32](t)
}

func testCSRMulti[T Value](t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	a := &arena{t: t}
	for n := range 120 {
		k := 2 << (n % 3)
		var lengths []int
		for range 1 + rng.IntN(40) {
			lengths = append(lengths, rng.IntN(1+rng.IntN(60)))
		}
		c := randomCSR[T](rng, lengths, 1+rng.IntN(300))
		lo := rng.IntN(c.rows())
		hi := lo + 1 + rng.IntN(c.rows()-lo)
		xs, ys := severally(rng, k, len(c.x)), severally(rng, k, c.rows())
		everywhere(a, fmt.Sprintf("%d vectors", k), nil, func(s *Set) []float64 {
			dst := put(a, interleaved(ys))
			CSRMulMulti(s, dst, k, lo, hi, put(a, c.ptr), put(a, c.col), put(a, c.val), put(a, interleaved(xs)))
			for v := range k {
				want := slices.Clone(ys[v])
				CSRMulVec(s, want, lo, hi, c.ptr, c.col, c.val, xs[v])
				for i := range want {
					if dst[k*i+v] != want[i] {
						t.Fatalf("%s, %d vectors: element %d of vector %d is %v, alone %v", s, k, i, v, dst[k*i+v], want[i])
					}
				}
			}
			return dst
		})
	}
}
