package precond

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// hostile are matrices of n rows that make some algorithm slow: with rows and columns that
// touch everything, and zeros on the diagonal.
func hostile(tb testing.TB, n int) map[string]*csr.Matrix {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	shifted := make([][3]int, n) // a random permutation with neighbours
	for i, j := range r.Perm(n) {
		shifted[i] = [3]int{j, r.IntN(n), r.IntN(n)}
	}
	return map[string]*csr.Matrix{
		"arrow": testsupport.Entries(n, func(add func(i, j int, v float64)) {
			for i := range n {
				add(i, i, 4)
				if i > 0 {
					add(0, i, -1)
					add(i, 0, -1)
				}
			}
			add(0, 0, float64(n))
		}),
		"dense row and column": testsupport.Entries(n, func(add func(i, j int, v float64)) {
			for i, js := range shifted {
				for k, j := range js {
					add(i, j, 1+float64(k)*r.Float64())
				}
				add(n/3, i, r.NormFloat64())
				add(i, n/2, r.NormFloat64())
			}
		}),
		"saddle point": testsupport.Entries(n, func(add func(i, j int, v float64)) { // [A B^T; B 0], a row of B full
			for i := range n {
				switch {
				case i < 2*n/3:
					add(i, i, 2+r.Float64())
					if i > 0 {
						add(i, i-1, -1)
						add(i-1, i, -1)
					}
				case i == n-1:
					for j := range 2 * n / 3 {
						add(i, j, 1)
						add(j, i, 1)
					}
				default:
					for _, j := range []int{i - 2*n/3, r.IntN(2 * n / 3)} {
						v := r.NormFloat64()
						add(i, j, v)
						add(j, i, v)
					}
				}
			}
		}),
	}
}

// Every kind ends soon after its context does, however long rows and columns are. That takes
// hundredths of a second on a machine that does nothing else; the limit allows for busy ones.
func TestInterruptedSoon(t *testing.T) {
	const late = 3 * time.Second
	n, pool := 1000000, newPool(t, 2)
	if testing.Short() {
		n = 200000
	}
	turn := 0
	for name, m := range hostile(t, n) {
		for _, k := range kinds {
			for i, after := range []time.Duration{50 * time.Millisecond, 500 * time.Millisecond} {
				if turn++; i > 0 && (testing.Short() || turn%4 > 0) {
					continue
				}
				ctx, cancel := context.WithTimeout(t.Context(), after)
				start := time.Now()
				_, err := New(ctx, k, m, Options{Symmetric: name != "dense row and column"}, pool)
				took := time.Since(start)
				cancel()
				if took > after+late {
					t.Errorf("%s of %s: %v after the end of its context, %v", k, name, took-after, err)
				} else if took > after && err == nil {
					t.Logf("%s of %s: succeeds %v after the end of its context", k, name, took-after)
				}
			}
		}
	}
}
