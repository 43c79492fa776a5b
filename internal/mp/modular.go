package mp

import (
	"context"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// primes are the moduli of Singular.
var primes = [...]uint64{1<<31 - 1, 1<<31 - 99}

// Singular reports whether the sum of the parts, a square matrix, is exactly singular, by Gaussian elimination modulo primes. A matrix
// that is nonsingular modulo one prime is nonsingular. One that is singular modulo both is singular unless both divide its determinant,
// which chance does for one matrix in 2^62. It takes 8 n^2 bytes. The error is that of the context.
func Singular(ctx context.Context, pool *parallel.Pool, parts ...*csr.Matrix) (bool, error) {
	for _, p := range primes {
		if singular, err := singularModulo(ctx, pool, p, parts); !singular || err != nil {
			return false, err
		}
	}
	return true, nil
}

// singularModulo reports whether the sum of the parts is singular modulo p < 2^32.
func singularModulo(ctx context.Context, pool *parallel.Pool, p uint64, parts []*csr.Matrix) (bool, error) {
	rows := make([][]uint64, parts[0].Rows) // times 2^1074
	for i := range rows {
		rows[i] = make([]uint64, len(rows))
		for _, part := range parts {
			cols, vals := part.Row(i)
			for k, j := range cols {
				m, e, neg := split(vals[k])
				if m = m % p * power(2, uint64(e+1074), p) % p; neg {
					m = p - m
				}
				rows[i][j] = (rows[i][j] + m) % p
			}
		}
	}
	for j := range rows {
		k := j
		for k < len(rows) && rows[k][j] == 0 {
			k++
		}
		if k == len(rows) || ctx.Err() != nil {
			return true, ctx.Err()
		}
		rows[j], rows[k] = rows[k], rows[j]
		pivot, inverse := rows[j], power(rows[j][j], p-2, p)
		pool.RunRanges(blocks(pool, len(rows)-j-1), func(_, lo, hi int) {
			for _, row := range rows[j+1+lo : j+1+hi] {
				if row[j] == 0 {
					continue
				}
				minus := p - row[j]*inverse%p
				for l := j + 1; l < len(row); l++ {
					row[l] = (row[l] + minus*pivot[l]) % p
				}
			}
		})
	}
	return false, nil
}

// power returns a^e modulo p.
func power(a, e, p uint64) uint64 {
	r := uint64(1)
	for ; e > 0; e >>= 1 {
		if e&1 != 0 {
			r = r * a % p
		}
		a = a * a % p
	}
	return r
}
