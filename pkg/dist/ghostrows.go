package dist

import (
	"math"
	"slices"
	"unsafe"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
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
		var b rowBuffer
		for _, at := range k.send {
			b.add(row(int(at)))
		}
		to[k.rank] = b.bytes()
	}
	first := make([]int64, l.Len) // by the position of a ghost: where its row begins in fetched
	var fetched rowBuffer
	for _, k := range l.Halo.local {
		first[k.to] = int64(len(fetched.words))
		fetched.add(row(int(k.from)))
	}
	from := c.Alltoall(to)
	for _, k := range l.Halo.links {
		at := int64(len(fetched.words))
		more := rowBuffer{make([]int64, len(from[k.rank])/8)}
		copy(more.bytes(), from[k.rank])
		fetched.words = append(fetched.words, more.words...)
		for _, ghost := range k.recv {
			first[ghost] = at
			at += 1 + 2*fetched.words[at]
		}
	}
	parts := make([]Rows, len(l.Parts))
	for k, p := range l.Parts {
		parts[k] = fetched.rows(slices.Concat(first[p.At:p.First()], first[p.End():p.Next()]))
	}
	return parts
}

// rowBuffer is rows: of each the number of entries, the columns and the values.
type rowBuffer struct{ words []int64 }

func (b *rowBuffer) add(cols []int64, vals []float64) {
	b.words = append(append(b.words, int64(len(cols))), cols...)
	b.words = append(b.words, unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(vals))), len(vals))...)
}

func (b *rowBuffer) bytes() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(b.words))), 8*len(b.words))
}

// rows are those that begin at these words.
func (b *rowBuffer) rows(first []int64) Rows {
	r := Rows{RowPtr: make([]int64, len(first)+1)}
	for i, at := range first {
		r.RowPtr[i+1] = r.RowPtr[i] + b.words[at]
	}
	n := r.RowPtr[len(first)]
	r.Col, r.Val = make([]int64, n), make([]float64, n)
	for i, at := range first {
		lo, hi := r.RowPtr[i], r.RowPtr[i+1]
		words := b.words[at+1:]
		copy(r.Col[lo:hi], words)
		for e := lo; e < hi; e++ {
			r.Val[e] = math.Float64frombits(uint64(words[hi-lo+e-lo]))
		}
	}
	return r
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

// TransposedBlocks returns the transposes of the diagonal blocks in local, a matrix with the pattern of Local, in its positions.
func (m *Matrix) TransposedBlocks(local *csr.Matrix, pool *parallel.Pool) *csr.Matrix {
	t := newSquare(m.Len, len(local.Col))
	for k, p := range m.Parts {
		for len(t.RowPtr) <= p.First() {
			t.RowPtr = append(t.RowPtr, int64(len(t.Col)))
		}
		b := m.Block(local, k).Transpose(pool)
		base := int64(len(t.Col))
		for _, j := range b.Col {
			t.Col = append(t.Col, j+int32(p.First()))
		}
		t.Val = append(t.Val, b.Val...)
		for _, at := range b.RowPtr[1:] {
			t.RowPtr = append(t.RowPtr, base+at)
		}
	}
	for len(t.RowPtr) <= m.Len {
		t.RowPtr = append(t.RowPtr, int64(len(t.Col)))
	}
	return t
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
