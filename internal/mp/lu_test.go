package mp

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// randomMatrix returns a matrix whose elements are nonzero with a probability.
func randomMatrix(rng *rand.Rand, n int, density float64) *csr.Matrix {
	m := &csr.Matrix{Rows: n, Cols: n, RowPtr: make([]int64, n+1)}
	for i := range n {
		for j := range n {
			if i == j || rng.Float64() < density {
				m.Col, m.Val = append(m.Col, int32(j)), append(m.Val, rng.NormFloat64()/4)
			}
		}
		m.RowPtr[i+1] = int64(len(m.Col))
	}
	return m
}

// LU factors solve random systems, dense and sparse, to the bits of the factors.
func TestLU(t *testing.T) {
	for seed := range uint64(24) {
		rng := rand.New(rand.NewPCG(seed, 5))
		n := 1 + rng.IntN(60)
		bits := []int{106, 212, 424, 848, MaxBits}[seed%5]
		m := randomMatrix(rng, n, []float64{1, 0.5, 3 / float64(n)}[seed%3])
		s := csr.NoScaling(m)
		for i := range n {
			s.Row[i], s.Col[i] = rng.IntN(3)-1, -rng.IntN(2)
		}
		var x [2]*Vec
		b := New(n, bits)
		for k, threads := range []int{1, 3} {
			pool := parallel.New(threads)
			f, err := FactorLU(t.Context(), pool, bits, s, func(int) {}, m)
			if f == nil || err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for i := range n {
				b.Set(i, big.NewFloat(float64(i)-0.3))
			}
			x[k] = f.Solve(b)
			pool.Close()
		}
		pool := parallel.New(1)
		y := New(n, bits)
		NewScaledMatrix(pool, s, m).MulVec(y, x[0])
		worst, size := 0.0, 0.0
		for i := range n {
			if x[0].At(i).Cmp(x[1].At(i)) != 0 {
				t.Fatalf("seed %d: x[%d] depends on the number of threads", seed, i)
			}
			d, _ := new(big.Float).SetMantExp(new(big.Float).Sub(y.At(i), b.At(i)), bits).Float64()
			e, _ := x[0].At(i).Float64()
			worst, size = max(worst, math.Abs(d)), max(size, math.Abs(e))
		}
		pool.Close()
		if worst > 64*float64(n)*size {
			t.Errorf("seed %d, n = %d, %d bits: residual %.1e 2^-bits ||x||, %g", seed, n, bits, worst/size, size)
		}
	}
}
