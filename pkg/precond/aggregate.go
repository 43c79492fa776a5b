package precond

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// nodes are groups of consecutive unknowns, such as the displacements of a node of a finite
// element mesh.
type nodes = csr.Blocks

// graph holds the strong connections between nodes: node k is connected to
// near[first[k]:first[k+1]], without itself.
type graph struct {
	first  []int64
	near   []int32
	weight []float32 // of each connection, at most about 1
}

func (g *graph) of(k int32) (near []int32, weight []float32) {
	lo, hi := g.first[k], g.first[k+1]
	return g.near[lo:hi], g.weight[lo:hi]
}

// norms is the matrix of ||A_IJ||_F of the blocks between nodes, A itself if nodes
// are single unknowns.
func norms(m *csr.Matrix, nd nodes, pool *parallel.Pool) *csr.Matrix {
	n := nd.Count()
	if n == m.Rows {
		return m
	}
	squares := csr.ByRows(n, csr.EqualBlocks(n, 1), evenly(n, nodesPerTask), pool, func(k int, row *csr.Accumulator) {
		for i := nd.First[k]; i < nd.First[k+1]; i++ {
			cols, vals := m.Row(int(i))
			for q, j := range cols {
				row.Add(nd.Of[j], float64(vals[q]*vals[q]))
			}
		}
	})
	for k, v := range squares.Val {
		squares.Val[k] = math.Sqrt(v)
	}
	return squares
}

// strongConnections finds the pairs of nodes with
//
//	|a_ij| >= threshold sqrt|a_ii a_jj|
//
// where a_ij is an element of m, the matrix of norms of blocks ([Vanek96]).
func strongConnections(m *csr.Matrix, threshold float64, pool *parallel.Pool) *graph {
	n := m.Rows
	bounds := evenly(n, nodesPerTask)
	root := m.Diagonal(pool)
	for i, d := range root {
		root[i] = math.Sqrt(math.Abs(d))
	}
	g := &graph{first: make([]int64, n+1)}
	strong := func(i int, visit func(j int32, weight float64)) {
		cols, vals := m.Row(i)
		for q, j := range cols {
			if v := math.Abs(vals[q]); int(j) != i && v != 0 && v >= threshold*root[i]*root[j] {
				visit(j, v/(root[i]*root[j]))
			}
		}
	}
	pool.RunRanges(bounds, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			strong(i, func(int32, float64) { g.first[i+1]++ })
		}
	})
	for k := range n {
		g.first[k+1] += g.first[k]
	}
	g.near, g.weight = make([]int32, g.first[n]), make([]float32, g.first[n])
	pool.RunRanges(bounds, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			at := g.first[i]
			strong(i, func(j int32, weight float64) {
				g.near[at], g.weight[at] = j, float32(weight)
				at++
			})
		}
	})
	return g
}

const nodesPerTask = 4096 // of work for one thread

// evenly splits n into ranges of nearly equal length, at most that long.
func evenly(n, length int) []int {
	parts := (n + length - 1) / length
	bounds := make([]int, parts+1)
	for k := range bounds {
		bounds[k] = k * n / max(parts, 1)
	}
	return bounds
}

// aggregates are disjoint sets of nodes, from which the nodes of the next
// coarser level are made.
type aggregates struct {
	of    []int32 // the aggregate of each node; -1: none
	count int
}

// aggregate joins nodes that are strongly connected ([Vanek96], algorithm 2):
// first each node none of whose neighbours belongs to an aggregate yet, with all
// its neighbours; then each remaining node with the aggregate of the first pass to which it is
// connected most strongly. Nodes without a connection belong to no aggregate: smoothing alone
// solves for them.
//
// It is serial, which takes a few per cent of setting up.
func aggregate(g *graph) aggregates {
	n := len(g.first) - 1
	a := aggregates{of: make([]int32, n)}
	const (
		none = -1
		// The second pass marks what it adds as -2 - aggregate, so that nodes do
		// not join chains of nodes that have just joined.
		joined = -2
	)
	of := a.of
	for k := range of {
		of[k] = none
	}
	count := int32(0)
	for k := range int32(n) {
		near, _ := g.of(k)
		free := len(near) > 0 && of[k] == none
		for _, j := range near {
			if of[j] != none {
				free = false
				break
			}
		}
		if !free {
			continue
		}
		of[k] = count
		for _, j := range near {
			of[j] = count
		}
		count++
	}
	for k := range int32(n) {
		if of[k] != none {
			continue
		}
		near, weight := g.of(k)
		most := float32(-1)
		for q, j := range near {
			if of[j] >= 0 && !(weight[q] <= most) {
				most = weight[q]
				of[k] = joined - of[j]
			}
		}
	}
	for k, to := range of {
		if to <= joined {
			of[k] = joined - to
		}
	}
	a.count = int(count)
	return a
}
