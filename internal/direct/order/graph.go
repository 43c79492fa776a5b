package order

import "github.com/mpsolve/mpsolve/pkg/csr"

// A Graph has the neighbours of each vertex in ascending order, without the vertex itself: the pattern of A + A^T.
type Graph struct {
	at  []int // where the neighbours of a vertex begin; one more than there are vertices
	adj []int32
}

func (g *Graph) vertices() int              { return len(g.at) - 1 }
func (g *Graph) neighbours(v int32) []int32 { return g.adj[g.at[v]:g.at[v+1]] }

// NewGraph returns the graph of an n x n matrix from its pattern and the pattern of its transpose, nil where they are the same.
func NewGraph(a, transpose *csr.Matrix) *Graph {
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
