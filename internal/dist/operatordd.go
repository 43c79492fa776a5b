package dist

import (
	"fmt"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// OperatorDD is a matrix of domains as an operator on double-double vectors of its layout. A product exchanges both halves of the ghosts, and multiplies part
// after part, each on all threads. Results have the same bits for any number of ranks and threads. All methods but Dims are collective.
type OperatorDD struct {
	m     *Matrix
	space linop.HostDD // for inner products
	parts []linop.Operator[dd.Vec, dd.DD]
}

var _ linop.Operator[dd.Vec, dd.DD] = (*OperatorDD)(nil)

// NewOperatorDD returns the operator whose parts are multiplied by parts, see [NewOperator], with inner products of space.
func NewOperatorDD(m *Matrix, parts []linop.Operator[dd.Vec, dd.DD], space linop.HostDD) *OperatorDD {
	if len(parts) != len(m.Parts) {
		panic(fmt.Sprintf("dist: products of %d parts of %d", len(parts), len(m.Parts)))
	}
	return &OperatorDD{m, space, parts}
}

// NewCSRDD returns local, which has the pattern of m.Local, in FP64, with these kernels, nil for the default ones, on the threads of pool.
func NewCSRDD(m *Matrix, local *csr.Matrix, space linop.HostDD, k *kernels.Set, pool *parallel.Pool) *OperatorDD {
	var parts []linop.Operator[dd.Vec, dd.DD]
	for part := range m.Parts {
		a := linop.NewCSRDD(m.PartOf(local, part, pool), nil, pool)
		kernels.Use(a, k)
		parts = append(parts, a)
	}
	return NewOperatorDD(m, parts, space)
}

// Dims returns the dimensions of the whole matrix.
func (a *OperatorDD) Dims() (rows, cols int) { return int(a.m.N), int(a.m.N) }

// each exchanges ghosts of src, and calls do for each part with the elements of its rows in some vectors, and those of its segment in src.
func (a *OperatorDD) each(src dd.Vec, do func(part linop.Operator[dd.Vec, dd.DD], p *Part, src dd.Vec)) {
	a.m.Halo.Exchange(src.Hi)
	a.m.Halo.Exchange(src.Lo)
	for k := range a.parts {
		p := &a.m.Parts[k]
		do(a.parts[k], p, src.Slice(p.At, p.Next()))
	}
}

// Apply computes dst = A src.
func (a *OperatorDD) Apply(dst, src dd.Vec) {
	a.each(src, func(part linop.Operator[dd.Vec, dd.DD], p *Part, src dd.Vec) {
		part.Apply(dst.Slice(p.First(), p.End()), src)
	})
}

// ApplyDot computes dst = A src and returns dst·w.
func (a *OperatorDD) ApplyDot(dst, src, w dd.Vec) dd.DD {
	a.Apply(dst, src)
	return a.space.Dot(dst, w)
}

// ApplyDots computes dst = A src and returns dst·w and dst·dst.
func (a *OperatorDD) ApplyDots(dst, src, w dd.Vec) (dw, d2 dd.DD) {
	a.Apply(dst, src)
	var both [2]dd.DD
	a.space.MultiDot(both[:], []dd.Vec{w, dst}, dst)
	return both[0], both[1]
}

// Residual computes r = b - A x.
func (a *OperatorDD) Residual(r, b, x dd.Vec) {
	a.each(x, func(part linop.Operator[dd.Vec, dd.DD], p *Part, x dd.Vec) {
		part.Residual(r.Slice(p.First(), p.End()), b.Slice(p.First(), p.End()), x)
	})
}
