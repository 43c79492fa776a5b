package linop

import (
	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// CSRDD is a csr.Matrix as an operator on double-double vectors.
type CSRDD interface {
	Transposer[dd.Vec, dd.DD]

	// Renormalise makes products renormalise sums at each addition, as DD-AVX does: slower, and no more accurate. It is not for
	// a matrix with low parts.
	Renormalise(each bool)
}

// csrOperatorDD implements CSRDD.
type csrOperatorDD struct {
	productsDD
	rows       *csrRowsDD
	transposed *csrOperatorDD // nil: not asked for yet
}

var _ CSRDD = (*csrOperatorDD)(nil)

// NewCSRDD returns the matrix m + low of double-double numbers as an operator on the threads of pool; low has the structure of m, or is
// nil for zero. Nothing is copied. The error of an element of a product is at most (n+2)² u² (|A| |x|)_i for a row of n elements,
// u = 2^-53, if nothing over- or underflows.
func NewCSRDD(m, low *csr.Matrix, pool *parallel.Pool) CSRDD {
	return newCSRDD(m, low, pool)
}

func newCSRDD(m, low *csr.Matrix, pool *parallel.Pool) *csrOperatorDD {
	rows := &csrRowsDD{m: m, low: low, kernels: kernels.Default(), values: kernels.DDValues{Val: m.Val}}
	if low != nil {
		rows.values.Low = low.Val
	}
	return &csrOperatorDD{productsDD: *newProductsDD(rows, csr.Panels(m), pool), rows: rows}
}

// Use makes k the kernels of the products, nil the default ones.
func (a *csrOperatorDD) Use(k *kernels.Set) {
	a.productsDD.Use(k)
	a.rows.kernels = k.Or()
	if a.transposed != nil {
		a.transposed.Use(k)
	}
}

// Renormalise implements CSRDD.
func (a *csrOperatorDD) Renormalise(each bool) { a.rows.values.Normal = each }

// ApplyT computes dst = A^T src. The first call makes a second matrix, A^T, which is kept.
func (a *csrOperatorDD) ApplyT(dst, src dd.Vec) {
	if a.transposed == nil {
		var low *csr.Matrix
		if a.rows.low != nil {
			low = a.rows.low.Transpose(a.pool)
		}
		a.transposed = newCSRDD(a.rows.m.Transpose(a.pool), low, a.pool)
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
