package adaptive

import (
	"fmt"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/internal/quantize"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Matrix is a sparse matrix in adaptive precision, in one of the Layouts. It is an operator
// on host vectors whose results have the same bits for any number of threads. Use it from
// one goroutine at a time.
type Matrix struct {
	operator
	products *linop.Products // which operator is
	tol      *quantize.Tolerances
	choice   choice
	stats    Stats
	stored   stored

	panels  []int // of products
	pool    *parallel.Pool
	kernels *kernels.Set
}

// operator is what the products of a Matrix are: those of linop.
type operator interface {
	linop.Relaxer[[]float64, linop.Float64]
	ApplyMulti(dst, src *linop.MultiVector)
	Several(products []linop.Product)
}

var _ linop.MultiOperator = (*Matrix)(nil)

// stored is a matrix in one of the layouts.
type stored interface {
	bytes() int64 // of memory, the units of rows left out
}

// newMatrix returns a matrix whose products go through the panels of b.
func newMatrix[S interface {
	stored
	linop.Rows
}](b *builder, c choice, s S,
) *Matrix {
	products := linop.NewProducts(s, b.panels, b.pool)
	products.Use(b.spec.Kernels)
	return &Matrix{operator: products, products: products, tol: b.part.Tol, choice: c, stored: s, panels: b.panels, pool: b.pool, kernels: b.spec.Kernels}
}

// Products returns the products of the matrix by panels of rows, for an operator that has it as a part.
func (a *Matrix) Products() *linop.Products { return a.products }

// Stats returns the formats, counts and bytes of the matrix.
func (a *Matrix) Stats() Stats { return a.stats }

// Layout returns the layout of the matrix in memory.
func (a *Matrix) Layout() Layout { return a.choice.layout }

// LayoutText describes the layout, why it was chosen, and the memory that products need
// besides, if any.
func (a *Matrix) LayoutText() string {
	if work := a.stats.Work; work > 0 {
		return fmt.Sprintf("%s; %d bytes of partial sums", a.choice, work)
	}
	return a.choice.String()
}

// Bytes returns the memory that the stored matrix takes, indices included.
func (a *Matrix) Bytes() int64 { return a.stats.Scales + a.stored.bytes() }

// Tolerance returns theta_i, the absolute error that elements of row i may carry.
func (a *Matrix) Tolerance(i int) float64 {
	if a.Layout().FP64() {
		return 0
	}
	return a.tol.Tolerance(i)
}
