package dist

import (
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// CSR is a matrix in FP64 CSR as an Operator.
type CSR struct {
	*Operator
	parts   []linop.CSR
	local   *csr.Matrix
	kernels *kernels.Set // nil: the default ones
	job     accurateJob

	transposed *Transposed // nil: not needed so far
}

var _ linop.Transposer[[]float64, linop.Float64] = (*CSR)(nil)

// NewCSR returns local, which has the pattern of m.Local, as an operator on the threads of pool, without copying it.
// The products equal those of linop.CSR row by row.
func NewCSR(m *Matrix, local *csr.Matrix, pool *parallel.Pool) *CSR {
	a := &CSR{local: local}
	var list []operatorPart
	for _, p := range m.Parts {
		rows := linop.NewCSRRows(local, csr.PanelsOf(local, p.First(), p.End()), pool)
		a.parts = append(a.parts, rows)
		list = append(list, operatorPart{rows, 0, m.Len, 0, m.Len})
	}
	a.Operator = newOperator(m, list, pool)
	return a
}

// Use sets the kernels of the products, nil for the default ones.
func (a *CSR) Use(k *kernels.Set) {
	a.kernels = k
	for _, p := range a.parts {
		kernels.Use(p, k)
	}
	a.transposed = nil // which has other kernels
}

// ApplyT computes dst = A^T src. The first call makes a second matrix, A^T, which is kept. It is collective.
func (a *CSR) ApplyT(dst, src []float64) {
	if a.transposed == nil {
		a.transposed = NewTransposed(a.m, a.local, a.kernels, a.pool)
	}
	a.transposed.Apply(dst, src)
}

// Accurate is a CSR whose Residual accumulates in double-double; see linop.Accurate.
type Accurate struct{ *CSR }

// Residual computes r = b - A x, rounded once per element.
func (a Accurate) Residual(r, b, x []float64) {
	a.m.Halo.Exchange(x)
	a.job = accurateJob{a.CSR, r, b, x}
	a.pool.Run(len(a.panels), &a.job)
	a.job = accurateJob{}
}

// accurateJob is an accurate residual as a parallel job.
type accurateJob struct {
	a       *CSR
	r, b, x []float64
}

// Do computes the rows of one panel.
func (j *accurateJob) Do(k int) {
	at := j.a.panels[k]
	j.a.parts[at.part].AccurateResidual(int(at.panel), j.r, j.b, j.x)
}
