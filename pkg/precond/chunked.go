package precond

import (
	"math"
	"sync"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// chunked is a matrix diag(left) A diag(right) on vectors of float32 whose values are 16-bit
// integers in units of their row, powers of two, or float32. Vectors have the length paddedLen of their
// dimension; the elements behind it may have any finite values; in results they are zero.
//
// Memory: 2 or 4 bytes a value and, for each slot of ChunkRows values, 4 bytes of a run,
// 20 of a window, 36 or 64 of a gather; 8 bytes for each ChunkRows rows.
type chunked struct {
	chunkProducts

	kernels    *kernels.Set
	rows, cols int
	panel      []int // panel k is the rows panel[k] to panel[k+1]-1
	parts      []chunkPart
	pool       *parallel.Pool
	job        chunkJob
}

// chunkPart is a panel.
type chunkPart struct {
	kernels.Chunks
	long []longRow
	y    []float32 // work of products with long rows, of many with eight vectors
	many []float32
}

// longRow is a part of a row that would fill its chunk with zeros: a chunk of its own, whose
// lanes are added up.
type longRow struct {
	row int // in its panel
	kernels.Chunks
	sums [kernels.ChunkVectors * chunkRows]float32 // work
}

// paddedLen is the length of a vector of n elements for products with chunks.
func paddedLen(n int) int { return max(window, (n+chunkRows-1)/chunkRows*chunkRows) }

// serialChunks is the number of rows of a level below which waking threads costs more
// than it brings.
const serialChunks = 8 << 10

// chunkPanelBytes is about the memory of a panel in CSR, the same as in csr.Panels.
const chunkPanelBytes = 256 << 10

// chunkPanels splits the rows of m into whole chunks of about chunkPanelBytes in all.
func chunkPanels(m *csr.Matrix) []int {
	bounds := []int{0}
	for lo := 0; lo < m.Rows; {
		hi := lo
		for bytes := int64(0); hi < m.Rows && bytes < chunkPanelBytes; {
			next := min(hi+chunkRows, m.Rows)
			bytes += 12*(m.RowPtr[next]-m.RowPtr[hi]) + 8*chunkRows
			hi = next
		}
		lo = hi
		bounds = append(bounds, lo)
	}
	return bounds
}

// chunkScales are the diagonals that a matrix is multiplied by; nil: the identity.
type chunkScales struct{ left, right []float64 }

// unitOf returns the least power of two of which 32767 reach most, a finite number.
func unitOf(most float64) float64 {
	if most == 0 {
		return 0
	}
	unit := math.Float64frombits((math.Float64bits(most)>>52 - 14) << 52)
	if most < 0x1p-1000 {
		_, e := math.Frexp(most)
		unit = math.Ldexp(1, e-15)
	}
	if most > 32767*unit {
		unit *= 2
	}
	return unit
}

// widestUnits is the quotient of units up to which a panel has a single one.
const widestUnits = 4

// single replaces units by the greatest if they differ little, and reports whether they are one
// now.
func single(units []float64) bool {
	least, most := math.Inf(1), 0.0
	for _, u := range units {
		if u > 0 {
			least, most = min(least, u), max(most, u)
		}
	}
	if most > widestUnits*least {
		return false
	}
	for i := range units {
		units[i] = most
	}
	return true
}

// newChunked stores diag(left) m diag(right) as 16-bit integers or as float32. If shapes is not nil, it keeps the slots there, or
// takes those of a matrix of the same pattern from there.
func newChunked[T int16 | float32](m *csr.Matrix, s chunkScales, shapes *chunkShapes, pool *parallel.Pool) *chunked {
	c := &chunked{kernels: kernels.Default(), rows: m.Rows, cols: m.Cols, panel: chunkPanels(m), pool: pool}
	c.chunkProducts = c.run
	c.parts = make([]chunkPart, len(c.panel)-1)
	if shapes != nil && *shapes == nil {
		*shapes = make(chunkShapes, len(c.parts))
	}
	spare := sync.Pool{New: func() any { return &chunkFiller[T]{chunkPacker: chunkPacker{width: paddedLen(m.Cols)}} }}
	pool.RunRanges(c.panel, func(panel, lo, hi int) {
		f := spare.Get().(*chunkFiller[T])
		var kept *[]chunkShape
		if shapes != nil {
			kept = &(*shapes)[panel]
		}
		f.panel(&c.parts[panel], m, s, kept, lo, hi)
		spare.Put(f)
	})
	return c
}

// bytes is the memory of the matrix.
func (c *chunked) bytes() (n int64) {
	for k := range c.parts {
		n += chunkBytes(&c.parts[k].Chunks) + int64(4*len(c.parts[k].y))
		for l := range c.parts[k].long {
			n += chunkBytes(&c.parts[k].long[l].Chunks)
		}
	}
	return n
}

func chunkBytes(c *kernels.Chunks) int64 {
	return int64(8*len(c.Heads) + 4*len(c.Base) + len(c.Index) + 2*len(c.Ints) + 4*len(c.Floats) + 4*len(c.Units))
}

// chunkJob is a product with so many vectors as a parallel.Job.
type chunkJob struct {
	*chunked
	vectors int
	product kernels.ChunkProduct
}

// run computes a product with c.
func (j *chunkJob) run(c *chunked, vectors int, p kernels.ChunkProduct) {
	*j = chunkJob{c, vectors, p}
	c.pool.Run(len(c.parts), j)
	*j = chunkJob{}
}

// Do computes the rows of a panel.
func (j *chunkJob) Do(k int) { j.panelProduct(k, j.vectors, j.product) }

// run computes a product with the elements of the whole vectors.
func (c *chunked) run(p kernels.ChunkProduct) { c.job.run(c, 1, p) }

// panelProduct computes the rows of panel k for so many vectors, one or kernels.ChunkVectors, which are interleaved.
func (c *chunked) panelProduct(k, vectors int, p kernels.ChunkProduct) {
	mul := c.kernels.MulChunks
	if vectors > 1 {
		mul = c.kernels.MulChunksMulti
	}
	lo := vectors * c.panel[k]
	hi := lo + vectors*chunkRows*len(c.parts[k].Heads)
	p.Dst = p.Dst[lo:hi]
	if p.B != nil {
		p.B = p.B[lo:hi]
	}
	if p.V != nil {
		p.V = p.V[lo:hi]
	}
	part := &c.parts[k]
	if len(part.long) == 0 {
		mul(&part.Chunks, p)
		return
	}
	all := part.y
	if vectors > 1 {
		if part.many == nil {
			part.many = make([]float32, vectors*len(part.y))
		}
		all = part.many
	}
	mul(&part.Chunks, kernels.ChunkProduct{Dst: all, X: p.X})
	for r := range part.long {
		l := &part.long[r]
		sums, y := l.sums[:vectors*chunkRows], all[vectors*l.row:][:vectors]
		mul(&l.Chunks, kernels.ChunkProduct{Dst: sums, X: p.X})
		for i, s := range sums {
			y[i%vectors] += s
		}
	}
	for i, y := range all {
		p.Finish(i, y)
	}
}

// chunkedMany is a chunked matrix times kernels.ChunkVectors vectors, which are interleaved.
type chunkedMany struct {
	chunkProducts
	of  *chunked
	job chunkJob
}

// forMany returns c for several vectors.
func (c *chunked) forMany() *chunkedMany {
	m := &chunkedMany{of: c}
	m.chunkProducts = m.run
	return m
}

func (m *chunkedMany) run(p kernels.ChunkProduct) { m.job.run(m.of, kernels.ChunkVectors, p) }

// chunkProducts is a product in chunks, of whatever runs its panels, as products.
type chunkProducts func(p kernels.ChunkProduct)

// Apply computes dst = A x.
func (run chunkProducts) Apply(dst, x []float32) { run(kernels.ChunkProduct{Dst: dst, X: x}) }

// Residual computes r = b - A x.
func (run chunkProducts) Residual(r, b, x []float32) {
	run(kernels.ChunkProduct{Epilogue: kernels.ChunkResidual, Dst: r, B: b, X: x})
}

// Plus computes dst = b + A x.
func (run chunkProducts) Plus(dst, b, x []float32) {
	run(kernels.ChunkProduct{Epilogue: kernels.ChunkPlus, Dst: dst, B: b, X: x})
}

// Relax computes dst = x + omega (b - A x).
func (run chunkProducts) Relax(dst, x, b []float32, omega float32) {
	run(kernels.ChunkProduct{Epilogue: kernels.ChunkRelax, Dst: dst, B: b, V: x, X: x, Omega: omega})
}
