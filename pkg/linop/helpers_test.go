package linop_test

import (
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// lengths has every kind of length: none, one, one block and its neighbours,
// the last serial one, and one of many blocks.
var lengths = []int{0, 1, 4095, 4096, 4097, 32*1024 - 1, 32 * 1024, 100000}

// threads are the pool sizes that must give the same bits.
var threads = []int{1, 2, 3, 8}

// Builders shared with other packages.
var (
	random   = testsupport.Random
	sameBits = testsupport.SameBits
)

func newPool(t testing.TB, threads int) *parallel.Pool {
	t.Helper()
	p := parallel.New(threads)
	t.Cleanup(p.Close)
	return p
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
