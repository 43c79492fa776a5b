package precond

import (
	"math"
	"slices"
	"sync"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// chunked is a matrix diag(left) A diag(right) on vectors of float32 whose values are 16-bit
// integers in units of their row, powers of two, or float32. Vectors have the length paddedLen of their
// dimension; the elements behind it are anything finite, and those of results zero.
//
// Memory: 2 or 4 bytes a value and, for each slot of ChunkRows values, 4 bytes of a run,
// 20 of a window, 36 or 64 of a gather; 8 bytes for each ChunkRows rows.
type chunked struct {
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
	y    []float32 // work of products with long rows
}

// longRow is a part of a row that would fill its chunk with zeros: a chunk of its own, whose
// lanes are added up.
type longRow struct {
	row int // in its panel
	kernels.Chunks
	sums [chunkRows]float32 // work
}

// paddedLen is the length of a vector of n elements for products with chunks.
func paddedLen(n int) int { return max(window, (n+chunkRows-1)/chunkRows*chunkRows) }

// serialChunks is the number of rows of a matrix below which waking threads costs more
// than it brings.
const serialChunks = 8 << 10

// chunkPanelBytes is about the memory of a panel in CSR, as csr.PanelBytes.
const chunkPanelBytes = csr.PanelBytes

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

// chunkScales are what the values of a chunked matrix are made with: element (i, j) of A is
// multiplied by left[i] right[j] and, if it becomes an integer, rounded to a multiple of unit[i].
type chunkScales struct {
	left, right []float64 // nil: 1
	unit        []float64
}

// at returns the factor of element (i, j).
func (s *chunkScales) at(i int, j int32) float64 {
	f := 1.0
	if s.left != nil {
		f = s.left[i]
	}
	if s.right != nil {
		f *= s.right[j]
	}
	return f
}

// rowUnits returns the powers of two in which 16-bit integers hold the elements of
// each row, 0 for a row of zeros.
func (s *chunkScales) rowUnits(m *csr.Matrix, pool *parallel.Pool) []float64 {
	units := make([]float64, m.Rows)
	pool.RunRanges(csr.Panels(m), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			most := 0.0
			cols, vals := m.Row(i)
			for k, j := range cols {
				most = max(most, math.Abs(vals[k]*s.at(i, j)))
			}
			units[i] = unitOf(most)
		}
	})
	return units
}

// unitOf returns the least power of two of which 32767 reach most.
func unitOf(most float64) float64 {
	if most == 0 {
		return 0
	}
	_, e := math.Frexp(most)
	unit := math.Ldexp(1, e-15)
	if most > 32767*unit {
		unit *= 2
	}
	return unit
}

// widestUnits is the quotient of units up to which a matrix has a single one.
const widestUnits = 4

// single replaces units by the greatest if they differ little.
func single(units []float64) {
	least, most := math.Inf(1), 0.0
	for _, u := range units {
		if u > 0 {
			least, most = min(least, u), max(most, u)
		}
	}
	if most <= widestUnits*least {
		for i := range units {
			units[i] = most
		}
	}
}

// newChunkedInts stores diag(left) m diag(right) as 16-bit integers.
func newChunkedInts(m *csr.Matrix, s *chunkScales, pool *parallel.Pool) *chunked {
	one := len(s.unit) == 0 || slices.Min(s.unit) == slices.Max(s.unit)
	return newChunked(m, pool, chunkMaker[int16]{
		load: func(l *lane[int16], i int) {
			inverse := 0.0
			if u := s.unit[i]; u > 0 {
				inverse = 1 / u
			}
			cols, vals := m.Row(i)
			for k, j := range cols {
				l.add(j, int16(math.RoundToEven(vals[k]*s.at(i, j)*inverse)))
			}
		},
		finish: func(c *kernels.Chunks, values []int16, lo, hi int) {
			c.Ints, c.Unit = slices.Clone(values), float32(s.unit[lo])
			if !one {
				c.Units = make([]float32, chunkRows*len(c.Heads))
				for i := range c.Units {
					c.Units[i] = float32(s.unit[min(lo+i, hi-1)])
				}
			}
		},
	})
}

// newChunkedFloats stores diag(left) m diag(right) as float32.
func newChunkedFloats(m *csr.Matrix, s *chunkScales, pool *parallel.Pool) *chunked {
	return newChunked(m, pool, chunkMaker[float32]{
		load: func(l *lane[float32], i int) {
			cols, vals := m.Row(i)
			for k, j := range cols {
				l.add(j, float32(vals[k]*s.at(i, j)))
			}
		},
		finish: func(c *kernels.Chunks, values []float32, _, _ int) {
			c.Floats, c.Unit = append([]float32{}, values...), 1
		},
	})
}

