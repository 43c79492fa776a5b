package precond

import (
	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// rowBlock is some rows, as ptr of a csr.Matrix says, that become the rows from at on of a matrix.
type rowBlock struct {
	at  int
	ptr []int64
	set func(lo, hi int64, col []int32, val []float64) // sets the entries lo to hi-1 of ptr
}

// movedBlock is the rows lo to hi-1 of m, with columns to[j] instead of j; nil: as they are.
func movedBlock(at int, m *csr.Matrix, lo, hi int, to []int32) rowBlock {
	return rowBlock{at, m.RowPtr[lo : hi+1], func(lo, hi int64, col []int32, val []float64) {
		copy(val, m.Val[lo:hi])
		if to == nil {
			copy(col, m.Col[lo:hi])
			return
		}
		for e, j := range m.Col[lo:hi] {
			col[e] = to[j]
		}
	}}
}

// ghostBlocks are rows of the ghosts of a part, whose columns are positions already.
func ghostBlocks(p dist.Part, r dist.Rows) (below, above rowBlock) {
	set := func(lo, hi int64, col []int32, val []float64) {
		copy(val, r.Val[lo:hi])
		for e, j := range r.Col[lo:hi] {
			col[e] = int32(j)
		}
	}
	return rowBlock{p.At, r.RowPtr[:p.Below+1], set}, rowBlock{p.End(), r.RowPtr[p.Below:], set}
}

// stacked makes a matrix of blocks of rows, which are in order; other rows are empty.
func stacked(rows, cols int, blocks []rowBlock, pool *parallel.Pool) *csr.Matrix {
	type task struct {
		rowBlock
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
		bounds := evenly(n, nodesPerTask)
		for k := range len(bounds) - 1 {
			tasks = append(tasks, task{b, bounds[k], bounds[k+1], nnz - b.ptr[0]})
		}
		done, nnz = done+n, nnz+b.ptr[n]-b.ptr[0]
	}
	for ; done < rows; done++ {
		m.RowPtr[done+1] = nnz
	}
	m.Col, m.Val = make([]int32, nnz), make([]float64, nnz)
	pool.Run(len(tasks), parallel.Func(func(k int) {
		t := &tasks[k]
		for i := t.lo; i < t.hi; i++ {
			m.RowPtr[t.at+i+1] = t.first + t.ptr[i+1]
		}
		lo, hi := t.ptr[t.lo], t.ptr[t.hi]
		t.set(lo, hi, m.Col[t.first+lo:t.first+hi], m.Val[t.first+lo:t.first+hi])
	}))
	return m
}

// assembled makes a matrix whose row i has length(i) elements, which fill sets.
func assembled(rows, cols int, pool *parallel.Pool, length func(i int) int, fill func(i int, col []int32, val []float64)) *csr.Matrix {
	m := &csr.Matrix{Rows: rows, Cols: cols, RowPtr: make([]int64, rows+1)}
	bounds := evenly(rows, nodesPerTask)
	pool.RunRanges(bounds, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			m.RowPtr[i+1] = int64(length(i))
		}
	})
	for i := range rows {
		m.RowPtr[i+1] += m.RowPtr[i]
	}
	m.Col, m.Val = make([]int32, m.RowPtr[rows]), make([]float64, m.RowPtr[rows])
	pool.RunRanges(bounds, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			from, to := m.RowPtr[i], m.RowPtr[i+1]
			fill(i, m.Col[from:to], m.Val[from:to])
		}
	})
	return m
}
