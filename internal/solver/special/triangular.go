package special

import "github.com/mpsolve/mpsolve/pkg/csr"

// triangularOrder returns orders of rows and columns in which a square matrix is lower
// triangular without a zero on the diagonal: row rows[k] has nonzeros in columns cols[0] to
// cols[k] only, and one in cols[k]. They are nil if there are none, which is known at once
// for most matrices: one that has them has a row and a column of a single nonzero.
func triangularOrder(m *csr.Matrix) (rows, cols []int32) {
	if m.Rows != m.Cols || !hasShortRow(m) {
		return nil, nil
	}
	start, inColumn, left := columnPattern(m)
	rows, cols = make([]int32, 0, m.Rows), make([]int32, 0, m.Rows)
	done := make([]bool, m.Cols)
	for i, count := range left {
		if count == 1 {
			rows = append(rows, int32(i))
		}
	}
	for k := 0; k < len(rows); k++ { // rows is also the queue of those with one column left
		j := unmarked(m, int(rows[k]), done)
		if j < 0 {
			return nil, nil // another row has taken its column
		}
		done[j] = true
		cols = append(cols, int32(j))
		for _, i := range inColumn[start[j]:start[j+1]] {
			if left[i]--; left[i] == 1 {
				rows = append(rows, i)
			}
		}
	}
	if len(rows) < m.Rows {
		return nil, nil
	}
	return rows, cols
}

// hasShortRow reports whether a row has a single entry.
func hasShortRow(m *csr.Matrix) bool {
	for i := range m.Rows {
		if m.RowPtr[i+1]-m.RowPtr[i] == 1 {
			return true
		}
	}
	return false
}

// columnPattern returns the rows of the nonzeros in each column, and the number of nonzeros
// in each row.
func columnPattern(m *csr.Matrix) (start []int64, rows, counts []int32) {
	start, counts = make([]int64, m.Cols+1), make([]int32, m.Rows)
	m.DoNonZero(func(i, j int, v float64) {
		if v != 0 {
			start[j+1]++
			counts[i]++
		}
	})
	for j := range m.Cols {
		start[j+1] += start[j]
	}
	rows = make([]int32, start[m.Cols])
	next := append([]int64(nil), start...)
	m.DoNonZero(func(i, j int, v float64) {
		if v != 0 {
			rows[next[j]] = int32(i)
			next[j]++
		}
	})
	return start, rows, counts
}

// unmarked returns the column of a nonzero of row i that is not marked; -1: there is none.
func unmarked(m *csr.Matrix, i int, marked []bool) int {
	cols, vals := m.Row(i)
	for k, j := range cols {
		if vals[k] != 0 && !marked[j] {
			return int(j)
		}
	}
	return -1
}
