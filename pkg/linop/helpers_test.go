package linop

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// lengths has every kind of length: none, one, one block and its neighbours,
// the last serial one, and one of many blocks.
var lengths = []int{0, 1, 4095, 4096, 4097, serialBelow - 1, serialBelow, 100000}

// threads are the pool sizes that must give the same bits.
var threads = []int{1, 2, 3, 8}

func newPool(t *testing.T, threads int) *parallel.Pool {
	t.Helper()
	p := parallel.New(threads)
	t.Cleanup(p.Close)
	return p
}

func random(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

func clone(x []float64) []float64 { return append([]float64(nil), x...) }

// near accepts the rounding errors of a sum of n products whose magnitudes add
// up to size.
func near(got, want, size float64, n int) bool {
	return math.Abs(got-want) <= 0x1p-53*float64(n+4)*size
}

// naiveDot is x·y and the sum of the magnitudes of its terms.
func naiveDot(x, y []float64) (dot, size float64) {
	for i := range x {
		dot += x[i] * y[i]
		size += math.Abs(x[i] * y[i])
	}
	return dot, size
}

func sameBits(x, y []float64) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if math.Float64bits(x[i]) != math.Float64bits(y[i]) {
			return false
		}
	}
	return true
}

// rowsOf makes a square matrix whose row i has about count(i) entries at random
// places.
func rowsOf(rng *rand.Rand, n int, count func(i int) int) *csr.Matrix {
	m := &csr.Matrix{Rows: n, Cols: n, RowPtr: make([]int64, n+1)}
	for i := range n {
		c := min(count(i), n)
		for k := range c { // one in each of c stretches of columns
			lo, hi := k*n/c, (k+1)*n/c
			m.Col = append(m.Col, int32(lo+rng.IntN(hi-lo)))
			m.Val = append(m.Val, rng.NormFloat64())
		}
		m.RowPtr[i+1] = int64(len(m.Col))
	}
	return m
}
