package lab

import "github.com/mpsolve/mpsolve/pkg/csr"

// part is a connected part of a system: no entry couples it to the rest.
type part struct{ rows, cols []int }

// parted returns the connected parts of the bipartite graph of rows and columns.
func parted(m *csr.Matrix) []part {
	n := m.Rows
	parent := make([]int, 2*n) // rows, then columns
	for i := range parent {
		parent[i] = i
	}
	find := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for i := range n {
		cols, vals := m.Row(i)
		for k, j := range cols {
			if vals[k] != 0 {
				parent[find(i)] = find(n + int(j))
			}
		}
	}
	at := map[int]int{}
	var list []part
	for i := range 2 * n {
		root := find(i)
		if _, ok := at[root]; !ok {
			at[root] = len(list)
			list = append(list, part{})
		}
		if p := &list[at[root]]; i < n {
			p.rows = append(p.rows, i)
		} else {
			p.cols = append(p.cols, i-n)
		}
	}
	return list
}
