package special

import "github.com/mpsolve/mpsolve/pkg/csr"

// components returns the connected components of the graph of a square matrix, in which i
// and j are joined if a_ij or a_ji is stored: their number, and that of each row. They are
// numbered in the order of their first rows.
func components(m *csr.Matrix) (count int, of []int32) {
	parent := make([]int32, m.Rows) // a forest; roots are their own parents
	for i := range parent {
		parent[i] = int32(i)
	}
	root := func(i int32) int32 {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for i := range m.Rows {
		cols, _ := m.Row(i)
		for _, j := range cols {
			// The smaller one becomes the root, so that roots are first rows.
			if a, b := root(int32(i)), root(j); a < b {
				parent[b] = a
			} else {
				parent[a] = b
			}
		}
	}
	of = parent
	for i := range parent {
		if p := parent[i]; p == int32(i) {
			of[i] = int32(count)
			count++
		} else {
			of[i] = of[p] // p < i, and so has its number
		}
	}
	return count, of
}
