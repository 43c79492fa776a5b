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

const (
	nodesPerTask = 4096    // of work for one thread
	rangeNodes   = 1 << 16 // nodes of a range, beyond which no aggregate extends
)

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
// its neighbours; then each remaining node with the aggregate to which it is connected
// most strongly. Nodes without a connection belong to no aggregate: smoothing alone solves
// for them.
//
// The nodes are split into fixed ranges, which no aggregate crosses, so that threads work
// independently and the result does not depend on their number.
func aggregate(g *graph, pool *parallel.Pool) aggregates {
	n := len(g.first) - 1
	a := aggregates{of: make([]int32, n)}
	ranges := evenly(n, rangeNodes)
	counts := make([]int32, len(ranges))
	pool.RunRanges(ranges, func(d, lo, hi int) {
		counts[d] = aggregateRange(g, a.of, int32(lo), int32(hi))
	})
	base := make([]int32, len(ranges))
	for d, c := range counts[:len(ranges)-1] {
		base[d+1] = base[d] + c
	}
	a.count = int(base[len(base)-1])
	pool.RunRanges(ranges, func(d, lo, hi int) {
		for k := lo; k < hi; k++ {
			if a.of[k] >= 0 {
				a.of[k] += base[d]
			}
		}
	})
	return a
}

// aggregateRange aggregates nodes lo to hi-1 and returns the number of aggregates, which it
// numbers from 0.
func aggregateRange(g *graph, of []int32, lo, hi int32) (count int32) {
	const (
		none = -1
		// The second pass marks what it adds as -2 - aggregate, so that nodes do
		// not join chains of nodes that have just joined.
		joined = -2
	)
	for k := lo; k < hi; k++ {
		of[k] = none
	}
	inside := func(k int32) bool { return k >= lo && k < hi }
	for k := lo; k < hi; k++ {
		near, _ := g.of(k)
		free := len(near) > 0 && of[k] == none
		for _, j := range near {
			if inside(j) && of[j] != none {
				free = false
				break
			}
		}
		if !free {
			continue
		}
		of[k] = count
		for _, j := range near {
			if inside(j) {
				of[j] = count
			}
		}
		count++
	}
	for k := lo; k < hi; k++ {
		if of[k] != none {
			continue
		}
		near, weight := g.of(k)
		most := float32(-1)
		for q, j := range near {
			if inside(j) && of[j] >= 0 && !(weight[q] <= most) {
				most = weight[q]
				of[k] = joined - of[j]
			}
		}
	}
	for k := lo; k < hi; k++ {
		if of[k] <= joined {
			of[k] = joined - of[k]
		}
	}
	return count
}

// quotient is the graph of aggregates: the weight of a connection is the sum over the nodes
// of the two.
func (g *graph) quotient(a aggregates, pool *parallel.Pool) *graph {
	start, members := membersOf(a)
	m := csr.ByRows(a.count, csr.EqualBlocks(a.count, 1), evenly(a.count, nodesPerTask), pool, func(k int, row *csr.Accumulator) {
		for _, i := range members[start[k]:start[k+1]] {
			near, weight := g.of(i)
			for q, j := range near {
				if to := a.of[j]; to >= 0 && int(to) != k {
					row.Add(to, float64(weight[q]))
				}
			}
		}
	})
	w := make([]float32, len(m.Val))
	for k, v := range m.Val {
		w[k] = float32(v)
	}
	return &graph{m.RowPtr, m.Col, w}
}

// join returns aggregates of aggregates; it overwrites a.
func (a aggregates) join(outer aggregates) aggregates {
	for k, c := range a.of {
		if c >= 0 {
			a.of[k] = outer.of[c]
		}
	}
	a.count = outer.count
	return a
}
