package mp

import (
	"context"
	"math/bits"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// primes are the moduli of Singular.
var primes = [...]uint64{1<<62 - 57, 1<<61 - 31}

// Singular reports whether the sum of the parts, a square matrix, is exactly singular, by Gaussian elimination modulo primes. A matrix
// that is nonsingular modulo one prime is nonsingular. One that is singular modulo both is singular unless both divide its determinant,
// which chance does for one matrix in 2^100. It takes 8 n^2 bytes. The error is that of the context.
func Singular(ctx context.Context, pool *parallel.Pool, parts ...*csr.Matrix) (bool, error) {
	for _, p := range primes {
		if singular, err := newPrime(p).singular(ctx, pool, parts); !singular || err != nil {
			return false, err
		}
	}
	return true, nil
}

// prime is a p < 2^63. A number v stands for v 2^-64 mod p, so that a product takes no division ([Montgomery85]).
type prime struct{ p, inverse uint64 } // p inverse = 1 mod 2^64

func newPrime(p uint64) prime {
	inverse := p // right to 3 bits; each step doubles them
	for range 5 {
		inverse *= 2 - p*inverse
	}
	return prime{p, inverse}
}

func (f prime) times(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	less, _ := bits.Mul64(low*f.inverse, f.p)
	if high < less {
		return high - less + f.p
	}
	return high - less
}

func (f prime) minus(a, b uint64) uint64 {
	if a < b {
		return a - b + f.p
	}
	return a - b
}

// inverted returns 1/a = a^(p-2).
func (f prime) inverted(a uint64) uint64 {
	_, r := bits.Div64(1, 0, f.p) // 1
	for e := f.p - 2; e > 0; e >>= 1 {
		if e&1 != 0 {
			r = f.times(r, a)
		}
		a = f.times(a, a)
	}
	return r
}

// elements returns the rows of the sum of the parts, times a power of two.
func (f prime) elements(parts []*csr.Matrix) [][]uint64 {
	var powers [2 * 1074]uint64
	powers[0] = 1
	for k := range powers[1:] {
		powers[k+1] = f.minus(powers[k], f.p-powers[k])
	}
	rows := make([][]uint64, parts[0].Rows)
	for i := range rows {
		rows[i] = make([]uint64, len(rows))
		for _, part := range parts {
			cols, vals := part.Row(i)
			for k, j := range cols {
				m, e, neg := split(vals[k])
				if m = f.times(m, powers[e+1074]); !neg && m > 0 {
					m = f.p - m
				}
				rows[i][j] = f.minus(rows[i][j], m)
			}
		}
	}
	return rows
}

// singular reports whether the sum of the parts is singular modulo p.
func (f prime) singular(ctx context.Context, pool *parallel.Pool, parts []*csr.Matrix) (bool, error) {
	rows := f.elements(parts)
	for j := range rows {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		k := j
		for k < len(rows) && rows[k][j] == 0 {
			k++
		}
		if k == len(rows) {
			return true, nil
		}
		rows[j], rows[k] = rows[k], rows[j]
		pivot, inverse := rows[j], f.inverted(rows[j][j])
		pool.RunRanges(blocks(len(rows)-j-1), func(_, lo, hi int) {
			for _, row := range rows[j+1+lo : j+1+hi] {
				if row[j] == 0 {
					continue
				}
				q := f.times(row[j], inverse)
				for l := j + 1; l < len(row); l++ {
					row[l] = f.minus(row[l], f.times(q, pivot[l]))
				}
			}
		})
	}
	return false, nil
}
