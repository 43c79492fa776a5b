package gpu

import (
	"fmt"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// NewDense copies a dense n x n matrix to a device, row after row in a, in FP64 CSR: a product takes about as long as
// one without columns, since matrices of some hundred rows stay in the caches of a device and keep it busy for
// less than a launch takes.
func NewDense(d *Device, n int, a []float64) (Matrix, error) {
	if len(a) != n*n {
		return nil, fmt.Errorf("gpu: a dense matrix of %d rows and %d numbers", n, len(a))
	}
	m := &csr.Matrix{Rows: n, Cols: n, RowPtr: make([]int64, n+1), Col: make([]int32, n*n), Val: a}
	for i := range n {
		m.RowPtr[i+1] = int64((i + 1) * n)
	}
	for k := range m.Col {
		m.Col[k] = int32(k % n)
	}
	return NewCSR(d, m)
}
