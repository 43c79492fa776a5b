package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// testCOO adds a product to dst on all sets: what CSR has for each row, its rows without elements left out.
func testCOO(a *arena, rng *rand.Rand, lengths []int, cols int) {
	a.t.Helper()
	c := randomCSR[float64](rng, lengths, cols)
	m := COO{Col: c.col, Val: c.val}
	for i, n := range lengths {
		for range n {
			m.Row = append(m.Row, int32(i))
		}
	}
	before := numbers[float64](rng, len(lengths))
	name := fmt.Sprintf("COO of %d rows, %d elements", len(lengths), len(m.Row))
	everywhere(a, name, nil, func(k *Set) []float64 {
		dst, sums, x := put(a, before), put(a, make([]float64, len(lengths))), put(a, c.x)
		k.COOAddVec(dst, COO{put(a, m.Row), put(a, m.Col), put(a, m.Val)}, x)
		CSRMulVec(k, sums, 0, c.rows(), put(a, c.ptr), put(a, c.col), put(a, c.val), x)
		for i, v := range dst {
			want := before[i]
			if lengths[i] > 0 {
				want += sums[i]
			}
			if v != want && !(math.IsNaN(v) && math.IsNaN(want)) {
				a.t.Fatalf("%s on %s: row %d is %v, want %v", name, k, i, v, want)
			}
		}
		return dst
	})
}

// Rows of every length up to several times the lanes, empty ones among them, and a single long row.
func TestCOO(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	a := &arena{t: t}
	for length := range 20 {
		for _, rows := range []int{1, 2, 7, 27} {
			lengths := make([]int, rows)
			for i := range lengths {
				lengths[i] = length
				if i%2 > 0 {
					lengths[i] = rng.IntN(length + 1)
				}
			}
			testCOO(a, rng, lengths, 1+rng.IntN(300))
		}
	}
	testCOO(a, rng, []int{0, 0, 10000, 0, 1, 0}, 1000)
}

// Infinities beyond a row do not reach its sum.
func TestCOOMask(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Set) {
		inf := math.Inf(1)
		dst := make([]float64, 3)
		m := COO{[]int32{0, 1, 1, 2, 2, 2, 2}, []int32{0, 1, 1, 0, 0, 0, 0}, []float64{1, 2, 3, 4, 5, 6, 7}}
		k.COOAddVec(dst, m, []float64{1, inf})
		if dst[0] != 1 || dst[1] != inf || dst[2] != 22 {
			t.Errorf("%v, want 1, +Inf, 22", dst)
		}
	})
}
