package order

import (
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// A Graph has the neighbours of each vertex in ascending order, without the vertex itself: the pattern of A + A^T.
type Graph struct {
	at  []int // where the neighbours of a vertex begin; one more than there are vertices
	adj []int32
}

func (g *Graph) vertices() int              { return len(g.at) - 1 }
func (g *Graph) neighbours(v int32) []int32 { return g.adj[g.at[v]:g.at[v+1]] }

// NewGraph returns the graph of an n x n matrix from its pattern and the pattern of its transpose, which may be nil.
func NewGraph(a, transpose *csr.Matrix) *Graph {
	if transpose == nil && !symmetricPattern(a) {
		transpose = a.Transpose(nil)
	}
	g := &Graph{at: make([]int, 1, a.Rows+1), adj: make([]int32, 0, a.NNZ())}
	for i := range a.Rows {
		row, _ := a.Row(i)
		var col []int32
		if transpose != nil {
			col, _ = transpose.Row(i)
		}
		g.adj = appendUnion(g.adj, row, col, int32(i))
		g.at = append(g.at, len(g.adj))
	}
	return g
}

// symmetricPattern reports whether the partner of every entry is stored. Walking
// through the rows meets the entries of column j in the order of row j.
func symmetricPattern(m *csr.Matrix) bool {
	next := slices.Clone(m.RowPtr[:m.Rows])
	for i := range m.Rows {
		cols, _ := m.Row(i)
		for _, j := range cols {
			k := next[j]
			if k == m.RowPtr[j+1] || int(m.Col[k]) != i {
				return false
			}
			next[j]++
		}
	}
	return true
}

// appendUnion appends the union of two increasing lists without i.
func appendUnion(to, a, b []int32, i int32) []int32 {
	for len(a) > 0 || len(b) > 0 {
		var v int32
		switch {
		case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
			v, a = a[0], a[1:]
		case len(a) == 0 || b[0] < a[0]:
			v, b = b[0], b[1:]
		default:
			v, a, b = a[0], a[1:], b[1:]
		}
		if v != i {
			to = append(to, v)
		}
	}
	return to
}
