package csr

import (
	"fmt"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Galerkin returns r a p for r the transpose of p, a matrix of the groups of columns of p, in
// whole blocks as Multiply makes it. Before each of its two products, allow is told how
// many multiplications it takes and how many rows it makes, of so many nonzeros at most; count
// counts these. Its error ends Galerkin.
func Galerkin(
	r, a, p *Matrix, blocks Blocks, pool *parallel.Pool,
	allow func(multiplications int64, rows int, count func() int64) error,
) (*Matrix, error) {
	if err := conform(a, p, blocks); err != nil {
		return nil, err
	}
	if r.Rows != p.Cols || r.Cols != p.Rows || r.NNZ() != p.NNZ() {
		return nil, fmt.Errorf("csr: %d x %d is not the transpose of %d x %d", r.Rows, r.Cols, p.Rows, p.Cols)
	}
	if err := allow(Multiplications(a, p, pool), a.Rows, func() int64 {
		return productNNZ(a, whole(p), blocks, pool)
	}); err != nil {
		return nil, err
	}
	ap := multiply(a, whole(p), blocks, anyOrder, pool)
	var work int64 // each row j of AP is taken once for each entry in row j of P
	for i := range p.Rows {
		cols, _ := ap.row(int32(i))
		work += int64(len(cols)) * (p.RowPtr[i+1] - p.RowPtr[i])
	}
	if err := allow(work, r.Rows, func() int64 { return productNNZ(r, ap, blocks, pool) }); err != nil {
		return nil, err
	}
	c := multiply(r, ap, blocks, inOrder, pool)
	return c.compact(p.Cols, pool), nil
}
