package dist

import (
	"slices"
	"sync"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Rows are the rows of one domain, with their columns in the whole matrix, ascending in each row.
type Rows struct {
	RowPtr []int64 // from 0; one more than there are rows
	Col    []int64
	Val    []float64
}

// A Matrix is a square matrix, distributed over ranks, or another one in a square Frame.
type Matrix struct {
	*Layout
	N, NNZ int64 // rows and nonzeros, of all ranks
	Node   int   // domains have whole nodes of so many consecutive rows; 0 and 1: any rows

	Frame *Frame // nil: the matrix was given square

	// Local has the rows of this rank: row and column i are position i of a vector. Rows of ghosts are empty.
	Local *csr.Matrix
}

// Through returns the matrix with another Comm of the same ranks for what is sent from now on, but for halos.
func (m *Matrix) Through(c Comm) *Matrix {
	through, l := *m, *m.Layout
	l.Comm, through.Layout = c, &l
	return &through
}

// NewMatrix returns the matrix of these domains, given the rows of the domains that this rank owns. It takes over the
// memory of the rows. It is collective.
func NewMatrix(c Comm, d Domains, parts []Rows) (*Matrix, error) {
	first, _ := d.Owned(c.Rank(), c.Size())
	s, err := NewSlab(d.Start[first], parts...)
	if err := agreed(c, err); err != nil {
		return nil, err
	}
	return s.Adopt(c, d)
}

// Spread distributes the matrix m, which every rank has, over the ranks of c in so many domains. It is collective.
func Spread(c Comm, m *csr.Matrix, domains int) (*Matrix, error) {
	d, err := CutMatrix(m, domains)
	if err != nil {
		return nil, err
	}
	lo, hi := d.Owned(c.Rank(), c.Size())
	own := RowRange(m, int(d.Start[lo]), int(d.Start[hi]))
	if m.Rows != m.Cols {
		return NewFrame(d, int64(m.Cols)).Adopt(c, own)
	}
	return Adopt(c, d, own)
}

// RowRange returns a copy of rows from to to-1 of m, with their columns.
func RowRange(m *csr.Matrix, from, to int) *csr.Matrix {
	at, end := m.RowPtr[from], m.RowPtr[to]
	rows := &csr.Matrix{
		Rows: to - from, Cols: m.Cols, RowPtr: slices.Clone(m.RowPtr[from : to+1]),
		Col: slices.Clone(m.Col[at:end]), Val: slices.Clone(m.Val[at:end]),
	}
	for i := range rows.RowPtr {
		rows.RowPtr[i] -= at
	}
	return rows
}

// PartOf returns part k of local, a matrix with the pattern of Local: its own rows, with columns that are positions
// in its segment. If the segment begins at 0, as on a rank with one domain, the result shares the memory of local.
func (m *Matrix) PartOf(local *csr.Matrix, k int, pool *parallel.Pool) *csr.Matrix {
	p := m.Parts[k]
	from, to := local.RowPtr[p.First()], local.RowPtr[p.End()]
	a := &csr.Matrix{Rows: p.Own, Cols: p.Next() - p.At, RowPtr: make([]int64, p.Own+1), Col: local.Col[from:to], Val: local.Val[from:to]}
	for i := range a.RowPtr {
		a.RowPtr[i] = local.RowPtr[p.First()+i] - from
	}
	if p.At > 0 {
		from := a.Col
		a.Col = make([]int32, len(from))
		pool.RunRanges(csr.Panels(a), func(_, lo, hi int) {
			for i := a.RowPtr[lo]; i < a.RowPtr[hi]; i++ {
				a.Col[i] = from[i] - int32(p.At)
			}
		})
	}
	return a
}

// Adopt is Slab.Adopt of rows whose columns have the numbers of the whole matrix. It is collective.
func Adopt(c Comm, d Domains, m *csr.Matrix) (*Matrix, error) { return Slab{Matrix: m}.Adopt(c, d) }

// columnsOf returns the columns of the rows of part k, given the rows of domain lo and the following ones.
func columnsOf(m *csr.Matrix, d Domains, lo, k int) []int32 {
	from, to := d.Start[lo+k]-d.Start[lo], d.Start[lo+k+1]-d.Start[lo]
	return m.Col[m.RowPtr[from]:m.RowPtr[to]]
}

// withGhosts inserts empty rows for the ghosts into the row offsets.
func (l *Layout) withGhosts(ptr []int64) []int64 {
	all := make([]int64, 1, l.Len+1)
	upTo := func(at int) {
		for len(all) <= at {
			all = append(all, all[len(all)-1])
		}
	}
	for _, p := range l.Parts {
		upTo(p.First())
		all = append(all, ptr[1:p.Own+1]...)
		ptr = ptr[p.Own:]
	}
	upTo(l.Len)
	return all
}

// matrix returns the matrix of which this rank has these rows. It is collective.
func (l *Layout) matrix(local *csr.Matrix) *Matrix {
	count := []int64{int64(local.NNZ())}
	l.Comm.Sum(count)
	return &Matrix{Layout: l, N: l.Domains.Rows(), NNZ: count[0], Local: local}
}

// eachPart runs do(0) to do(n-1), each on its own goroutine.
func eachPart(n int, do func(k int)) {
	var all sync.WaitGroup
	for k := range n {
		all.Go(func() { do(k) })
	}
	all.Wait()
}
