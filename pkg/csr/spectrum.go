package csr

import "math"

// Gershgorin returns bounds of the eigenvalues of a symmetric matrix: the discs around the diagonal entries of the sums of
// magnitudes of the others [GolubVanLoan13, theorem 8.1.3].
func (m *Matrix) Gershgorin() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for i := range m.Rows {
		center, radius := 0.0, 0.0
		cols, vals := m.Row(i)
		for e, j := range cols {
			if int(j) == i {
				center += vals[e]
			} else {
				radius += math.Abs(vals[e])
			}
		}
		low, high = math.Min(low, center-radius), math.Max(high, center+radius)
	}
	return low, high
}

// Norm1 is the largest sum of magnitudes of a column.
func (m *Matrix) Norm1() float64 {
	sums, most := make([]float64, m.Cols), 0.0
	for e, j := range m.Col {
		sums[j] += math.Abs(m.Val[e])
	}
	for _, s := range sums {
		most = math.Max(most, s)
	}
	return most
}
