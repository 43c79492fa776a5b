package precond

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// chunkShapes are the slots of each panel of a matrix, and which element of the matrix each value is: all that depends on the pattern.
// A panel that has none is packed.
type chunkShapes [][]chunkShape

// chunkShape are slots of a panel.
type chunkShape struct {
	row int // the row that they are a part of; allRows: all but those parts
	kernels.Chunks
	places []uint16 // see chunkPacker
}

const (
	allRows   = -1
	mostKept  = 1<<16 - 1 // elements of a panel whose shapes are kept
	placeSize = 2
)

// bytes is the memory that shapes need besides the slots, which the matrix in use shares.
func (s chunkShapes) bytes() (n int64) {
	for _, panel := range s {
		for _, shape := range panel {
			n += int64(placeSize * len(shape.places))
		}
	}
	return n
}

// A chunkFiller makes panels: it rounds the elements and puts them into slots.
type chunkFiller[T int16 | float32] struct {
	chunkPacker
	scaled  []float64
	unit    []float64 // of each row
	one     bool      // the units are one
	rounded []T       // the elements of the panel, from 1; rounded[0] is 0
}

// panel makes the panel of the rows lo to hi-1, of the kept shapes if there are any. Otherwise it keeps them unless kept is nil.
func (f *chunkFiller[T]) panel(part *chunkPart, m *csr.Matrix, s chunkScales, kept *[]chunkShape, lo, hi int) {
	f.round(m, s, lo, hi)
	if kept != nil && *kept != nil {
		for _, shape := range *kept {
			fill(f, part, shape.row, shape.Chunks, shape.places)
		}
	} else {
		f.pack(m, lo, hi, func(row int, c kernels.Chunks) {
			fill(f, part, row, c, f.places)
			if kept != nil && len(f.rounded) <= mostKept {
				*kept = append(*kept, chunkShape{row, c, narrow(f.places)})
			}
		})
	}
	if len(part.long) > 0 {
		part.y = make([]float32, chunkRows*len(part.Heads))
	}
}

// narrow returns places in 16 bits.
func narrow(places []uint32) []uint16 {
	n := make([]uint16, len(places))
	for k, at := range places {
		n[k] = uint16(at)
	}
	return n
}

// pack makes the slots of the rows lo to hi-1, and then those of parts of rows, and passes them on. Until use returns, places says which
// elements their values are.
func (p *chunkPacker) pack(m *csr.Matrix, lo, hi int, use func(row int, c kernels.Chunks)) {
	first := m.RowPtr[lo]
	p.runless = 0
	var rows []int
	var excess []elements
	for at := lo; at < hi; at += chunkRows {
		for l := range chunkRows {
			from, to := int64(0), int64(0)
			if i := at + l; i < hi {
				from, to = m.RowPtr[i], m.RowPtr[i+1]
			}
			p.load(l, m.Col[from:to], uint32(from-first)+1)
		}
		for l, most := 0, p.mostElements(); l < chunkRows; l++ {
			for p.end[l]-p.start[l] > most {
				rows = append(rows, at+l-lo)
				excess = append(excess, p.cut(l, most))
			}
		}
		p.chunk()
	}
	use(allRows, p.take())
	for k, row := range rows {
		p.places = p.places[:0]
		p.deal(excess[k])
		p.chunk()
		use(row, p.take())
	}
	p.places = p.places[:0]
}

// fill stores the slots of a panel, or of a part of a row, with the values at those places.
func fill[T int16 | float32, P uint16 | uint32](f *chunkFiller[T], part *chunkPart, row int, c kernels.Chunks, places []P) {
	values := make([]T, len(places))
	for k, at := range places {
		values[k] = f.rounded[at]
	}
	switch v := any(values).(type) {
	case []int16:
		c.Ints = v
	case []float32:
		c.Floats = v // not nil
	}
	switch {
	case row != allRows:
		c.Unit = float32(f.unit[row])
		part.long = append(part.long, longRow{row: row, Chunks: c})
		return
	case f.one:
		c.Unit = float32(f.unit[0])
	default:
		c.Unit, c.Units = float32(f.unit[0]), make([]float32, chunkRows*len(c.Heads))
		for i, u := range f.unit {
			c.Units[i] = float32(u)
		}
	}
	part.Chunks = c
}

// round sets the rounded values of the rows lo to hi-1 and their units.
func (f *chunkFiller[T]) round(m *csr.Matrix, s chunkScales, lo, hi int) {
	first, n := m.RowPtr[lo], int(m.RowPtr[hi]-m.RowPtr[lo])
	f.scaled, f.rounded = slices.Grow(f.scaled[:0], n)[:n], slices.Grow(f.rounded[:0], n+1)[:n+1]
	f.unit = slices.Grow(f.unit[:0], hi-lo)[:hi-lo]
	f.rounded[0] = 0
	for i := lo; i < hi; i++ {
		cols, vals := m.Row(i)
		left, most := 1.0, uint64(0) // the bits of |v|, which are in the order of |v|
		if s.left != nil {
			left = s.left[i]
		}
		cols = cols[:len(vals)]
		out := f.scaled[m.RowPtr[i]-first:][:len(vals)]
		for k, v := range vals {
			g := left
			if s.right != nil {
				g *= s.right[cols[k]]
			}
			v *= g
			out[k] = v
			most = max(most, math.Float64bits(v)&^(1<<63))
		}
		f.unit[i-lo] = unitOf(math.Float64frombits(most))
	}
	switch value := any(f.rounded[1:]).(type) {
	case []float32:
		for k, v := range f.scaled {
			value[k] = float32(v)
		}
		for i := range f.unit {
			f.unit[i] = 1
		}
		f.one = true
	case []int16:
		f.one = single(f.unit)
		for i := lo; i < hi; i++ {
			inverse := 0.0
			if u := f.unit[i-lo]; u > 0 {
				inverse = 1 / u
			}
			from, to := m.RowPtr[i]-first, m.RowPtr[i+1]-first
			out := value[from:to]
			for k, v := range f.scaled[from:to] {
				out[k] = int16(math.Float64bits(float64(v*inverse) + 0x1.8p52)) // rounds to an integer
			}
		}
	}
}
