package precond

import (
	"fmt"
	"slices"

	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// multiplicationsOf returns the number of multiplications in a b, an upper bound of
// its nonzeros.
func multiplicationsOf(a, b *csr.Matrix, pool *parallel.Pool) int64 {
	p := whole(b)
	return multiplications(a, &p, pool)
}

// multiplications returns multiplicationsOf for pieces.
func multiplications(a *csr.Matrix, b *pieces, pool *parallel.Pool) (n int64) {
	bounds := csr.Panels(a)
	counts := make([]int64, len(bounds)-1)
	pool.RunRanges(bounds, func(k, lo, hi int) {
		for _, j := range a.Col[a.RowPtr[lo]:a.RowPtr[hi]] {
			counts[k] += int64(b.length(j))
		}
	})
	for _, c := range counts {
		n += c
	}
	return n
}

// nonzerosOfProduct returns the number of nonzeros of the result of productOf, in the memory of a
// few rows.
func nonzerosOfProduct(a, b *csr.Matrix, blocks nodes, pool *parallel.Pool) (int64, error) {
	if err := conform(a, b, blocks); err != nil {
		return 0, err
	}
	return productNNZ(a, whole(b), blocks, pool), nil
}

// productNNZ returns nonzerosOfProduct for matrices that conform.
func productNNZ(a *csr.Matrix, b pieces, blocks nodes, pool *parallel.Pool) (n int64) {
	bounds := csr.Panels(a)
	counts := make([]int64, len(bounds)-1)
	pool.RunRanges(bounds, func(k, lo, hi int) {
		last := make([]int32, blocks.count()) // row in which a block was met last, from 1
		var before []int32
		var row int64 // nonzeros of the row with these columns
		for i := lo; i < hi; i++ {
			cols, _ := a.Row(i)
			if i > lo && slices.Equal(cols, before) {
				counts[k] += row
				continue
			}
			row, before = 0, cols
			for _, j := range cols {
				inner, _ := b.row(j)
				for q := 0; q < len(inner); {
					g, width, whole := blocks.at(inner[q:])
					if last[g] != int32(i+1) {
						last[g] = int32(i + 1)
						row += int64(width)
					}
					if whole {
						q += width
					} else {
						q++
					}
				}
			}
			counts[k] += row
		}
	})
	for _, c := range counts {
		n += c
	}
	return n
}

func conform(a, b *csr.Matrix, blocks nodes) error {
	if a.Cols != b.Rows || b.Cols != len(blocks.Of) {
		return fmt.Errorf("precond: product of a %d x %d and a %d x %d matrix with %d columns in blocks", a.Rows, a.Cols, b.Rows, b.Cols, len(blocks.Of))
	}
	return nil
}

// productOf returns a b by Gustavson's algorithm, row by row, on the threads of
// pool (nil: serially). The entries of a row are added in the order of a's. Columns
// of the result come in whole blocks, with zeros where there is nothing.
func productOf(a, b *csr.Matrix, blocks nodes, pool *parallel.Pool) (*csr.Matrix, error) {
	if err := conform(a, b, blocks); err != nil {
		return nil, err
	}
	ab := multiply(a, whole(b), blocks, inOrder, pool)
	return ab.compact(b.Cols, pool), nil
}