// chunkMaker reads row i into an empty lane, and sets the values and units of chunks of the
// rows lo to hi-1, or of the row lo alone.
type chunkMaker[T int16 | float32] struct {
	load   func(l *lane[T], i int)
	finish func(c *kernels.Chunks, values []T, lo, hi int)
}

// newChunked packs the rows of m.
func newChunked[T int16 | float32](m *csr.Matrix, pool *parallel.Pool, make chunkMaker[T]) *chunked {
	c := &chunked{rows: m.Rows, cols: m.Cols, panel: chunkPanels(m), pool: pool}
	c.parts = slices.Grow(c.parts, len(c.panel)-1)[:len(c.panel)-1]
	packers := sync.Pool{New: func() any { return &chunkPacker[T]{width: paddedLen(m.Cols)} }}
	pool.RunRanges(c.panel, func(panel, lo, hi int) {
		p := packers.Get().(*chunkPacker[T])
		p.panel(&c.parts[panel], lo, hi, make)
		packers.Put(p)
	})
	return c
}

// panel packs the rows lo to hi-1.
func (p *chunkPacker[T]) panel(part *chunkPart, lo, hi int, make chunkMaker[T]) {
	var excess []lane[T]
	for at := lo; at < hi; at += chunkRows {
		for l := range p.lane {
			p.lane[l].clear()
			if at+l < hi {
				make.load(&p.lane[l], at+l)
				p.lane[l].sort()
			}
		}
		for l, most := 0, p.mostElements(); l < chunkRows; l++ {
			for p.lane[l].len() > most {
				part.long = append(part.long, longRow{row: at + l - lo})
				excess = append(excess, p.lane[l].split(most))
			}
		}
		p.pack()
	}
	make.finish(p.take(&part.Chunks), p.values, lo, hi)
	p.values = p.values[:0]
	for k := range part.long {
		l := &part.long[k]
		p.deal(&excess[k])
		p.pack()
		make.finish(p.take(&l.Chunks), p.values, lo+l.row, lo+l.row+1)
		p.values = p.values[:0]
	}
	if len(part.long) > 0 {
		part.y = slices.Grow(part.y, chunkRows*len(part.Heads))[:chunkRows*len(part.Heads)]
	}
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

// chunkJob is a product as a parallel.Job.
type chunkJob struct {
	*chunked
	product kernels.ChunkProduct
}

// run computes a product with the elements of the whole vectors.
func (c *chunked) run(p kernels.ChunkProduct) {
	c.job = chunkJob{c, p}
	pool := c.pool
	if c.rows < serialChunks {
		pool = nil
	}
	pool.Run(len(c.parts), &c.job)
	c.job = chunkJob{}
}

// Do computes the rows of a panel.
func (j *chunkJob) Do(k int) {
	lo := j.panel[k]
	hi := lo + chunkRows*len(j.parts[k].Heads)
	p := j.product
	p.Dst = p.Dst[lo:hi]
	if p.B != nil {
		p.B = p.B[lo:hi]
	}
	if p.V != nil {
		p.V = p.V[lo:hi]
	}
	part := &j.parts[k]
	if len(part.long) == 0 {
		kernels.MulChunks(&part.Chunks, p)
		return
	}
	kernels.MulChunks(&part.Chunks, kernels.ChunkProduct{Dst: part.y, X: p.X})
	for r := range part.long {
		l := &part.long[r]
		sums := &l.sums
		kernels.MulChunks(&l.Chunks, kernels.ChunkProduct{Dst: sums[:], X: p.X})
		for _, s := range sums {
			part.y[l.row] += s
		}
	}
	for i, y := range part.y {
		p.Finish(i, y)
	}
}

// Apply computes dst = A x.
func (c *chunked) Apply(dst, x []float32) { c.run(kernels.ChunkProduct{Dst: dst, X: x}) }

// Residual computes r = b - A x.
func (c *chunked) Residual(r, b, x []float32) {
	c.run(kernels.ChunkProduct{Epilogue: kernels.ChunkResidual, Dst: r, B: b, X: x})
}

// Plus computes dst = b + A x.
func (c *chunked) Plus(dst, b, x []float32) {
	c.run(kernels.ChunkProduct{Epilogue: kernels.ChunkPlus, Dst: dst, B: b, X: x})
}

// Relax computes dst = x + omega (b - A x).
func (c *chunked) Relax(dst, x, b []float32, omega float32) {
	c.run(kernels.ChunkProduct{Epilogue: kernels.ChunkRelax, Dst: dst, B: b, V: x, X: x, Omega: omega})
}
