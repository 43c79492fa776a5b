package linop

import (
	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// CSR is a csr.Matrix as an operator on host vectors, its values in memory of
// float64 or float32. Its panels hold about the same number of bytes and depend on
// the matrix alone.
type CSR interface {
	Products
	// ApplyT computes dst = A^T src. The first call makes a second matrix, A^T, which is kept, so that the product takes as
	// long as Apply and has the same bits for any number of threads.
	ApplyT(dst, src []float64)

	// AccurateResidual computes the rows of panel k of r = b - A x as Accurate does. Several goroutines may call it at once.
	AccurateResidual(k int, r, b, x []float64)

	residual(r, b, x []float64)
}

// csrOperator implements CSR.
type csrOperator struct {
	products
	rows     csrRows
	accurate accurateResidual

	transpose  func() CSR
	transposed CSR // nil: not asked for yet
}

// NewCSR returns m as an operator on the threads of pool; m is not copied.
func NewCSR(m *csr.Matrix, pool *parallel.Pool) CSR {
	a := newCSR(m, &csrValues[float64]{Matrix: m, val: m.Val, kernels: kernels.Default()}, pool)
	a.transpose = func() CSR { return NewCSR(m.Transpose(pool), pool) }
	return a
}

// NewCSRRows is NewCSR of the rows of m that the panels have: panel k is the rows panel[k] to panel[k+1]-1. Products leave the
// other rows alone.
func NewCSRRows(m *csr.Matrix, panel []int, pool *parallel.Pool) CSR {
	rows := &csrValues[float64]{Matrix: m, val: m.Val, kernels: kernels.Default()}
	return &csrOperator{products: *newProducts(rows, panel, pool), rows: rows}
}

// NewCSR32 is NewCSR with the values rounded to float32, which takes 8 bytes a
// nonzero instead of 12; arithmetic is in float64 as before. The structure of m
// is not copied. A value beyond the range of float32 becomes infinite, one
// below it zero.
func NewCSR32(m *csr.Matrix, pool *parallel.Pool) CSR {
	val := make([]float32, len(m.Val))
	for k, v := range m.Val {
		val[k] = float32(v)
	}
	a := newCSR(m, &csrValues[float32]{Matrix: m, val: val, kernels: kernels.Default()}, pool)
	a.transpose = func() CSR { return NewCSR32(m.Transpose(pool), pool) }
	return a
}

func newCSR(m *csr.Matrix, rows csrRows, pool *parallel.Pool) *csrOperator {
	return &csrOperator{products: *newProducts(rows, csr.Panels(m), pool), rows: rows}
}

// Use makes k the kernels of the products, nil the default ones.
func (a *csrOperator) Use(k *kernels.Set) {
	a.products.Use(k)
	a.rows.use(k.Or())
	if a.transposed != nil {
		kernels.Use(a.transposed, k)
	}
}

// ApplyT implements CSR.
func (a *csrOperator) ApplyT(dst, src []float64) {
	if a.transposed == nil {
		a.transposed = a.transpose()
		kernels.Use(a.transposed, a.kernels)
	}
	a.transposed.Apply(dst, src)
}

// csrRows multiplies with rows of a matrix by kernels.
type csrRows interface {
	Rows
	residual(r, b []float64, lo, hi int, x []float64) // in double-double
	use(k *kernels.Set)
}

type csrValues[T kernels.Value] struct {
	unprepared
	*csr.Matrix
	val     []T
	kernels *kernels.Set
}

func (v *csrValues[T]) use(k *kernels.Set) { v.kernels = k }

func (v *csrValues[T]) MulRows(dst []float64, _, lo, hi int, src []float64) {
	kernels.CSRMulVec(v.kernels, dst, lo, hi, v.RowPtr, v.Col, v.val, src)
}

// shortRow is the mean number of elements of a row below which interleaving vectors takes more time than reading x at random
// indices.
const shortRow = 6

// Together implements RowsMulti.
func (v *csrValues[T]) Together(k int, interleaved bool) bool {
	return interleaved || k > 2 && len(v.Col) >= shortRow*v.Rows
}

// MulRowsMulti implements RowsMulti.
func (v *csrValues[T]) MulRowsMulti(dst []float64, k, _, lo, hi int, src []float64) {
	kernels.CSRMulMulti(v.kernels, dst, k, 0, hi-lo, v.RowPtr[lo:], v.Col, v.val, src)
}

func (v *csrValues[T]) residual(r, b []float64, lo, hi int, x []float64) {
	kernels.CSRResidualDD(v.kernels, r, b, lo, hi, v.RowPtr, v.Col, v.val, x)
}

// Accurate is a CSR whose Residual accumulates in double-double, for iterative
// refinement: r is right to working precision however much b - A x cancels. It
// costs several products.
type Accurate struct{ CSR }

// Residual computes r = b - A x, rounded once per element.
func (a Accurate) Residual(r, b, x []float64) { a.residual(r, b, x) }

func (a *csrOperator) residual(r, b, x []float64) {
	a.accurate = accurateResidual{a, r, b, x}
	a.pool.Run(a.Panels(), &a.accurate)
	a.accurate = accurateResidual{}
}

// AccurateResidual implements CSR.
func (a *csrOperator) AccurateResidual(k int, r, b, x []float64) {
	a.rows.residual(r, b, a.panel[k], a.panel[k+1], x)
}

// accurateResidual is the residual of Accurate as a parallel job.
type accurateResidual struct {
	a       *csrOperator
	r, b, x []float64
}

// Do computes the rows of one panel.
func (j *accurateResidual) Do(k int) {
	j.a.AccurateResidual(k, j.r, j.b, j.x)
}

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
