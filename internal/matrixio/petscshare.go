package matrixio

import (
	"context"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// petscShare is a real PETSc file whose numbers are at known positions.
type petscShare struct {
	*source
	petscHead
	lengths, columns, values int64 // where they begin
}

// sharePETSc returns a file of which rows can be read; nil if its values are complex, or it has faults of which readPETSc tells.
func sharePETSc(s *source) (*matrixmarket.Shared, error) {
	s.wide = true
	h, err := s.petscHead()
	if err != nil {
		return nil, err
	}
	p := &petscShare{source: s, petscHead: h, lengths: s.at}
	f := &matrixmarket.Shared{Rows: int(h.rows), Cols: int(h.cols), Entries: h.entries, Read: p.read, Lengths: p.each}
	width := int64(h.whole.bytes)
	if h.sparse {
		if max(h.rows, h.entries) > s.size/width {
			return nil, nil
		}
		p.columns = p.lengths + width*h.rows
		p.values = p.columns + width*h.entries
	} else {
		f.Format, f.Read, f.Lengths = matrixmarket.Array, p.readDense, nil
		if err := s.dims(f.Header, h.rows, h.cols); err != nil {
			return nil, err
		}
		f.Entries, p.values = h.rows*h.cols, p.lengths
	}
	values, err := s.from(s.ctx, p.values).petscValues(f.Entries)
	if err != nil || values.letter == 'c' {
		return nil, nil
	}
	var told matrixmarket.Content
	if s.from(s.ctx, p.values+8*f.Entries).rest(&told) != nil {
		return nil, nil
	}
	f.Warnings = told.Warnings
	return f, nil
}

// mostColumns is the largest number of columns that have their own numbers in memory; less in tests.
var mostColumns int64 = csr.MaxDim

// each passes the lengths of rows from to to-1.
func (p *petscShare) each(ctx context.Context, from, to int64, take func(lengths []int64)) error {
	t, width := p.from(ctx, p.lengths+int64(p.whole.bytes)*from), p.whole.bytes
	var lengths []int64
	return t.each(to-from, p.whole, "the lengths of rows", func(raw []byte) {
		lengths = lengths[:0]
		for ; len(raw) > 0; raw = raw[width:] {
			lengths = append(lengths, p.whole.integer(raw, p.order))
		}
		take(lengths)
	})
}

// read reads rows of a sparse matrix.
func (p *petscShare) read(ctx context.Context, from, to, first int64) (*matrixmarket.Content, error) {
	ptr := make([]int64, 1, to-from+1)
	if err := p.each(ctx, from, to, func(lengths []int64) {
		for _, n := range lengths {
			ptr = append(ptr, ptr[len(ptr)-1]+n)
		}
	}); err != nil {
		return nil, err
	}
	n := ptr[to-from]
	wide := p.cols > mostColumns
	if err := p.fits(to-from, p.cols, n, wide); err != nil { // wide columns take no more than imaginary parts
		return nil, err
	}
	e := &matrixmarket.Entries{Rows: int(to - from), Cols: int(p.cols), First: from}
	columns := p.from(ctx, p.columns+int64(p.whole.bytes)*first)
	var err error
	if wide {
		e.Wide, err = indices[int64](columns, n, p.whole, p.cols, "the columns")
	} else {
		e.Col, err = indices[int32](columns, n, p.whole, p.cols, "the columns")
	}
	if err != nil {
		return nil, err
	}
	s := p.from(ctx, p.values+8*first)
	if e.Val, _, err = s.floats(n, kind{'f', 8}, "the values"); err != nil {
		return nil, err
	}
	if m := (&csr.Matrix{Rows: e.Rows, Cols: e.Cols, RowPtr: ptr, Col: e.Col, Val: e.Val}); !wide && tidy(m) {
		c := matrixmarket.NewContent(s.in.Name, s.bytes(), e.Header, e.Rows, e.Cols, s.opt)
		c.SetMatrix(m, nil, 0)
		return c, nil
	}
	e.Row = spread(ptr)
	return s.content(e)
}

// tidy reports whether the columns of each row ascend, without duplicates, and the values are finite and not 0: then there is nothing to assemble.
func tidy(m *csr.Matrix) bool {
	for i := range m.Rows {
		last := int32(-1)
		for k := m.RowPtr[i]; k < m.RowPtr[i+1]; k++ {
			if v := m.Val[k]; m.Col[k] <= last || v == 0 || v-v != 0 {
				return false
			}
			last = m.Col[k]
		}
	}
	return true
}

// readDense reads rows of a dense matrix, which lie one after the other, or elements of a vector.
func (p *petscShare) readDense(ctx context.Context, from, to, _ int64) (*matrixmarket.Content, error) {
	rows := to - from
	if err := p.fitsDense(rows, p.cols, false); err != nil {
		return nil, err
	}
	s := p.from(ctx, p.values+8*from*p.cols)
	v, _, err := s.floats(rows*p.cols, kind{'f', 8}, "the values")
	if err != nil {
		return nil, err
	}
	return s.dense(rows, p.cols, byColumns(v, rows, p.cols), nil), nil
}
