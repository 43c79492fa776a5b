package linop

import (
	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Epilogue is the operation after the product y = A x of a row, in the same pass over A.
type Epilogue uint32

// The epilogues, with the numbers that kernels of devices know them by.
const (
	Plain    Epilogue = 0 // dst = y
	Residual Epilogue = 1 // dst = b - y
	Relax    Epilogue = 2 // dst = x + omega w∘(b - y)
	Plus     Epilogue = 3 // dst = b + y
	WithDot  Epilogue = 4 // dst = y, and dst·w
	WithDots Epilogue = 8 // dst = y, dst·w and dst·dst
)

// Rows is a matrix on the host that is multiplied by ranges of its rows, panels, whose
// bounds are fixed.
type Rows interface {
	Dims() (rows, cols int)

	// Begin prepares the products of all panels with x.
	Begin(x []float64)

	// MulRows sets dst[lo:hi], the rows of a panel, to these rows of A x. Several goroutines may
	// call it at once.
	MulRows(dst []float64, panel, lo, hi int, x []float64)
}

// Products makes an operator of Rows: it runs the panels on the threads of a pool, and adds
// inner products panel by panel, so that results have the same bits for any number of
// threads. Use it from one goroutine at a time.
type Products interface {
	SeveralOperator
	MultiOperator
	Relaxer[[]float64, Float64]
	SetReducer(r Reducer) // of inner products, Local otherwise

	Panels() int                  // the number of panels
	PanelRows(k int) (lo, hi int) // panel k is the rows lo to hi-1
	Begin(src []float64)          // prepares the products of all panels with src; Panel needs it, the other methods do it themselves

	// Panel computes the rows of panel k of a product, for which Begin has been called, and sets sums to dst·w and dst·dst of
	// these rows, as far as p asks for them. Several goroutines may call it at once.
	Panel(p *Product, k int, sums []float64)
}

// products implements Products.
type products struct {
	reducer Reducer

	rows    Rows
	pool    *parallel.Pool
	kernels *kernels.Set // of the epilogues
	panel   []int        // panel k is the rows panel[k] to panel[k+1]-1
	partial []float64    // for each panel one, two for ApplyDots
	sums    [2]float64
	job     panelJob
	multi   multiProduct
	several severalProducts
	columns []float64 // memory for vectors of a group that are multiplied one by one
}

var _ Products = (*products)(nil)

// NewProducts returns rows as an operator. Panel k is the rows panel[k] to panel[k+1]-1.
func NewProducts(rows Rows, panel []int, pool *parallel.Pool) Products {
	return newProducts(rows, panel, pool)
}

func newProducts(rows Rows, panel []int, pool *parallel.Pool) *products {
	return &products{
		reducer: Local, rows: rows, pool: pool, kernels: kernels.Default(), panel: panel, partial: make([]float64, 2*(len(panel)-1)),
	}
}

// Use makes k the kernels of the epilogues, nil the default ones; rows know their own.
func (a *products) Use(k *kernels.Set) { a.kernels = k.Or() }

// SetReducer implements Products.
func (a *products) SetReducer(r Reducer) { a.reducer = r }

// Panels implements Products.
func (a *products) Panels() int { return len(a.panel) - 1 }

// PanelRows implements Products.
func (a *products) PanelRows(k int) (lo, hi int) { return a.panel[k], a.panel[k+1] }

// Begin implements Products.
func (a *products) Begin(src []float64) { a.rows.Begin(src) }

// Dims returns the dimensions of the matrix.
func (a *products) Dims() (rows, cols int) { return a.rows.Dims() }

// Apply computes dst = A src.
func (a *products) Apply(dst, src []float64) { a.run(Product{Dst: dst, Src: src}) }

// ApplyDot computes dst = A src and returns dst·w.
func (a *products) ApplyDot(dst, src, w []float64) Float64 {
	a.run(Product{Epilogue: WithDot, Dst: dst, Src: src, W: w})
	a.reducer.Sum(a.sums[:1], a.partial[:a.Panels()])
	return Float64(a.sums[0])
}

// ApplyDots computes dst = A src and returns dst·w and dst·dst.
func (a *products) ApplyDots(dst, src, w []float64) (dw, dd Float64) {
	a.run(Product{Epilogue: WithDots, Dst: dst, Src: src, W: w})
	a.reducer.Sum(a.sums[:], a.partial)
	return Float64(a.sums[0]), Float64(a.sums[1])
}

// Residual computes r = b - A x.
func (a *products) Residual(r, b, x []float64) {
	a.run(Product{Epilogue: Residual, Dst: r, Src: x, B: b})
}

// Relax computes dst = src + omega w∘(b - A src).
func (a *products) Relax(dst, src, b, w []float64, omega Float64) {
	a.run(Product{Epilogue: Relax, Dst: dst, Src: src, B: b, W: w, Omega: omega.Float(), Old: src})
}

// ApplyPlus computes dst = b + A src.
func (a *products) ApplyPlus(dst, b, src []float64) {
	a.run(Product{Epilogue: Plus, Dst: dst, Src: src, B: b})
}

func (a *products) run(p Product) {
	a.rows.Begin(p.Src)
	a.job.Product, a.job.of = p, a
	a.pool.Run(a.Panels(), &a.job)
	a.job = panelJob{}
}

// Product is one product with its epilogue. Dst, B, W and Old have an element for each row, Src one for
// each column.
type Product struct {
	Epilogue
	Dst, Src, B, W []float64
	Omega          float64
	Old            []float64  // of Relax: the elements of Src that belong to the rows
	Sums           [2]float64 // dst·w and dst·dst as far as the epilogue asks for them; Several sets them
}

// panelJob is a product as a parallel job; see vectorJob.
type panelJob struct {
	Product
	of *products
}

// Do computes the rows of one panel.
func (j *panelJob) Do(k int) {
	sums := j.of.partial[k:]
	if j.Epilogue == WithDots {
		sums = j.of.partial[2*k:]
	}
	j.of.Panel(&j.Product, k, sums)
}

// Panel implements Products.
func (a *products) Panel(p *Product, k int, sums []float64) {
	lo, hi := a.panel[k], a.panel[k+1]
	a.rows.MulRows(p.Dst, k, lo, hi, p.Src)
	a.follow(p, lo, hi, sums)
}

// follow runs the epilogue of a product on the rows lo to hi-1.
func (a *products) follow(p *Product, lo, hi int, sums []float64) {
	dst := p.Dst[lo:hi]
	switch p.Epilogue {
	case Residual, Relax:
		a.kernels.Xpay(p.B[lo:hi], -1, dst)
		if p.Epilogue == Relax {
			a.kernels.Relax(p.Omega, p.W[lo:hi], p.Old[lo:hi], dst)
		}
	case Plus:
		a.kernels.Axpy(1, p.B[lo:hi], dst)
	case WithDot:
		sums[0] = a.kernels.Dot(dst, p.W[lo:hi])
	case WithDots:
		sums[0] = a.kernels.Dot(dst, p.W[lo:hi])
		sums[1] = a.kernels.Dot(dst, dst)
	}
}

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
