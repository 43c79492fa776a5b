package dist

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// A Slab is some consecutive rows of a matrix that ranks share. The whole may have more columns than a csr.Matrix can number; the
// columns of the rows of one rank are few enough, and are numbered in their order.
type Slab struct {
	*csr.Matrix
	Columns []int64 // the columns of the whole that those of Matrix are, ascending, with all rows of the slab among them; nil: the same numbers
}

// NewSlab returns a slab of rows from first on, which parts hold one after the other. The columns of a row stay in their order. NewSlab
// takes over the memory of the values of a single part. It is an error if the rows and what they refer to are more than 2^31-1.
func NewSlab(first int64, parts ...Rows) (s Slab, err error) {
	s.Matrix = &csr.Matrix{RowPtr: []int64{0}}
	var cols [][]int64
	for k, p := range parts {
		cols = append(cols, p.Col)
		for _, at := range p.RowPtr[1:] {
			s.RowPtr = append(s.RowPtr, int64(s.NNZ())+at)
		}
		if k == 0 {
			s.Val = p.Val
		} else {
			s.Val = append(s.Val, p.Val...)
		}
	}
	s.Rows = len(s.RowPtr) - 1
	if s.Col, s.Columns, err = Renumber(first, int64(s.Rows), cols...); err != nil {
		return Slab{}, err
	}
	s.Cols = len(s.Columns)
	return s, nil
}

// Renumber numbers the columns of so many rows from first on, and these rows themselves, in their order: it returns the new numbers of
// cols, one slice after the other, and the columns that they stand for.
func Renumber(first, rows int64, cols ...[]int64) (renumbered []int32, columns []int64, err error) {
	var others []int64
	count := 0
	for _, c := range cols {
		others = append(others, ghostsOf(c, first, first+rows)...)
		count += len(c)
	}
	slices.Sort(others)
	others = slices.Compact(others)
	if err := Fits(rows + int64(len(others))); err != nil {
		return nil, nil, err
	}
	below, _ := slices.BinarySearch(others, first)
	columns = append(make([]int64, 0, rows+int64(len(others))), others[:below]...)
	for i := range rows {
		columns = append(columns, first+i)
	}
	columns = append(columns, others[below:]...)
	segment := Part{Row: first, Below: below, Own: int(rows), Ghosts: others}
	renumbered = make([]int32, 0, count)
	for _, c := range cols {
		for _, j := range c {
			renumbered = append(renumbered, int32(segment.position(j)))
		}
	}
	return renumbered, columns, nil
}

// column returns the number in Matrix of a column that is there.
func (s *Slab) column(j int64) int64 {
	if s.Columns == nil {
		return j
	}
	at, _ := slices.BinarySearch(s.Columns, j)
	return int64(at)
}

// whole returns the columns of the whole that these columns of Matrix are.
func (s *Slab) whole(cols []int64) []int64 {
	if s.Columns == nil {
		return cols
	}
	named := make([]int64, len(cols))
	for k, j := range cols {
		named[k] = s.Columns[j]
	}
	return named
}

// Adopt returns the matrix of these domains, given the rows that this rank owns, one domain after the other, with columns ascending in
// each row. Adopt takes over the memory of the slab and allocates none for columns and values. It is collective.
func (s Slab) Adopt(c Comm, d Domains) (*Matrix, error) {
	lo, hi := d.Owned(c.Rank(), c.Size())
	finders, ghosts := make([]*finder, hi-lo), make([][]int64, hi-lo)
	count := d.Rows()
	if s.Columns != nil {
		count = int64(len(s.Columns))
	}
	eachPart(len(ghosts), func(k int) {
		first := s.column(d.Start[lo+k])
		finders[k] = newFinder(columnsOf(s.Matrix, d, lo, k), count, first, first+d.Start[lo+k+1]-d.Start[lo+k])
		ghosts[k] = s.whole(finders[k].ghosts)
	})
	l, err := NewLayout(c, d, ghosts)
	if err != nil {
		return nil, err
	}
	eachPart(len(l.Parts), func(k int) { finders[k].place(columnsOf(s.Matrix, d, lo, k), l.Parts[k]) })
	m := s.Matrix
	if l.Len > m.Rows {
		m.RowPtr = l.withGhosts(m.RowPtr)
	}
	m.Rows, m.Cols = l.Len, l.Len
	return l.matrix(m), nil
}

// Fits returns an error if positions among so many rows and ghosts of a rank exceed int32.
func Fits(n int64) error {
	if n > math.MaxInt32 {
		return fmt.Errorf("dist: %d rows and ghosts on a rank; at most 2^31-1 are possible: more ranks are needed", n)
	}
	return nil
}

// agreed returns the error of the first rank that has one, on all ranks. It is collective.
func agreed(c Comm, err error) error {
	rank := First(c, err != nil)
	if rank < 0 {
		return nil
	}
	text := ""
	if err != nil {
		text = err.Error()
	}
	return errors.New(string(Share(c, rank, []byte(text))))
}
