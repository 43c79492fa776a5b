package dist

import (
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// A RowBlock is some rows that become neighbouring rows of a matrix of Stacked.
type RowBlock struct {
	at  int                                            // the first row there
	ptr []int64                                        // offsets of the rows; one more than there are rows
	set func(lo, hi int64, col []int32, val []float64) // sets the entries lo to hi-1 of ptr
}

// MovedBlock is the rows lo to hi-1 of m from row at on, with columns to[j] instead of j; nil: as they are.
func MovedBlock(at int, m *csr.Matrix, lo, hi int, to []int32) RowBlock {
	if to == nil {
		return ShiftedBlock(at, m, lo, hi, 0)
	}
	return RowBlock{at, m.RowPtr[lo : hi+1], func(lo, hi int64, col []int32, val []float64) {
		copy(val, m.Val[lo:hi])
		for e, j := range m.Col[lo:hi] {
			col[e] = to[j]
		}
	}}
}

// ShiftedBlock is the rows lo to hi-1 of m from row at on, with columns that are greater by so much.
func ShiftedBlock(at int, m *csr.Matrix, lo, hi, by int) RowBlock {
	return RowBlock{at, m.RowPtr[lo : hi+1], func(lo, hi int64, col []int32, val []float64) {
		copy(val, m.Val[lo:hi])
		for e, j := range m.Col[lo:hi] {
			col[e] = j + int32(by)
		}
	}}
}

// GhostBlocks are rows of the ghosts of p, from row at on where the segment of p begins there. Their columns are those of the matrix.
func GhostBlocks(at int, p Part, r Rows) (below, above RowBlock) {
	set := func(lo, hi int64, col []int32, val []float64) {
		copy(val, r.Val[lo:hi])
		for e, j := range r.Col[lo:hi] {
			col[e] = int32(j)
		}
	}
	return RowBlock{at, r.RowPtr[:p.Below+1], set}, RowBlock{at + p.Below + p.Own, r.RowPtr[p.Below:], set}
}

// Stacked returns a matrix of blocks of rows, which are in order; other rows are empty.
func Stacked(rows, cols int, blocks []RowBlock, pool *parallel.Pool) *csr.Matrix {
	type task struct {
		RowBlock
		lo, hi int
		first  int64 // where entry 0 of ptr is
	}
	var tasks []task
	m := &csr.Matrix{Rows: rows, Cols: cols, RowPtr: make([]int64, rows+1)}
	done, nnz := 0, int64(0)
	for _, b := range blocks {
		for ; done < b.at; done++ {
			m.RowPtr[done+1] = nnz
		}
		n := len(b.ptr) - 1
		for lo := 0; lo < n; lo += chunkSize {
			tasks = append(tasks, task{b, lo, min(lo+chunkSize, n), nnz - b.ptr[0]})
		}
		done, nnz = done+n, nnz+b.ptr[n]-b.ptr[0]
	}
	for ; done < rows; done++ {
		m.RowPtr[done+1] = nnz
	}
	m.Col, m.Val = make([]int32, nnz), make([]float64, nnz)
	pool.Each(len(tasks), func(k int) {
		t := &tasks[k]
		for i := t.lo; i < t.hi; i++ {
			m.RowPtr[t.at+i+1] = t.first + t.ptr[i+1]
		}
		lo, hi := t.ptr[t.lo], t.ptr[t.hi]
		t.set(lo, hi, m.Col[t.first+lo:t.first+hi], m.Val[t.first+lo:t.first+hi])
	})
	return m
}
