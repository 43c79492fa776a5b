package linop

import (
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// CSR is a csr.Matrix as an operator on host vectors, its values in memory of
// float64 or float32. Its products run on the threads of a pool over panels of
// rows that hold about the same number of bytes. The panels depend on the
// matrix alone, and the inner product of ApplyDot is added panel by panel, so
// results have the same bits for any number of threads. Use a CSR from one
// goroutine at a time.
type CSR struct {
	Reducer Reducer // of inner products; NewCSR sets Local

	m       *csr.Matrix
	rows    csrRows
	pool    *Pool
	panel   []int     // panel k is the rows panel[k] to panel[k+1]-1
	partial []float64 // for each panel one, two for ApplyDots
	sums    [2]float64
	job     csrJob
}

var _ Relaxer[[]float64, Float64] = (*CSR)(nil)

// NewCSR returns m as an operator on the threads of pool; m is not copied.
func NewCSR(m *csr.Matrix, pool *Pool) *CSR {
	return newCSR(m, csrValues[float64]{m.RowPtr, m.Col, m.Val}, pool)
}

// NewCSR32 is NewCSR with the values rounded to float32, which takes 8 bytes a
// nonzero instead of 12; arithmetic is in float64 as before. The structure of m
// is not copied. A value beyond the range of float32 becomes infinite, one
// below it zero.
func NewCSR32(m *csr.Matrix, pool *Pool) *CSR {
	val := make([]float32, len(m.Val))
	for k, v := range m.Val {
		val[k] = float32(v)
	}
	return newCSR(m, csrValues[float32]{m.RowPtr, m.Col, val}, pool)
}

func newCSR(m *csr.Matrix, rows csrRows, pool *Pool) *CSR {
	a := &CSR{Reducer: Local{}, m: m, rows: rows, pool: pool, panel: csr.Panels(m)}
	a.partial = make([]float64, 2*a.panels())
	return a
}

func (a *CSR) panels() int { return len(a.panel) - 1 }

// csrRows is the kernels on rows lo <= i < hi of a matrix.
type csrRows interface {
	mulVec(dst []float64, lo, hi int, src []float64)
	residual(r, b []float64, lo, hi int, x []float64)
	residualDD(r, b []float64, lo, hi int, x []float64)
}

type csrValues[T kernels.Value] struct {
	rowPtr []int64
	col    []int32
	val    []T
}

func (v csrValues[T]) mulVec(dst []float64, lo, hi int, src []float64) {
	kernels.CSRMulVec(dst, lo, hi, v.rowPtr, v.col, v.val, src)
}

func (v csrValues[T]) residual(r, b []float64, lo, hi int, x []float64) {
	kernels.CSRResidual(r, b, lo, hi, v.rowPtr, v.col, v.val, x)
}

func (v csrValues[T]) residualDD(r, b []float64, lo, hi int, x []float64) {
	kernels.CSRResidualDD(r, b, lo, hi, v.rowPtr, v.col, v.val, x)
}

// Dims returns the dimensions of the matrix.
func (a *CSR) Dims() (rows, cols int) { return a.m.Dims() }

// Apply computes dst = A src.
func (a *CSR) Apply(dst, src []float64) { a.run(csrJob{op: csrApply, dst: dst, src: src}) }

// ApplyDot computes dst = A src and returns dst·w.
func (a *CSR) ApplyDot(dst, src, w []float64) Float64 {
	a.run(csrJob{op: csrApplyDot, dst: dst, src: src, w: w})
	a.Reducer.Sum(a.sums[:1], a.partial[:a.panels()])
	return Float64(a.sums[0])
}

// ApplyDots computes dst = A src and returns dst·w and dst·dst.
func (a *CSR) ApplyDots(dst, src, w []float64) (dw, dd Float64) {
	a.run(csrJob{op: csrApplyDots, dst: dst, src: src, w: w})
	a.Reducer.Sum(a.sums[:], a.partial)
	return Float64(a.sums[0]), Float64(a.sums[1])
}

// Residual computes r = b - A x.
func (a *CSR) Residual(r, b, x []float64) { a.run(csrJob{op: csrResidual, dst: r, src: x, b: b}) }

// Relax computes dst = src + omega w∘(b - A src).
func (a *CSR) Relax(dst, src, b, w []float64, omega Float64) {
	a.run(csrJob{op: csrRelax, dst: dst, src: src, b: b, w: w, omega: omega.Float()})
}

// ApplyPlus computes dst = b + A src.
func (a *CSR) ApplyPlus(dst, b, src []float64) {
	a.run(csrJob{op: csrApplyPlus, dst: dst, src: src, b: b})
}

// Accurate is a CSR whose Residual accumulates in double-double, for iterative
// refinement: r is right to working precision however much b - A x cancels. It
// costs several products.
type Accurate struct{ *CSR }

// Residual computes r = b - A x, rounded once per element.
func (a Accurate) Residual(r, b, x []float64) {
	a.run(csrJob{op: csrResidualDD, dst: r, src: x, b: b})
}

func (a *CSR) run(j csrJob) {
	j.a = a
	a.job = j
	a.pool.Run(a.panels(), &a.job)
	a.job = csrJob{}
}

type csrOp int

const (
	csrApply csrOp = iota
	csrApplyDot
	csrApplyDots
	csrResidual
	csrResidualDD
	csrRelax
	csrApplyPlus
)

// csrJob is one product as a parallel.Job; see vectorJob.
type csrJob struct {
	a              *CSR
	op             csrOp
	dst, src, w, b []float64
	omega          float64
}

// Do runs the product on one panel.
func (j *csrJob) Do(k int) {
	rows, lo, hi := j.a.rows, j.a.panel[k], j.a.panel[k+1]
	switch j.op {
	case csrApply:
		rows.mulVec(j.dst, lo, hi, j.src)
	case csrApplyDot:
		rows.mulVec(j.dst, lo, hi, j.src)
		j.a.partial[k] = kernels.Dot(j.dst[lo:hi], j.w[lo:hi])
	case csrApplyDots:
		rows.mulVec(j.dst, lo, hi, j.src)
		j.a.partial[2*k] = kernels.Dot(j.dst[lo:hi], j.w[lo:hi])
		j.a.partial[2*k+1] = kernels.Dot(j.dst[lo:hi], j.dst[lo:hi])
	case csrResidual:
		rows.residual(j.dst, j.b, lo, hi, j.src)
	case csrResidualDD:
		rows.residualDD(j.dst, j.b, lo, hi, j.src)
	case csrRelax:
		rows.residual(j.dst, j.b, lo, hi, j.src)
		kernels.Relax(j.omega, j.w[lo:hi], j.src[lo:hi], j.dst[lo:hi])
	case csrApplyPlus:
		rows.mulVec(j.dst, lo, hi, j.src)
		kernels.Axpy(1, j.b[lo:hi], j.dst[lo:hi])
	}
}
