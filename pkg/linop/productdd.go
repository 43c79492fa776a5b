package linop

import (
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/dd"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// RowsDD is Rows for double-double vectors: a matrix of float64, or of what a format stores, that is
// multiplied by panels of its rows.
type RowsDD interface {
	Dims() (rows, cols int)

	// MulRowsDD sets dst[lo:hi], the rows of a panel, to those of A x. Several goroutines may
	// call it at once.
	MulRowsDD(dst dd.Vec, panel, lo, hi int, x dd.Vec)
}

// ProductsDD makes an operator on double-double vectors of RowsDD, as Products does for float64. Use it from
// one goroutine at a time.
type ProductsDD struct {
	rows  RowsDD
	space *HostDD // of the rows
	pool  *parallel.Pool
	panel []int
}

var _ Operator[dd.Vec, dd.DD] = (*ProductsDD)(nil)

// NewProductsDD returns rows as an operator. Panel k is the rows panel[k] to panel[k+1]-1.
func NewProductsDD(rows RowsDD, panel []int, pool *parallel.Pool) *ProductsDD {
	n, _ := rows.Dims()
	return &ProductsDD{rows: rows, space: NewHostDD(n, pool), pool: pool, panel: panel}
}

// Dims returns the dimensions of the matrix.
func (a *ProductsDD) Dims() (rows, cols int) { return a.rows.Dims() }

// Apply computes dst = A src.
func (a *ProductsDD) Apply(dst, src dd.Vec) {
	a.pool.Run(len(a.panel)-1, parallel.Func(func(k int) {
		a.rows.MulRowsDD(dst, k, a.panel[k], a.panel[k+1], src)
	}))
}

// ApplyDot computes dst = A src and returns dst·w.
func (a *ProductsDD) ApplyDot(dst, src, w dd.Vec) dd.DD {
	a.Apply(dst, src)
	return a.space.Dot(dst, w)
}

// ApplyDots computes dst = A src and returns dst·w and dst·dst.
func (a *ProductsDD) ApplyDots(dst, src, w dd.Vec) (dw, d2 dd.DD) {
	a.Apply(dst, src)
	return a.space.Dot(dst, w), a.space.Dot(dst, dst)
}

// Residual computes r = b - A x.
func (a *ProductsDD) Residual(r, b, x dd.Vec) {
	a.Apply(r, x)
	a.space.Xpay(b, dd.From(-1), r)
}

// CSRDD is a csr.Matrix as an operator on double-double vectors.
type CSRDD struct {
	ProductsDD
	m          *csr.Matrix
	transposed *CSRDD // nil: not asked for yet
}

var _ Transposer[dd.Vec, dd.DD] = (*CSRDD)(nil)

// NewCSRDD returns m as an operator on the threads of pool; m is not copied.
func NewCSRDD(m *csr.Matrix, pool *parallel.Pool) *CSRDD {
	return &CSRDD{ProductsDD: *NewProductsDD(csrRowsDD{m}, csr.Panels(m), pool), m: m}
}

// ApplyT computes dst = A^T src. The first call makes A^T, which is kept.
func (a *CSRDD) ApplyT(dst, src dd.Vec) {
	if a.transposed == nil {
		a.transposed = NewCSRDD(a.m.Transpose(a.pool), a.pool)
	}
	a.transposed.Apply(dst, src)
}

type csrRowsDD struct{ *csr.Matrix }

func (m csrRowsDD) MulRowsDD(dst dd.Vec, _, lo, hi int, x dd.Vec) {
	for i := lo; i < hi; i++ {
		cols, vals := m.Row(i)
		var s dd.DD
		for k, j := range cols {
			s = s.Add(dd.From(vals[k]).Mul(x.At(int(j))))
		}
		dst.Set(i, s)
	}
}
