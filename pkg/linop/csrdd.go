package linop

import (
	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// CSRDD is a csr.Matrix as an operator on double-double vectors. The error of an element of a product is at
// most (n+2)² u² (|A| |x|)_i for a row of n elements, u = 2^-53, if nothing over- or underflows.
type CSRDD struct {
	ProductsDD
	rows       *csrRowsDD
	transposed *CSRDD // nil: not asked for yet
}

var _ Transposer[dd.Vec, dd.DD] = (*CSRDD)(nil)

// NewCSRDD returns m as an operator on the threads of pool; m is not copied.
func NewCSRDD(m *csr.Matrix, pool *parallel.Pool) *CSRDD { return NewCSRDDLow(m, nil, pool) }

// NewCSRDDLow is NewCSRDD of a matrix of double-double numbers m + low, where low has the structure of
// m; nil: nothing. Nothing is copied.
func NewCSRDDLow(m, low *csr.Matrix, pool *parallel.Pool) *CSRDD {
	rows := &csrRowsDD{m: m, low: low, kernels: kernels.Default(), values: kernels.DDValues{Val: m.Val}}
	if low != nil {
		rows.values.Low = low.Val
	}
	return &CSRDD{ProductsDD: *NewProductsDD(rows, csr.Panels(m), pool), rows: rows}
}

// Use makes k the kernels of the products, nil the default ones.
func (a *CSRDD) Use(k *kernels.Set) {
	a.ProductsDD.Use(k)
	a.rows.kernels = k.Or()
	if a.transposed != nil {
		a.transposed.Use(k)
	}
}

// Renormalise makes products renormalise sums at each addition, as DD-AVX does: slower, and no more accurate. Not
// for a matrix with low parts.
func (a *CSRDD) Renormalise(each bool) { a.rows.values.Normal = each }

// ApplyT computes dst = A^T src. The first call makes a second matrix, A^T, which is kept, so that the
// product takes as long as Apply and has the same bits for any number of threads.
func (a *CSRDD) ApplyT(dst, src dd.Vec) {
	if a.transposed == nil {
		var low *csr.Matrix
		if a.rows.low != nil {
			low = a.rows.low.Transpose(a.pool)
		}
		a.transposed = NewCSRDDLow(a.rows.m.Transpose(a.pool), low, a.pool)
		a.transposed.Use(a.kernels)
		a.transposed.rows.values.Normal = a.rows.values.Normal
	}
	a.transposed.Apply(dst, src)
}

type csrRowsDD struct {
	m, low  *csr.Matrix
	values  kernels.DDValues
	kernels *kernels.Set
}

func (r *csrRowsDD) Dims() (rows, cols int) { return r.m.Dims() }

func (r *csrRowsDD) MulRowsDD(dst dd.Vec, _, lo, hi int, x dd.Vec) {
	r.kernels.CSRMulVecDD(dst, lo, hi, r.m.RowPtr, r.m.Col, r.values, x)
}
