package dist

import (
	"fmt"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Operator is a square matrix, distributed over ranks, as an operator on vectors of its layout. A product sends the
// elements at the borders of domains, meanwhile computes the panels whose rows refer to no ghosts, and then the other
// panels. It sets the ghosts of the vector that is multiplied; the ghosts of other vectors may be stale, and those of
// results are. Results have the same bits for any number of ranks and threads. All methods but Dims and Use are
// collective. An Operator must not be used by several goroutines at a time.
type Operator struct {
	Reducer linop.Reducer // of inner products; NewOperator sets the reducer of the ranks

	m       *Matrix
	halo    *Halo
	pool    *parallel.Pool
	parts   []operatorPart
	panels  []operatorPanel // panels that refer to no ghosts come first
	inner   int             // their number; 0 if nothing comes from other ranks
	partial []float64
	sums    [2]float64
	job     operatorJob
}

// operatorPart multiplies with a part: its rows are elements row to end-1 of vectors, its columns col to next-1.
type operatorPart struct {
	linop.Products
	row, end, col, next int
}

// operatorPanel is a panel of a part; both are numbers.
type operatorPanel struct{ part, panel int32 }

var _ linop.Relaxer[[]float64, linop.Float64] = (*Operator)(nil)

// NewOperator returns the operator with the pattern of m whose parts are multiplied by parts: part k has the own rows
// of m.Parts[k], and its columns are the elements of the segment, as in [Matrix.PartOf]. The panels of all parts run
// together on the threads of pool.
func NewOperator(m *Matrix, parts []linop.Products, pool *parallel.Pool) *Operator {
	if len(parts) != len(m.Parts) {
		panic(fmt.Sprintf("dist: products of %d parts of %d", len(parts), len(m.Parts)))
	}
	list := make([]operatorPart, len(parts))
	for k, a := range parts {
		p := m.Parts[k]
		if rows, cols := a.Dims(); rows != p.Own || cols != p.Next()-p.At {
			panic(fmt.Sprintf("dist: part %d is %d x %d, want %d x %d", k, rows, cols, p.Own, p.Next()-p.At))
		}
		list[k] = operatorPart{a, p.First(), p.End(), p.At, p.Next()}
	}
	return newOperator(m, list, pool)
}

func newOperator(m *Matrix, parts []operatorPart, pool *parallel.Pool) *Operator {
	a := &Operator{Reducer: newReducer(m.Comm, &m.held), m: m, halo: m.Halo, pool: pool, parts: parts}
	var border []operatorPanel
	for k, p := range parts {
		for panel := range p.Panels() {
			lo, hi := p.PanelRows(panel)
			to := &a.panels
			if len(m.Halo.links) > 0 && m.refersToGhosts(k, p.row+lo, p.row+hi) {
				to = &border
			}
			*to = append(*to, operatorPanel{int32(k), int32(panel)})
		}
	}
	if len(m.Halo.links) > 0 {
		a.inner = len(a.panels)
	}
	a.panels = append(a.panels, border...)
	a.partial = make([]float64, 2*len(a.panels))
	return a
}

// refersToGhosts reports whether any of the rows at positions lo to hi-1 of part k refers to a ghost.
func (m *Matrix) refersToGhosts(k, lo, hi int) bool {
	p := m.Parts[k]
	for i := lo; i < hi; i++ {
		cols, _ := m.Local.Row(i)
		if n := len(cols); n > 0 && (int(cols[0]) < p.First() || int(cols[n-1]) >= p.End()) {
			return true
		}
	}
	return false
}

// Use sets the kernels of the epilogues, nil for the default ones.
func (a *Operator) Use(k *kernels.Set) {
	for _, p := range a.parts {
		kernels.Use(p.Products, k)
	}
}

// RoundHalo makes products use ghosts that are rounded to a relative error of at most epsilon, so that messages are
// shorter: 8 k - 11 bits of float64 take k bytes, from 3 to 7. An epsilon below 2^-45 is exact. The relative error of
// a stored matrix is a natural epsilon for its products, but conjugate gradients without a good preconditioner may
// take more iterations: up to 3 % at 2^-45, 8 % at 2^-37, 15 % at 2^-29. It is collective.
func (a *Operator) RoundHalo(epsilon float64) { a.halo = a.m.Halo.Rounded(epsilon) }

// Dims returns the dimensions of the whole matrix.
func (a *Operator) Dims() (rows, cols int) { return int(a.m.N), int(a.m.N) }

// Apply computes dst = A src.
func (a *Operator) Apply(dst, src []float64) { a.run(linop.Product{Dst: dst, Src: src}) }

// ApplyDot computes dst = A src and returns dst·w.
func (a *Operator) ApplyDot(dst, src, w []float64) linop.Float64 {
	a.run(linop.Product{Epilogue: linop.WithDot, Dst: dst, Src: src, W: w})
	a.Reducer.Sum(a.sums[:1], a.partial[:len(a.panels)])
	return linop.Float64(a.sums[0])
}

// ApplyDots computes dst = A src and returns dst·w and dst·dst.
func (a *Operator) ApplyDots(dst, src, w []float64) (dw, dd linop.Float64) {
	a.run(linop.Product{Epilogue: linop.WithDots, Dst: dst, Src: src, W: w})
	a.Reducer.Sum(a.sums[:], a.partial)
	return linop.Float64(a.sums[0]), linop.Float64(a.sums[1])
}

// Residual computes r = b - A x.
func (a *Operator) Residual(r, b, x []float64) {
	a.run(linop.Product{Epilogue: linop.Residual, Dst: r, Src: x, B: b})
}

// Relax computes dst = src + omega w∘(b - A src).
func (a *Operator) Relax(dst, src, b, w []float64, omega linop.Float64) {
	a.run(linop.Product{Epilogue: linop.Relax, Dst: dst, Src: src, B: b, W: w, Omega: omega.Float(), Old: src})
}

// ApplyPlus computes dst = b + A src.
func (a *Operator) ApplyPlus(dst, b, src []float64) {
	a.run(linop.Product{Epilogue: linop.Plus, Dst: dst, Src: src, B: b})
}

func (a *Operator) run(p linop.Product) {
	a.halo.exchange.start(a.halo, p.Src, p.Src, a.pool)
	for _, k := range a.parts {
		k.Begin(p.Src[k.col:k.next])
	}
	a.multiply(p, 0, a.inner)
	a.halo.exchange.finish(p.Src, a.pool)
	a.multiply(p, a.inner, len(a.panels))
}

// multiply computes the panels lo to hi-1.
func (a *Operator) multiply(p linop.Product, lo, hi int) {
	a.job = operatorJob{a, p, lo}
	a.pool.Run(hi-lo, &a.job)
	a.job = operatorJob{}
}

// operatorJob is a product with vectors of the rank, as a parallel job.
type operatorJob struct {
	a       *Operator
	product linop.Product
	from    int // the first panel
}

// Do computes the rows of one panel.
func (j *operatorJob) Do(k int) {
	k += j.from
	at := j.a.panels[k]
	part := &j.a.parts[at.part]
	var sums []float64
	switch j.product.Epilogue {
	case linop.WithDot:
		sums = j.a.partial[k:]
	case linop.WithDots:
		sums = j.a.partial[2*k:]
	}
	p := part.product(&j.product)
	part.Panel(&p, int(at.panel), sums)
}

// product returns the product p restricted to the part.
func (a *operatorPart) product(p *linop.Product) linop.Product {
	rows := func(x []float64) []float64 {
		if x == nil {
			return nil
		}
		return x[a.row:a.end]
	}
	q := *p
	q.Dst, q.B, q.W, q.Old = rows(p.Dst), rows(p.B), rows(p.W), rows(p.Old)
	q.Src = p.Src[a.col:a.next]
	return q
}

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
		rows := linop.NewCSR(m.PartOf(local, part, pool).Transpose(pool), pool)
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
