package adaptive

import (
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/formats"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// plain is a matrix in FP64 CSR.
type plain struct {
	linop.CSR
	m       *csr.Matrix
	kernels *kernels.Set
}

func (p plain) bytes() int64 { return p.m.Bytes() }

// plain stores the matrix in FP64 CSR.
func (b *builder) plain(c choice) (Matrix, error) {
	p := plain{linop.NewCSR(b.m, b.pool), b.m, b.kernels}
	kernels.Use(p.CSR, b.kernels)
	return &matrix{operator: p, products: p.CSR, tol: b.part.Tol, fp64: c.layout.FP64(), choice: c, stored: p, pool: b.pool, stats: b.plainStats(b.m.Bytes())}, nil
}

// plainStats returns the Stats of a matrix in FP64 of so many bytes.
func (b *builder) plainStats(bytes int64) Stats {
	counts := make([]int, len(b.panels)-1)
	b.pool.RunRanges(b.panels, func(k, lo, hi int) {
		for _, v := range b.m.Val[b.m.RowPtr[lo]:b.m.RowPtr[hi]] {
			if v != 0 {
				counts[k]++
			}
		}
	})
	nnz := 0
	for _, n := range counts {
		nnz += n
	}
	return Stats{Formats: []FormatStats{{formats.MustLookup("FP64"), nnz, bytes}}, NNZ: nnz, Bytes: bytes}
}
