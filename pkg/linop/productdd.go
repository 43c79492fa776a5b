package linop

import (
	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/parallel"
)

// RowsDD is Rows for double-double vectors: a matrix of float64 or of stored formats that is multiplied by panels of its rows.
type RowsDD interface {
	Dims() (rows, cols int)

	// MulRowsDD sets dst[lo:hi], the rows of a panel, to these rows of A x. Several goroutines may
	// call it at once.
	MulRowsDD(dst dd.Vec, panel, lo, hi int, x dd.Vec)
}

// productsDD implements Operator by RowsDD.
type productsDD struct {
	rows    RowsDD
	pool    *parallel.Pool
	kernels *kernels.Set // of the epilogues
	panel   []int
	partial []dd.DD // for each panel two
	job     panelJobDD
}

var _ Operator[dd.Vec, dd.DD] = (*productsDD)(nil)

// NewProductsDD returns rows as an operator on double-double vectors, as NewProducts does for float64. Panel k is the rows panel[k] to
// panel[k+1]-1. Inner products are added panel by panel, so that results have the same bits for any number of threads. Use the
// operator from one goroutine at a time.
func NewProductsDD(rows RowsDD, panel []int, pool *parallel.Pool) Operator[dd.Vec, dd.DD] {
	return newProductsDD(rows, panel, pool)
}

func newProductsDD(rows RowsDD, panel []int, pool *parallel.Pool) *productsDD {
	return &productsDD{rows: rows, pool: pool, kernels: kernels.Default(), panel: panel, partial: make([]dd.DD, 2*(len(panel)-1))}
}

// Use makes k the kernels of the epilogues, nil the default ones; rows know their own.
func (a *productsDD) Use(k *kernels.Set) { a.kernels = k.Or() }

// Dims returns the dimensions of the matrix.
func (a *productsDD) Dims() (rows, cols int) { return a.rows.Dims() }

// Apply computes dst = A src.
func (a *productsDD) Apply(dst, src dd.Vec) { a.run(panelJobDD{dst: dst, src: src}) }

// ApplyDot computes dst = A src and returns dst·w.
func (a *productsDD) ApplyDot(dst, src, w dd.Vec) dd.DD {
	a.run(panelJobDD{epilogue: WithDot, dst: dst, src: src, w: w})
	return a.sum(0)
}

// ApplyDots computes dst = A src and returns dst·w and dst·dst.
func (a *productsDD) ApplyDots(dst, src, w dd.Vec) (dw, d2 dd.DD) {
	a.run(panelJobDD{epilogue: WithDots, dst: dst, src: src, w: w})
	return a.sum(0), a.sum(1)
}

// Residual computes r = b - A x.
func (a *productsDD) Residual(r, b, x dd.Vec) {
	a.run(panelJobDD{epilogue: Residual, dst: r, src: x, w: b})
}

// sum adds the partial results number k of all panels.
func (a *productsDD) sum(k int) (s dd.DD) {
	for ; k < len(a.partial); k += 2 {
		s = s.Add(a.partial[k])
	}
	return s
}

func (a *productsDD) run(j panelJobDD) {
	a.job = j
	a.job.of = a
	a.pool.Run(len(a.panel)-1, &a.job)
	a.job = panelJobDD{}
}

// panelJobDD is a product, with what follows it, as a parallel job.
type panelJobDD struct {
	epilogue    Epilogue
	dst, src, w dd.Vec
	of          *productsDD
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
