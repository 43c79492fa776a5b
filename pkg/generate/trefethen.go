package generate

import (
	"math"
	"math/bits"

	"github.com/mpsolve/mpsolve/internal/parallel"
)

// primes is Trefethen's matrix: the first n primes on the diagonal and ones
// wherever |i - j| is a power of two. Problem 7 of the Hundred-dollar,
// Hundred-digit Challenge (SIAM News 35(1), 2002) asks for an entry of the
// inverse of the one with n = 20000.
type primes []int

func trefethen() Kind {
	return Kind{
		Name: "trefethen", Symmetric: true,
		Help: "primes on the diagonal, ones at distances 1, 2, 4, 8, ..., symmetric positive definite",
		Use:  "known result: the first entry of the inverse is 0.7250783462684... for n = 20000",
		Params: []Param{
			{Name: "n", Help: "number of rows", Default: 2000, Min: 1, Max: 10_000_000, Whole: true},
		},
		size: func(v values) (rows, nnz int64) {
			n := int64(v.int("n"))
			nnz = n
			for d := int64(1); d < n; d *= 2 {
				nnz += 2 * (n - d)
			}
			return n, nnz
		},
		source: func(_ *parallel.Pool, v values) source { return firstPrimes(v.int("n")) },
	}
}

// firstPrimes sieves the odd numbers below a bound on the n-th prime,
// n (log n + log log n) for n >= 6 (Rosser).
func firstPrimes(n int) primes {
	bound := 14
	if n >= 6 {
		l := math.Log(float64(n))
		bound = int(float64(n)*(l+math.Log(l))) + 2
	}
	composite := make([]bool, bound/2) // of 2k+1
	p := append(make(primes, 0, n), 2)
	for k := 1; len(p) < n; k++ {
		if composite[k] {
			continue
		}
		q := 2*k + 1
		p = append(p, q)
		for j := q * q / 2; j < len(composite); j += q {
			composite[j] = true
		}
	}
	return p
}

// count adds the powers of two up to the distances of either end.
func (p primes) count(row int) int {
	return 1 + bits.Len(uint(row)) + bits.Len(uint(len(p)-1-row))
}

func (p primes) fill(row int, col []int32, val []float64) {
	below := bits.Len(uint(row))
	for k := range col {
		switch {
		case k < below:
			col[k], val[k] = int32(row-1<<(below-1-k)), 1
		case k == below:
			col[k], val[k] = int32(row), float64(p[row])
		default:
			col[k], val[k] = int32(row+1<<(k-below-1)), 1
		}
	}
}
