package mp

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

func TestPrimes(t *testing.T) {
	for _, p := range primes {
		if !new(big.Int).SetUint64(p).ProbablyPrime(20) || p >= 1<<32 {
			t.Errorf("%d", p)
		}
		for a := uint64(1); a < 1000; a++ {
			if a*power(a, p-2, p)%p != 1 {
				t.Fatalf("%d times its inverse modulo %d is not 1", a, p)
			}
		}
	}
}

// Singular agrees with determinants of integers, also where a prime divides them, and with parts and scales.
func TestSingular(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	check := func(name string, want bool, parts ...*csr.Matrix) {
		t.Helper()
		if got, err := Singular(t.Context(), pool, parts...); got != want || err != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	square := func(vals ...float64) *csr.Matrix {
		return &csr.Matrix{Rows: 2, Cols: 2, RowPtr: []int64{0, 2, 4}, Col: []int32{0, 1, 0, 1}, Val: vals}
	}
	check("regular", false, square(1, 2, 3, 4))
	check("singular", true, square(1, 2, 3, 6))
	check("far apart", false, square(1e300, 1, 1, 1e-310))
	check("negative", true, square(-0.1, 0.1, 5e-324, -5e-324))
	check("divisible by the first prime", false, square(1<<31, 1, 1, 1))
	check("parts", false, square(1, 2, 3, 6), square(0, 0, 0, 1e-300))
	check("parts that cancel", true, square(1, 2, 3, 7), square(0, 0, 0, -1))
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 8))
		n := 3 + rng.IntN(20)
		m := randomMatrix(rng, n, 1)
		for j := range n { // the last row is a combination of the others but for a unit
			sum := 0.0
			for i := range n - 1 {
				m.Val[i*n+j] = float64(int(8 * m.Val[i*n+j]))
				sum += m.Val[i*n+j]
			}
			m.Val[(n-1)*n+j] = sum
		}
		m.Val[0]++
		m.Val[(n-1)*n]++
		check("combination", true, m)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Singular(ctx, pool, square(1, 2, 3, 4)); err == nil {
		t.Error("not interrupted")
	}
}
