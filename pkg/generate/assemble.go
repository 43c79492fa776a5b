package generate

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// A source knows the rows of a matrix one by one. Its methods are called from
// several goroutines at a time.
type source interface {
	count(row int) int                        // number of entries
	fill(row int, col []int32, val []float64) // exactly that many, columns increasing
}

// rowsPerPart is the number of rows that a thread takes at a time.
const rowsPerPart = 1024

// assemble makes the square matrix of a source: a pass that counts, then a
// pass that fills, both by ranges of rows.
func assemble(pool *parallel.Pool, n int, s source) *csr.Matrix {
	rowPtr := make([]int64, n+1)
	eachRow(pool, n, func(i int) { rowPtr[i+1] = int64(s.count(i)) })
	for i := range n {
		rowPtr[i+1] += rowPtr[i]
	}
	m := &csr.Matrix{
		Rows: n, Cols: n, RowPtr: rowPtr,
		Col: make([]int32, rowPtr[n]), Val: make([]float64, rowPtr[n]),
	}
	eachRow(pool, n, func(i int) {
		col, val := m.Row(i)
		s.fill(i, col, val)
	})
	return m
}

// eachRow calls f for all i in [0, n), in parallel.
func eachRow(pool *parallel.Pool, n int, f func(i int)) {
	pool.Each((n+rowsPerPart-1)/rowsPerPart, func(part int) {
		for i := part * rowsPerPart; i < min(n, (part+1)*rowsPerPart); i++ {
			f(i)
		}
	})
}

// stamps are the entries of a matrix in the order in which a model adds them, as circuit
// simulators do. Entries of one place add up in that order, so that a matrix whose entries
// come in pairs is exactly symmetric.
type stamps struct {
	row, col []int32
	val      []float64
}

// add adds v at (i, j).
func (s *stamps) add(i, j int, v float64) {
	s.row = append(s.row, int32(i))
	s.col = append(s.col, int32(j))
	s.val = append(s.val, v)
}

// pair adds v at (i, j) and at (j, i), which must not be the diagonal.
func (s *stamps) pair(i, j int, v float64) {
	s.add(i, j, v)
	s.add(j, i, v)
}

// edge adds g (x_i - x_j)^2 / 2, a spring or a conductance between two unknowns.
func (s *stamps) edge(i, j int, g float64) {
	s.add(i, i, g)
	s.add(j, j, g)
	s.pair(i, j, -g)
}

// stamped is the source of a matrix of stamps.
type stamped struct {
	start []int // of each row in col and val
	col   []int32
	val   []float64
}

// source sorts the stamps of an n by n matrix into rows. Sums that are zero stay entries.
func (s *stamps) source(n int) source {
	start := make([]int, n+1)
	for _, i := range s.row {
		start[i+1]++
	}
	for i := range n {
		start[i+1] += start[i]
	}
	order, next := make([]int, len(s.row)), slices.Clone(start)
	for k, i := range s.row {
		order[next[i]] = k
		next[i]++
	}
	m := &stamped{start: make([]int, 1, n+1)}
	for i := range n {
		row := order[start[i]:start[i+1]]
		slices.SortStableFunc(row, func(k, l int) int { return cmp.Compare(s.col[k], s.col[l]) })
		for p, k := range row {
			if p > 0 && s.col[row[p-1]] == s.col[k] {
				m.val[len(m.val)-1] += s.val[k]
				continue
			}
			m.col, m.val = append(m.col, s.col[k]), append(m.val, s.val[k])
		}
		m.start = append(m.start, len(m.col))
	}
	return m
}

func (m *stamped) count(row int) int { return m.start[row+1] - m.start[row] }

func (m *stamped) fill(row int, col []int32, val []float64) {
	copy(col, m.col[m.start[row]:m.start[row+1]])
	copy(val, m.val[m.start[row]:m.start[row+1]])
}

// MakeRows makes rows lo to hi-1 of the matrix that Generate makes of the kind, on the threads of pool, for example the
// rows of a rank. rowPtr begins with 0; col has the columns of the whole matrix. Stencils on a grid, poisson2d, poisson3d,
// elasticity3d and stencil27 may have more rows than Generate makes: edges up to 2^18.
func (k Kind) MakeRows(p Params, lo, hi int64, pool *parallel.Pool) (rowPtr, col []int64, val []float64, err error) {
	s, err := k.sourceOf(p, lo, hi, pool)
	if err != nil {
		return nil, nil, nil, err
	}
	n := int(hi - lo)
	rowPtr = make([]int64, n+1)
	eachRow(pool, n, func(i int) { rowPtr[i+1] = int64(s.count(int(lo) + i)) })
	for i := range n {
		rowPtr[i+1] += rowPtr[i]
	}
	col, val = make([]int64, rowPtr[n]), make([]float64, rowPtr[n])
	parts := (n + rowsPerPart - 1) / rowsPerPart
	pool.Each(parts, func(part int) {
		var narrow []int32
		for i := part * rowsPerPart; i < min(n, (part+1)*rowsPerPart); i++ {
			from, to, row := rowPtr[i], rowPtr[i+1], lo+int64(i)
			narrow = append(narrow[:0], make([]int32, to-from)...)
			s.fill(int(row), narrow, val[from:to])
			for at, j := range narrow {
				col[from+int64(at)] = row + int64(j-int32(row)) // they differ by less than 2^31
			}
		}
	})
	return rowPtr, col, val, nil
}

// sourceOf returns the source of rows lo to hi-1.
func (k Kind) sourceOf(p Params, lo, hi int64, pool *parallel.Pool) (source, error) {
	v, err := k.values(p)
	if k.part != nil {
		v, err = k.valuesUpTo(p, func(q Param) float64 { return max(q.Max, q.largest) })
	}
	if err != nil {
		return nil, err
	}
	rows, _ := k.size(v)
	if lo < 0 || lo > hi || hi > rows {
		return nil, fmt.Errorf("generate %s: rows %d to %d of %d", k.Name, lo, hi, rows)
	}
	if k.part != nil {
		if s := k.part(pool, v, int(lo), int(hi)); s != nil {
			return s, nil
		}
	}
	if _, err := k.values(p); err != nil {
		return nil, err
	}
	return k.source(pool, v), nil
}
