package dist

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// A Frame cuts a matrix that is not square into domains, each with a range of the rows and a range of the columns, and makes it a square
// one, so that vectors of both dimensions have one layout. The square matrix has the numbers of the longer side. Its domains have the
// elements of the shorter side, in their order, at their first positions; rows or columns of zeros are at the others.
type Frame struct{ Rows, Cols Domains }

// NewFrame cuts so many columns in proportion to the rows.
func NewFrame(rows Domains, cols int64) *Frame {
	f := &Frame{Rows: rows}
	for _, at := range rows.Start {
		f.Cols.Start = append(f.Cols.Start, at*cols/rows.Rows())
	}
	return f
}

// square returns the domains of the square matrix.
func (f *Frame) square() Domains {
	if f.Cols.Rows() > f.Rows.Rows() {
		return f.Cols
	}
	return f.Rows
}

// Adopt returns the square matrix, given the rows that this rank owns, with columns ascending in each row. It takes over the memory of
// the rows. It is collective.
func (f *Frame) Adopt(c Comm, m *csr.Matrix) (*Matrix, error) {
	square := f.square()
	a, err := Adopt(c, square, f.within(m, c.Rank(), c.Size()))
	if err == nil {
		a.Frame = f
	}
	return a, err
}

// within returns the rows of a rank with the rows and columns of the square matrix, in the same memory but for the row offsets.
func (f *Frame) within(m *csr.Matrix, rank, size int) *csr.Matrix {
	square := f.square()
	lo, hi := square.Owned(rank, size)
	s := &csr.Matrix{Rows: m.Rows, Cols: int(square.Rows()), RowPtr: m.RowPtr, Col: m.Col, Val: m.Val}
	if f.Cols.Rows() > f.Rows.Rows() {
		s.RowPtr = f.filledUp(m.RowPtr, lo, hi)
		s.Rows = len(s.RowPtr) - 1
	} else if square.Count() > 1 {
		for k, j := range m.Col {
			d := f.Cols.Of(int64(j))
			m.Col[k] = int32(square.Start[d] + int64(j) - f.Cols.Start[d])
		}
	}
	return s
}

// filledUp returns the row offsets of domains lo to hi-1 with an empty row for each column that has no row.
func (f *Frame) filledUp(ptr []int64, lo, hi int) []int64 {
	all := make([]int64, 1, f.Cols.Start[hi]-f.Cols.Start[lo]+1)
	for d := lo; d < hi; d++ {
		n := f.Rows.size(d)
		all = append(all, ptr[1:n+1]...)
		ptr = ptr[n:]
		for range f.Cols.size(d) - n {
			all = append(all, ptr[0])
		}
	}
	return all
}

// size returns the number of rows of a domain.
func (d Domains) size(domain int) int64 { return d.Start[domain+1] - d.Start[domain] }

// Sides returns the domains of the rows and of the columns of the matrix as it was given.
func (m *Matrix) Sides() (rows, cols Domains) {
	if f := m.Frame; f != nil {
		return f.Rows, f.Cols
	}
	return m.Domains, m.Domains
}

// SpreadOver is Spread of a vector that is cut into d, one of Sides. Other own elements of dst stay as they are. It is collective.
func (l *Layout) SpreadOver(d Domains, dst, src []float64) {
	for _, p := range l.Parts {
		n := d.size(p.Domain)
		copy(dst[p.First():], src[:n])
		src = src[n:]
	}
	l.Halo.Exchange(dst)
}

// JoinOver returns the elements of this rank of a vector that is cut into d, the inverse of SpreadOver.
func (l *Layout) JoinOver(d Domains, src []float64) []float64 {
	own := make([]float64, 0, d.Spans(l.Comm.Size())[l.Comm.Rank()].Rows())
	for _, p := range l.Parts {
		own = append(own, src[p.First():][:d.size(p.Domain)]...)
	}
	return own
}

// examine is Examine of a matrix that is not square. A diagonal is not looked for.
func (f *Frame) examine(m *Matrix, pool *parallel.Pool) csr.Facts {
	all := noFacts()
	for _, p := range m.Parts {
		g, _ := csr.ExamineRows(m.Local, p.First(), p.First()+int(f.Rows.size(p.Domain)), func(int) uint64 { return 0 }, pool)
		g.DiagonalPositive, g.DiagonalNegative, g.DiagonalZero = 0, 0, 0
		all.Merge(f.given(m, g))
	}
	all = joinFacts(m.Comm, all)
	all.Rows, all.Cols, all.NNZ, all.Asymmetry = int(f.Rows.Rows()), int(f.Cols.Rows()), int(m.NNZ), math.NaN()
	if all.MaxAbs == 0 {
		all.MinAbs = 0
	}
	all.EmptyCol = m.emptyColumn(pool)
	return all
}

// given returns facts with the numbers of rows and columns as they were given.
func (f *Frame) given(m *Matrix, g csr.Facts) csr.Facts {
	g = m.global(g)
	number := func(side Domains, at int) int {
		d := m.Domains.Of(int64(at))
		return int(side.Start[d] + int64(at) - m.Domains.Start[d])
	}
	if g.EmptyRow >= 0 {
		g.EmptyRow = number(f.Rows, g.EmptyRow)
	}
	if at := &g.FirstNonFinite; g.NonFinite > 0 {
		at.Row, at.Col = number(f.Rows, at.Row), number(f.Cols, at.Col)
	}
	return g
}
