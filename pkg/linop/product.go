package linop

import (
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Epilogue is what follows the product y = A x of a row, in the same pass over A.
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

	// MulRows sets dst[lo:hi], the rows of a panel, to those of A x. Several goroutines may
	// call it at once.
	MulRows(dst []float64, panel, lo, hi int, x []float64)
}

// Products makes an operator of Rows: it runs the panels on the threads of a pool, and adds
// inner products panel by panel, so that results have the same bits for any number of
// threads. Use it from one goroutine at a time.
type Products struct {
	Reducer Reducer // of inner products; NewProducts sets Local

	rows    Rows
	pool    *parallel.Pool
	kernels *kernels.Set // of what follows the product of a row
	panel   []int        // panel k is the rows panel[k] to panel[k+1]-1
	partial []float64    // for each panel one, two for ApplyDots
	sums    [2]float64
	job     product
	multi   multiProduct
	column  []float64 // of vectors of a group that are multiplied one by one
}

var _ Relaxer[[]float64, Float64] = (*Products)(nil)

// NewProducts returns rows as an operator. Panel k is the rows panel[k] to panel[k+1]-1.
func NewProducts(rows Rows, panel []int, pool *parallel.Pool) *Products {
	return &Products{
		Reducer: Local{}, rows: rows, pool: pool, kernels: kernels.Default(), panel: panel, partial: make([]float64, 2*(len(panel)-1)),
	}
}

// Use makes k the kernels of the epilogues, nil the default ones; rows know their own.
func (a *Products) Use(k *kernels.Set) { a.kernels = k.Or() }

func (a *Products) panels() int { return len(a.panel) - 1 }

// Dims returns the dimensions of the matrix.
func (a *Products) Dims() (rows, cols int) { return a.rows.Dims() }

// Apply computes dst = A src.
func (a *Products) Apply(dst, src []float64) { a.run(product{dst: dst, x: src}) }

// ApplyDot computes dst = A src and returns dst·w.
func (a *Products) ApplyDot(dst, src, w []float64) Float64 {
	a.run(product{epilogue: WithDot, dst: dst, x: src, w: w})
	a.Reducer.Sum(a.sums[:1], a.partial[:a.panels()])
	return Float64(a.sums[0])
}

// ApplyDots computes dst = A src and returns dst·w and dst·dst.
func (a *Products) ApplyDots(dst, src, w []float64) (dw, dd Float64) {
	a.run(product{epilogue: WithDots, dst: dst, x: src, w: w})
	a.Reducer.Sum(a.sums[:], a.partial)
	return Float64(a.sums[0]), Float64(a.sums[1])
}

// Residual computes r = b - A x.
func (a *Products) Residual(r, b, x []float64) {
	a.run(product{epilogue: Residual, dst: r, x: x, b: b})
}

// Relax computes dst = src + omega w∘(b - A src).
func (a *Products) Relax(dst, src, b, w []float64, omega Float64) {
	a.run(product{epilogue: Relax, dst: dst, x: src, b: b, w: w, omega: omega.Float()})
}

// ApplyPlus computes dst = b + A src.
func (a *Products) ApplyPlus(dst, b, src []float64) {
	a.run(product{epilogue: Plus, dst: dst, x: src, b: b})
}

func (a *Products) run(p product) {
	a.rows.Begin(p.x)
	a.job = p
	a.job.Products = a
	a.pool.Run(a.panels(), &a.job)
	a.job = product{}
}

// product is one product as a parallel job; see vectorJob.
type product struct {
	*Products
	epilogue     Epilogue
	dst, x, b, w []float64
	omega        float64
}

// Do computes the rows of one panel.
func (p *product) Do(k int) {
	lo, hi := p.panel[k], p.panel[k+1]
	p.rows.MulRows(p.dst, k, lo, hi, p.x)
	dst := p.dst[lo:hi]
	switch p.epilogue {
	case Residual, Relax:
		p.kernels.Xpay(p.b[lo:hi], -1, dst)
		if p.epilogue == Relax {
			p.kernels.Relax(p.omega, p.w[lo:hi], p.x[lo:hi], dst)
		}
	case Plus:
		p.kernels.Axpy(1, p.b[lo:hi], dst)
	case WithDot:
		p.partial[k] = p.kernels.Dot(dst, p.w[lo:hi])
	case WithDots:
		p.partial[2*k] = p.kernels.Dot(dst, p.w[lo:hi])
		p.partial[2*k+1] = p.kernels.Dot(dst, dst)
	}
}
