package linop

import (
	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/parallel"
)

// RowsDD is Rows for double-double vectors: a matrix of float64, or of what a format stores, that is
// multiplied by panels of its rows.
type RowsDD interface {
	Dims() (rows, cols int)

	// MulRowsDD sets dst[lo:hi], the rows of a panel, to those of A x. Several goroutines may
	// call it at once.
	MulRowsDD(dst dd.Vec, panel, lo, hi int, x dd.Vec)
}

// ProductsDD makes an operator on double-double vectors of RowsDD, as Products does for float64: inner
// products are added panel by panel, so that results have the same bits for any number of threads. Use it from one goroutine at
// a time.
type ProductsDD struct {
	rows    RowsDD
	pool    *parallel.Pool
	kernels *kernels.Set // of what follows the product of a row
	panel   []int
	partial []dd.DD // for each panel two
	job     panelJobDD
}

var _ Operator[dd.Vec, dd.DD] = (*ProductsDD)(nil)

// NewProductsDD returns rows as an operator. Panel k is the rows panel[k] to panel[k+1]-1.
func NewProductsDD(rows RowsDD, panel []int, pool *parallel.Pool) *ProductsDD {
	return &ProductsDD{rows: rows, pool: pool, kernels: kernels.Default(), panel: panel, partial: make([]dd.DD, 2*(len(panel)-1))}
}

// Use makes k the kernels of what follows products, nil the default ones; rows know their own.
func (a *ProductsDD) Use(k *kernels.Set) { a.kernels = k.Or() }

// Dims returns the dimensions of the matrix.
func (a *ProductsDD) Dims() (rows, cols int) { return a.rows.Dims() }

// Apply computes dst = A src.
func (a *ProductsDD) Apply(dst, src dd.Vec) { a.run(panelJobDD{dst: dst, src: src}) }

// ApplyDot computes dst = A src and returns dst·w.
func (a *ProductsDD) ApplyDot(dst, src, w dd.Vec) dd.DD {
	a.run(panelJobDD{epilogue: WithDot, dst: dst, src: src, w: w})
	return a.sum(0)
}

// ApplyDots computes dst = A src and returns dst·w and dst·dst.
func (a *ProductsDD) ApplyDots(dst, src, w dd.Vec) (dw, d2 dd.DD) {
	a.run(panelJobDD{epilogue: WithDots, dst: dst, src: src, w: w})
	return a.sum(0), a.sum(1)
}

// Residual computes r = b - A x.
func (a *ProductsDD) Residual(r, b, x dd.Vec) {
	a.run(panelJobDD{epilogue: Residual, dst: r, src: x, w: b})
}

// sum adds the partial results number k of all panels.
func (a *ProductsDD) sum(k int) (s dd.DD) {
	for ; k < len(a.partial); k += 2 {
		s = s.Add(a.partial[k])
	}
	return s
}

func (a *ProductsDD) run(j panelJobDD) {
	a.job = j
	a.job.of = a
	a.pool.Run(len(a.panel)-1, &a.job)
	a.job = panelJobDD{}
}

// panelJobDD is a product, with what follows it, as a parallel job.
type panelJobDD struct {
	epilogue    Epilogue
	dst, src, w dd.Vec
	of          *ProductsDD
}

// Do computes the rows of one panel.
func (j *panelJobDD) Do(k int) {
	a := j.of
	lo, hi := a.panel[k], a.panel[k+1]
	a.rows.MulRowsDD(j.dst, k, lo, hi, j.src)
	dst := j.dst.Slice(lo, hi)
	switch j.epilogue {
	case Residual:
		a.kernels.XpayDD(j.w.Slice(lo, hi), dd.From(-1), dst)
	case WithDots:
		a.partial[2*k+1] = a.kernels.DotDD(dst, dst)
		fallthrough
	case WithDot:
		a.partial[2*k] = a.kernels.DotDD(dst, j.w.Slice(lo, hi))
	}
}
