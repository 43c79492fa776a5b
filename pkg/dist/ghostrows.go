package dist

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// GhostRows returns, for each part, the rows of its ghosts, in the order of Part.Ghosts, fetched from their owners.
// Values are those of local, a matrix with the pattern of Local. Collective.
func (m *Matrix) GhostRows(local *csr.Matrix) []Rows {
	var columns []int64
	return m.FetchRows(func(at int) ([]int64, []float64) {
		cols, vals := local.Row(at)
		p := m.Parts[m.Part(at)]
		columns = columns[:0]
		for _, j := range cols {
			columns = append(columns, p.global(int(j)-p.At))
		}
		return columns, vals
	})
}

// FetchRows returns, for each part, rows of its ghosts, in the order of Part.Ghosts, as their owners have them: row returns
// that of the own element at a position, with columns that mean the same to all ranks. Collective.
func (l *Layout) FetchRows(row func(at int) (cols []int64, vals []float64)) []Rows {
	c := l.Comm
	to := make([][]byte, c.Size())
	for _, k := range l.Halo.links {
		for _, at := range k.send {
			to[k.rank] = appendRow(to[k.rank], row, int(at))
		}
	}
	fetched := make([][]byte, l.Len) // by the position of a ghost; with what follows
	from := c.Alltoall(to)
	for _, k := range l.Halo.links {
		rest := from[k.rank]
		for _, at := range k.recv {
			fetched[at] = rest
			rest = rest[8+16*binary.LittleEndian.Uint64(rest):]
		}
	}
	for _, k := range l.Halo.local {
		fetched[k.to] = appendRow(nil, row, int(k.from))
	}
	parts := make([]Rows, len(l.Parts))
	for k, p := range l.Parts {
		rows := Rows{RowPtr: make([]int64, 1, len(p.Ghosts)+1)}
		for _, b := range slices.Concat(fetched[p.At:p.First()], fetched[p.End():p.Next()]) {
			rows.decodeRow(b)
		}
		parts[k] = rows
	}
	return parts
}

// appendRow appends the row at a position: the number of its entries, the columns and the values.
func appendRow(b []byte, row func(at int) (cols []int64, vals []float64), at int) []byte {
	cols, vals := row(at)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(cols)))
	for _, j := range cols {
		b = binary.LittleEndian.AppendUint64(b, uint64(j))
	}
	for _, v := range vals {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// decodeRow adds the row at the beginning of b.
func (r *Rows) decodeRow(b []byte) {
	n := int(binary.LittleEndian.Uint64(b))
	b = b[8:]
	for k := range n {
		r.Col = append(r.Col, int64(binary.LittleEndian.Uint64(b[8*k:])))
		r.Val = append(r.Val, math.Float64frombits(binary.LittleEndian.Uint64(b[8*(n+k):])))
	}
	r.RowPtr = append(r.RowPtr, int64(len(r.Col)))
}

// Block returns the diagonal block of part k in local, a matrix with the pattern of Local: its own rows and columns.
func (m *Matrix) Block(local *csr.Matrix, k int) *csr.Matrix {
	p := m.Parts[k]
	b := newSquare(p.Own, int(local.RowPtr[p.End()]-local.RowPtr[p.First()]))
	for i := p.First(); i < p.End(); i++ {
		cols, vals := local.Row(i)
		lo, _ := slices.BinarySearch(cols, int32(p.First()))
		hi, _ := slices.BinarySearch(cols, int32(p.End()))
		for e := lo; e < hi; e++ {
			b.Col, b.Val = append(b.Col, cols[e]-int32(p.First())), append(b.Val, vals[e])
		}
		b.RowPtr = append(b.RowPtr, int64(len(b.Col)))
	}
	return b
}

// Segment returns the rows and columns of the whole segment of part k: its own rows in local, a matrix with the
// pattern of Local, and those of its ghosts, as GhostRows returns them, without the columns that the segment does not have.
func (m *Matrix) Segment(local *csr.Matrix, k int, ghosts Rows) *csr.Matrix {
	p := m.Parts[k]
	s := newSquare(p.Next()-p.At, int(local.RowPtr[p.End()]-local.RowPtr[p.First()])+len(ghosts.Col))
	add := func(i int) {
		for e := ghosts.RowPtr[i]; e < ghosts.RowPtr[i+1]; e++ {
			if at, ok := p.find(ghosts.Col[e]); ok {
				s.Col, s.Val = append(s.Col, int32(at)), append(s.Val, ghosts.Val[e])
			}
		}
		s.RowPtr = append(s.RowPtr, int64(len(s.Col)))
	}
	for i := range p.Below {
		add(i)
	}
	for i := p.First(); i < p.End(); i++ {
		cols, vals := local.Row(i)
		for _, j := range cols {
			s.Col = append(s.Col, j-int32(p.At))
		}
		s.Val = append(s.Val, vals...)
		s.RowPtr = append(s.RowPtr, int64(len(s.Col)))
	}
	for i := range p.Above {
		add(p.Below + i)
	}
	return s
}

// newSquare returns a matrix of n rows and columns, to which the rows are to be added.
func newSquare(n, entries int) *csr.Matrix {
	return &csr.Matrix{Rows: n, Cols: n, RowPtr: make([]int64, 1, n+1), Col: make([]int32, 0, entries), Val: make([]float64, 0, entries)}
}
