package dist

import (
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Transposed multiplies with the transpose of a distributed matrix: each domain multiplies with the transpose of its
// rows, which gives terms for its own elements and for its ghosts; the terms of ghosts are added to the elements that
// they are copies of. An element is the sum of the term of its own domain and then of the others in their order, so
// that results have the same bits for any number of ranks.
type Transposed struct {
	products *Operator // computes the terms
	reverse  *Reverse
}

// NewTransposed returns the transpose of local, which has the pattern of m.Local, with these kernels, nil for the
// default ones, on the threads of pool. It makes a second matrix. It is collective.
func NewTransposed(m *Matrix, local *csr.Matrix, k *kernels.Set, pool *parallel.Pool) *Transposed {
	a := &Operator{m: m, pool: pool}
	for part, p := range m.Parts {
		rows := linop.NewCSR(m.PartOf(local, part).Transpose(pool), pool)
		kernels.Use(rows, k)
		a.parts = append(a.parts, operatorPart{rows, p.At, p.Next(), p.First(), p.End()})
		for panel := range rows.Panels() {
			a.panels = append(a.panels, operatorPanel{int32(part), int32(panel)})
		}
	}
	return &Transposed{a, m.Halo.Reverse()}
}

// Apply computes dst = A^T src. It is collective.
func (t *Transposed) Apply(dst, src []float64) {
	t.products.multiply(linop.Product{Dst: dst, Src: src}, 0, len(t.products.panels))
	t.reverse.Add(dst)
}
