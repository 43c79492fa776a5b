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
}

// longRow is a part of a row that would fill its chunk with zeros: one chunk, whose
// lanes are added up.
type longRow struct {
	row int // in its panel
	kernels.Chunks
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

// chunkScales are the factors and units of the values of a chunked matrix: element (i, j) of
// A is multiplied by left[i] right[j] and, if it becomes an integer, rounded to
// a multiple of the greater of the units of its row and its column, so that the transpose is
// rounded alike; it is stored in units of the row.
type chunkScales struct {
	left, right []float64 // nil: 1
	row, column []float64 // units; nil: of columns 0
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
	packers := sync.Pool{New: func() any { return new(chunkPacker[int16]) }}
	inverse := make([]float64, len(s.row))
	for i, u := range s.row {
		if u > 0 {
			inverse[i] = 1 / u
		}
	}
	uniform := len(s.row) == 0 || slices.Min(s.row) == slices.Max(s.row)
	return newChunked(m, pool, &packers, func(l *lane[int16], i int) {
		cols, vals := m.Row(i)
		for k, j := range cols {
			v := vals[k] * s.at(i, j)
			if s.column != nil && s.column[j] > s.row[i] {
				u := s.column[j]
				l.add(j, int16(math.RoundToEven(v/u)*(u/s.row[i])))
			} else {
				l.add(j, int16(math.RoundToEven(v*inverse[i])))
			}
		}
	}, func(c *kernels.Chunks, p *chunkPacker[int16], lo, hi int) {
		c.Ints = slices.Clone(p.values)
		if c.Unit = 0; len(s.row) > 0 {
			c.Unit = float32(s.row[lo])
		}
		if !uniform {
			c.Units = make([]float32, (hi-lo+chunkRows-1)/chunkRows*chunkRows)
			for i := lo; i < hi; i++ {
				c.Units[i-lo] = float32(s.row[i])
			}
		}
	})
}

// newChunkedFloats stores diag(left) m diag(right) as float32.
func newChunkedFloats(m *csr.Matrix, s *chunkScales, pool *parallel.Pool) *chunked {
	packers := sync.Pool{New: func() any { return new(chunkPacker[float32]) }}
	return newChunked(m, pool, &packers, func(l *lane[float32], i int) {
		cols, vals := m.Row(i)
		for k, j := range cols {
			l.add(j, float32(vals[k]*s.at(i, j)))
		}
	}, func(c *kernels.Chunks, p *chunkPacker[float32], _, _ int) {
		c.Floats, c.Unit = append([]float32{}, p.values...), 1
	})
}

// newChunked packs the rows of m, which load reads; keep sets the values and units of chunks of
// the rows lo to hi-1.
func newChunked[T int16 | float32](m *csr.Matrix, pool *parallel.Pool, packers *sync.Pool,
	load func(l *lane[T], i int), keep func(c *kernels.Chunks, p *chunkPacker[T], lo, hi int),
) *chunked {
	c := &chunked{rows: m.Rows, cols: m.Cols, panel: chunkPanels(m), pool: pool}
	c.parts = make([]chunkPart, len(c.panel)-1)
	pool.RunRanges(c.panel, func(panel, lo, hi int) {
		p := packers.Get().(*chunkPacker[T])
		p.width = paddedLen(m.Cols)
		part := &c.parts[panel]
		take := func(out *kernels.Chunks, lo, hi int) {
			out.Heads, out.Base, out.Index = slices.Clone(p.Heads), slices.Clone(p.Base), slices.Clone(p.Index)
			keep(out, p, lo, hi)
			p.Heads, p.Base, p.Index, p.values = p.Heads[:0], p.Base[:0], p.Index[:0], p.values[:0]
		}
		for at := lo; at < hi; at += chunkRows {
			for l := range p.lane {
				p.lane[l].col, p.lane[l].val = p.lane[l].col[:0], p.lane[l].val[:0]
				if at+l < hi {
					load(&p.lane[l], at+l)
					p.lane[l].sort()
				}
			}
			p.pack()
		}
		take(&part.Chunks, lo, hi)
		packers.Put(p)
	})
	return c
}

// bytes is the memory of the matrix.
func (c *chunked) bytes() (n int64) {
	for k := range c.parts {
		p := &c.parts[k].Chunks
		n += int64(8*len(p.Heads) + 4*len(p.Base) + len(p.Index) + 2*len(p.Ints) + 4*len(p.Floats) + 4*len(p.Units))
	}
	return n
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
	kernels.MulChunks(&j.parts[k].Chunks, &p)
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
