package csr

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// RowSums returns T_i = sum_j |a_ij|, the largest of which is ||A||_inf. It runs on
// the threads of pool (nil: serially), as RowMax does.
func (m *Matrix) RowSums(pool *parallel.Pool) []float64 {
	t := make([]float64, m.Rows)
	eachRow(m, pool, func(i int) {
		var sum float64
		_, vals := m.Row(i)
		for _, v := range vals {
			sum += math.Abs(v)
		}
		t[i] = sum
	})
	return t
}

// LongestRow returns the largest number of entries in a row.
func (m *Matrix) LongestRow() (longest int) {
	for i := range m.Rows {
		longest = max(longest, int(m.RowPtr[i+1]-m.RowPtr[i]))
	}
	return longest
}

// RowMax returns max_j |a_ij| for each row.
func (m *Matrix) RowMax(pool *parallel.Pool) []float64 {
	t := make([]float64, m.Rows)
	eachRow(m, pool, func(i int) { t[i] = m.rowMax(i) })
	return t
}

// rowMax compares magnitudes by their bits, which have the same order with NaN
// above all numbers.
func (m *Matrix) rowMax(i int) float64 {
	var most uint64
	_, vals := m.Row(i)
	for _, v := range vals {
		most = max(most, math.Float64bits(math.Abs(v)))
	}
	return math.Float64frombits(most)
}

// diagonalAndLargest returns |a_ii| and the largest magnitude of the other entries of row i.
func (m *Matrix) diagonalAndLargest(i int) (d, other float64) {
	cols, vals := m.Row(i)
	var most uint64
	for k, v := range vals {
		if v = math.Abs(v); int(cols[k]) == i {
			d = v
		} else {
			most = max(most, math.Float64bits(v))
		}
	}
	return d, math.Float64frombits(most)
}

// Diagonal returns a_ii for i < min(Rows, Cols), zero where it is not stored, on the
// threads of pool (nil: serially).
func (m *Matrix) Diagonal(pool *parallel.Pool) []float64 {
	d := make([]float64, min(m.Rows, m.Cols))
	eachRow(m, pool, func(i int) {
		if i < len(d) {
			d[i], _ = m.find(i, i)
		}
	})
	return d
}

// MulVec computes dst = A x, one row after the other. For products that matter
// use linop.CSR.
func (m *Matrix) MulVec(dst, x []float64) {
	for i := range m.Rows {
		cols, vals := m.Row(i)
		var s float64
		for k, j := range cols {
			s += float64(vals[k] * x[j])
		}
		dst[i] = s
	}
}

// Density counts the entries in each cell of a grid of high x wide equal parts of the matrix, row by row.
func (m *Matrix) Density(high, wide int) []int {
	count := make([]int, high*wide)
	for i := range m.Rows {
		row := count[wide*int(int64(i)*int64(high)/int64(m.Rows)):]
		cols, _ := m.Row(i)
		for _, j := range cols {
			row[int64(j)*int64(wide)/int64(m.Cols)]++
		}
	}
	return count
}
