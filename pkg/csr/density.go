package csr

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
