package dist

import (
	"fmt"
	"math"
	"sync"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// Adopt returns the matrix of these domains. m holds the rows that this rank owns, one domain after the other, with
// their columns in the whole matrix, ascending in each row. Adopt takes over the memory of m and allocates none for
// columns and values. It is collective.
func Adopt(c Comm, d Domains, m *csr.Matrix) (*Matrix, error) {
	lo, hi := d.Owned(c.Rank(), c.Size())
	finders, ghosts := make([]*finder, hi-lo), make([][]int64, hi-lo)
	eachPart(len(ghosts), func(k int) {
		finders[k] = newFinder(columnsOf(m, d, lo, k), d.Rows(), d.Start[lo+k], d.Start[lo+k+1])
		ghosts[k] = finders[k].ghosts
	})
	l := NewLayout(c, d, ghosts)
	if err := l.fits(); err != nil {
		return nil, err
	}
	eachPart(len(l.Parts), func(k int) { finders[k].place(columnsOf(m, d, lo, k), l.Parts[k]) })
	if l.Len > m.Rows {
		m.RowPtr = l.withGhosts(m.RowPtr)
	}
	m.Rows, m.Cols = l.Len, l.Len
	return l.matrix(m), nil
}

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

// fits returns an error if positions on any rank exceed int32. It is collective.
func (l *Layout) fits() error {
	largest := []int64{int64(l.Len)}
	l.Comm.Max(largest)
	if largest[0] > math.MaxInt32 {
		return fmt.Errorf("dist: %d rows and ghosts on a rank; at most 2^31-1 are possible: more ranks are needed", largest[0])
	}
	return nil
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
