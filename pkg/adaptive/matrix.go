package adaptive

import (
	"fmt"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/formats"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Matrix is a sparse matrix in adaptive precision, in one of the Layouts: in
// bucketed CSR, the rows of each format by themselves,
//
//	(A x)_i = 2^exp_i sum over buckets k, sum over j of a_kij x_j,
//
// with 4-byte indices and row offsets, in slots, or in FP64 CSR. It is an operator on host vectors whose
// results have the same bits for any number of threads. Use it from one
// goroutine at a time.
type Matrix struct {
	rows, cols int
	tol        *tolerances
	byTheta    bool // a bucket is stored by theta
	choice     choice
	plain      *linop.CSR  // of the layout CSR
	slots      *slotMatrix // of the layouts with slots
	buckets    []bucket
	stats      Stats
	float32    bool // StorageArithmetic

	pool    *linop.Pool
	panel   []int
	partial []float64
	squares []float64 // the same for ApplyDots' second product, or nil
	job     product
}

var _ linop.Relaxer[[]float64, linop.Float64] = (*Matrix)(nil)

// bucket holds the elements of one format.
type bucket struct {
	codec   formats.Codec
	byTheta bool
	rowPtr  []uint32
	col     []int32
	val     []byte // formats.Padding bytes longer than the values
}

func newMatrix(b *builder, c choice) *Matrix {
	a := &Matrix{
		choice: c,
		rows:   b.m.Rows, cols: b.m.Cols, tol: b.part.tol,
		float32: b.part.spec.StorageArithmetic, pool: b.pool,
		panel: b.panels, partial: make([]float64, len(b.panels)-1),
	}
	for _, q := range b.part.places {
		if q.byTheta {
			a.byTheta = true
		}
	}
	return a
}

// Dims returns the dimensions.
func (a *Matrix) Dims() (rows, cols int) { return a.rows, a.cols }

// Stats says what the matrix is made of.
func (a *Matrix) Stats() Stats { return a.stats }

// Layout says how the matrix lies in memory.
func (a *Matrix) Layout() Layout { return a.choice.layout }

// LayoutText says the layout in words, why it is this one, and the memory that
// products need besides, if any.
func (a *Matrix) LayoutText() string {
	if work := a.stats.Work; work > 0 {
		return fmt.Sprintf("%s, and %d bytes of sums", a.choice, work)
	}
	return a.choice.String()
}

// Bytes returns the memory that the stored matrix takes, indices included.
func (a *Matrix) Bytes() int64 {
	if a.plain != nil {
		return a.stats.Bytes
	}
	n := int64(4*len(a.tol.exp)) + a.slots.size()
	if a.byTheta {
		n += int64(8 * len(a.tol.theta))
	}
	for k := range a.buckets {
		b := &a.buckets[k]
		n += int64(4*len(b.rowPtr) + 4*len(b.col) + len(b.val))
	}
	return n
}

// Tolerance returns theta_i, the absolute error that elements of row i may carry.
func (a *Matrix) Tolerance(i int) float64 {
	if a.plain != nil {
		return 0
	}
	return a.tol.tolerance(i)
}

// Apply computes dst = A src.
func (a *Matrix) Apply(dst, src []float64) {
	if a.plain != nil {
		a.plain.Apply(dst, src)
		return
	}
	a.run(product{dst: dst, src: src})
}

// ApplyDot computes dst = A src and returns dst·w.
func (a *Matrix) ApplyDot(dst, src, w []float64) linop.Float64 {
	if a.plain != nil {
		return a.plain.ApplyDot(dst, src, w)
	}
	a.run(product{dst: dst, src: src, w: w})
	return sum(a.partial)
}

// ApplyDots computes dst = A src and returns dst·w and dst·dst.
func (a *Matrix) ApplyDots(dst, src, w []float64) (dw, dd linop.Float64) {
	if a.plain != nil {
		return a.plain.ApplyDots(dst, src, w)
	}
	if a.squares == nil {
		a.squares = make([]float64, len(a.partial))
	}
	a.run(product{dst: dst, src: src, w: w, squares: a.squares})
	return sum(a.partial), sum(a.squares)
}

// sum adds up partial results in their order.
func sum(partial []float64) linop.Float64 {
	var s float64
	for _, p := range partial {
		s += p
	}
	return linop.Float64(s)
}

// Residual computes r = b - A x.
func (a *Matrix) Residual(r, b, x []float64) {
	if a.plain != nil {
		a.plain.Residual(r, b, x)
		return
	}
	a.run(product{dst: r, src: x, b: b})
}

// Relax computes dst = src + omega w∘(b - A src).
func (a *Matrix) Relax(dst, src, b, w []float64, omega linop.Float64) {
	if a.plain != nil {
		a.plain.Relax(dst, src, b, w, omega)
		return
	}
	a.run(product{dst: dst, src: src, b: b, w: w, omega: omega.Float()})
}

// ApplyPlus computes dst = b + A src.
func (a *Matrix) ApplyPlus(dst, b, src []float64) {
	if a.plain != nil {
		a.plain.ApplyPlus(dst, b, src)
		return
	}
	a.run(product{dst: dst, src: src, plus: b})
}

func (a *Matrix) run(p product) {
	if a.slots != nil && a.slots.mirror != nil {
		a.slots.mirror.run(p.src, a.pool)
	}
	p.a = a
	a.job = p
	a.pool.Run(len(a.partial), &a.job)
	a.job = product{}
}

// product is one product as a parallel job.
type product struct {
	a        *Matrix
	dst, src []float64
	w, b     []float64 // for the inner product and for the residual, or nil; both to relax
	omega    float64
	plus     []float64 // to be added, or nil
	squares  []float64 // for dst·dst, or nil
}

// Do computes the rows of one panel.
func (p *product) Do(panel int) {
	a, lo, hi := p.a, p.a.panel[panel], p.a.panel[panel+1]
	dst := p.dst[lo:hi]
	switch {
	case a.slots == nil:
		clear(dst)
		p.addBuckets(lo, hi)
		a.tol.scale(dst, dst, lo, 0)
	default:
		a.slots.multiply(dst, panel, lo, p.src)
		if !a.slots.normal {
			a.tol.scale(dst, dst, lo, -a.slots.perQExp)
		}
	}
	switch {
	case p.b != nil:
		kernels.Xpay(p.b[lo:hi], -1, dst)
		if p.w != nil {
			kernels.Relax(p.omega, p.w[lo:hi], p.src[lo:hi], dst)
		}
	case p.w != nil:
		a.partial[panel] = kernels.Dot(dst, p.w[lo:hi])
		if p.squares != nil {
			p.squares[panel] = kernels.Dot(dst, dst)
		}
	case p.plus != nil:
		kernels.Axpy(1, p.plus[lo:hi], dst)
	}
}

// addBuckets adds the products with all buckets.
func (p *product) addBuckets(lo, hi int) {
	if p.a.byTheta {
		p.add(lo, hi, true)
		theta := p.a.tol.theta
		for i := lo; i < hi; i++ {
			p.dst[i] *= theta[min(i, len(theta)-1)]
		}
	}
	p.add(lo, hi, false)
}

// add adds the buckets that are, or are not, stored by theta.
func (p *product) add(lo, hi int, byTheta bool) {
	for k := range p.a.buckets {
		b := &p.a.buckets[k]
		switch {
		case b.byTheta != byTheta:
		case p.a.float32 && b.codec.Kind == formats.Head32:
			kernels.AddRows32(p.dst, lo, hi, b.rowPtr, b.col, b.codec.Words(), b.val, p.src)
		default:
			kernels.AddRows(p.dst, lo, hi, b.rowPtr, b.col, b.codec.Words(), b.val, p.src)
		}
	}
}
