package special

import (
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// withEntries returns a copy of m with values added at some entries, at most one in a row.
func withEntries(m *csr.Matrix, rows, cols []int, values []float64) *csr.Matrix {
	added := map[int]int{}
	for k, i := range rows {
		added[i] = k
	}
	made := &csr.Matrix{Rows: m.Rows, Cols: m.Cols, RowPtr: make([]int64, 1, len(m.RowPtr))}
	made.Col = make([]int32, 0, m.NNZ()+len(rows))
	made.Val = make([]float64, 0, m.NNZ()+len(rows))
	for i := range m.Rows {
		c, v := m.Row(i)
		k, here := added[i]
		if !here {
			made.Col, made.Val = append(made.Col, c...), append(made.Val, v...)
		} else {
			at, found := slices.BinarySearch(c, int32(cols[k]))
			made.Col, made.Val = append(made.Col, c[:at]...), append(made.Val, v[:at]...)
			sum := values[k]
			made.Col = append(made.Col, int32(cols[k]))
			if found {
				sum += v[at]
				c, v = c[1:], v[1:]
			}
			made.Val = append(made.Val, sum)
			made.Col, made.Val = append(made.Col, c[at:]...), append(made.Val, v[at:]...)
		}
		made.RowPtr = append(made.RowPtr, int64(len(made.Col)))
	}
	return made
}

// withColumns returns a copy of m in which a vector in general position, of the magnitude of the rows, is added to some columns.
func withColumns(m *csr.Matrix, cols []int, magnitude []float64) *csr.Matrix {
	sorted := slices.Sorted(slices.Values(cols))
	made := &csr.Matrix{Rows: m.Rows, Cols: m.Cols, RowPtr: make([]int64, 1, len(m.RowPtr))}
	for i := range m.Rows {
		c, v := m.Row(i)
		for _, j := range sorted {
			for len(c) > 0 && int(c[0]) < j {
				made.Col, made.Val = append(made.Col, c[0]), append(made.Val, v[0])
				c, v = c[1:], v[1:]
			}
			sum := magnitude[i] * generalPosition(i, j)
			if len(c) > 0 && int(c[0]) == j {
				sum += v[0]
				c, v = c[1:], v[1:]
			}
			made.Col, made.Val = append(made.Col, int32(j)), append(made.Val, sum)
		}
		made.Col, made.Val = append(made.Col, c...), append(made.Val, v...)
		made.RowPtr = append(made.RowPtr, int64(len(made.Col)))
	}
	return made
}

// generalPosition returns a number in [-1, 1) that follows no pattern in i and j.
func generalPosition(i, j int) float64 {
	h := uint64(i+1)*0x9e3779b97f4a7c15 ^ uint64(j+1)*0xbf58476d1ce4e5b9
	h = (h ^ h>>29) * 0x94d049bb133111eb
	return float64(int64(h^h>>32)) * 0x1p-63
}
