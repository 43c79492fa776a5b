package ranks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/internal/direct/order"
	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// CutByGraph cuts the matrix into as many domains by its graph, if its domains have many ghosts and then have far fewer: rank 0 finds the parts of the
// graph of nodes, each of so many consecutive unknowns as node says, and rows go to the ranks of their new domains. Within a domain they have the order of
// Cuthill and McKee. room is the memory for that, for all ranks together; 0: there is no limit. text says how the matrix is cut. The cut is the same
// for any number of ranks and threads. Collective.
func (j *Job) CutByGraph(node func() int, room int64, threads int) (text string, err error) {
	ghosts := []int64{int64(j.Elements() - j.Own)}
	j.Comm.Sum(ghosts)
	before := float64(ghosts[0]) / float64(j.N)
	text = fmt.Sprintf("by rows, ghosts %.2g n", before)
	if before <= rules.FewGhosts {
		return text, nil
	}
	g := j.graphOf(int64(node()))
	if g == nil {
		return text, nil
	}
	if need := g.bytes(); room > 0 && need > room {
		return fmt.Sprintf("%s; by the graph: takes %s more than the memory limit allows", text, humanize.Bytes(uint64(need-room))), nil
	}
	c, err := g.cut(OwnContext(j.Agreement), rules.GhostsLeft*float64(ghosts[0]), min(threads, rules.GraphThreads))
	switch {
	case err != nil:
		return "", err
	case c.Start == nil:
		return text + c.Why, nil
	}
	domains := dist.Domains{Start: c.Start}
	m, err := j.Renumbered(domains, dist.Scatter(j.Comm, j.Domains, c.to), dist.Scatter(j.Comm, domains, c.from))
	if err != nil {
		return "", err
	}
	j.Matrix = m
	return fmt.Sprintf("by the graph, ghosts %.2g n; by rows %.2g n", float64(c.Ghosts)/float64(j.N), before), nil
}

// nodeGraph is the graph of the nodes of a matrix that ranks share.
type nodeGraph struct {
	j     *Job
	size  int64        // unknowns of a node
	unit  int64        // unknowns of a vertex: those of a node, or 1 if borders of domains cut nodes
	from  dist.Domains // of vertices
	edges int64        // vertices that the vertices of this rank refer to
}

// graphOf returns the graph of nodes of a matrix; nil if there is none, since not all nodes have so many unknowns, or rows are too many to number.
func (j *Job) graphOf(size int64) *nodeGraph {
	if j.N > math.MaxInt32 || j.N%size != 0 {
		return nil
	}
	g := &nodeGraph{j: j, size: size, unit: size}
	if slices.ContainsFunc(j.Domains.Start, func(row int64) bool { return row%size != 0 }) {
		g.unit = 1
	}
	for _, row := range j.Domains.Start {
		g.from.Start = append(g.from.Start, row/g.unit)
	}
	g.each(func(found []element) { g.edges += int64(len(found)) })
	return g
}

// An element of a graph is a vertex to which another one refers, by so many nonzeros.
type element struct {
	vertex int32
	count  float64
}

// each passes the elements of each vertex of this rank.
func (g *nodeGraph) each(do func(found []element)) {
	for _, p := range g.j.Parts {
		vertex := func(c int32, _ float64) element { return element{int32(g.j.Global(int(c)) / g.unit), 1} }
		eachVertex(g.j.Local, p.First(), p.End(), int(g.unit), vertex, do)
	}
}

// eachVertex passes the elements of each vertex of so many consecutive rows of m, from one row to another, in the order of vertices, given that
// of a number of m.
func eachVertex(m *csr.Matrix, first, end, size int, of func(col int32, val float64) element, do func(found []element)) {
	var found []element
	for ; first < end; first += size {
		found = found[:0]
		for i := first; i < first+size; i++ {
			cols, vals := m.Row(i)
			for k, c := range cols {
				found = append(found, of(c, vals[k]))
			}
		}
		slices.SortFunc(found, func(a, b element) int { return cmp.Compare(a.vertex, b.vertex) })
		last := 0
		for k := 1; k < len(found); k++ {
			if found[k].vertex == found[last].vertex {
				found[last].count += found[k].count
				continue
			}
			last++
			found[last] = found[k]
		}
		do(found[:min(last+1, len(found))])
	}
}

// graphWith returns a graph with room for so many vertices and elements, and a function that adds a vertex.
func graphWith(vertices, elements int64, of int) (*csr.Matrix, func(found []element)) {
	m := &csr.Matrix{Cols: of, RowPtr: make([]int64, 1, vertices+1), Col: make([]int32, 0, elements), Val: make([]float64, 0, elements)}
	return m, func(found []element) {
		for _, e := range found {
			m.Col, m.Val = append(m.Col, e.vertex), append(m.Val, e.count)
		}
		m.RowPtr = append(m.RowPtr, int64(len(m.Col)))
		m.Rows++
	}
}

// bytes is the memory that cutting takes, on all ranks together: first the graph on rank 0, then a copy of the rows. Collective.
func (g *nodeGraph) bytes() int64 {
	edges := []int64{g.edges}
	g.j.Comm.Sum(edges)
	rows := csr.Bytes(g.from.Rows(), edges[0])
	numbers := 16 * g.j.N // in the other order, of rows and back
	return rows + numbers + max(rows+rules.GraphNodeBytes*g.from.Rows()+2*rules.GraphEdgeBytes*edges[0], csr.Bytes(g.j.N, g.j.NNZ))
}

// graphCut is a cut of rows into domains.
type graphCut struct {
	Start  []int64 // of the domains; nil: the graph has no cut that is worth it
	Ghosts int64
	Why    string

	to, from []int64 // the new numbers of rows, and the rows with these numbers; on rank 0
}

// cut finds the cut on rank 0, if it has at most so many ghosts. Collective.
func (g *nodeGraph) cut(ctx context.Context, most float64, threads int) (n graphCut, err error) {
	c := g.j.Comm
	mine := g.from.Spans(c.Size())[c.Rank()]
	rows, add := graphWith(mine.Rows(), g.edges, int(g.from.Rows()))
	g.each(add)
	whole, err := dist.Move(c, dist.Slab{Matrix: rows}, mine.From, dist.Domains{Start: []int64{0, g.from.Rows()}})
	if err != nil {
		return n, err
	}
	var to, from []int64
	n, err = ShareRoot(c, func() (n graphCut, err error) {
		pool := parallel.New(threads)
		defer pool.Close()
		n, err = g.partition(ctx, whole.Matrix, most, pool)
		to, from = n.to, n.from
		return n, err
	})
	n.to, n.from = to, from
	return n, err
}

// partition finds the cut of a graph.
func (g *nodeGraph) partition(ctx context.Context, graph *csr.Matrix, most float64, pool *parallel.Pool) (n graphCut, err error) {
	if size := int32(g.size / g.unit); size > 1 {
		nodes, add := graphWith(0, 0, graph.Cols/int(size))
		eachVertex(graph, 0, graph.Rows, int(size), func(c int32, n float64) element { return element{c / size, n} }, add)
		graph = nodes
	}
	weight, mean := make([]int64, graph.Rows), int64(0)
	for v := range weight {
		_, counts := graph.Row(v)
		for _, k := range counts {
			weight[v] += int64(k)
		}
		mean += weight[v]
	}
	mean = max(mean/int64(graph.Rows), 1)
	for v := range weight {
		weight[v] += mean
	}
	of, err := order.Partition(ctx, order.NewGraph(graph, nil), weight, g.from.Count(), pool)
	switch {
	case err != nil:
		return n, err
	case of == nil:
		return graphCut{Why: "; the graph is too large"}, nil
	}
	parts := make([][]int32, g.from.Count())
	for v, k := range of {
		parts[k] = append(parts[k], int32(v))
	}
	n.Ghosts = g.size * ghosts(graph, of, parts)
	switch {
	case float64(n.Ghosts) > most:
		return graphCut{Why: fmt.Sprintf("; by the graph %.2g n", float64(n.Ghosts)/float64(g.size*int64(len(of))))}, nil
	case !balanced(weight, of, g.from, g.size/g.unit):
		return graphCut{Why: "; by the graph domains differ in size"}, nil
	}
	errs := make([]error, len(parts))
	pool.Each(len(parts), func(k int) { errs[k] = localOrder(ctx, graph, parts[k]) })
	rows := g.size * int64(len(of))
	n.Start, n.to, n.from = []int64{0}, make([]int64, rows), make([]int64, 0, rows)
	for _, part := range parts {
		for _, v := range part {
			for row := g.size * int64(v); row < g.size*int64(v+1); row++ {
				n.to[row] = int64(len(n.from))
				n.from = append(n.from, row)
			}
		}
		n.Start = append(n.Start, int64(len(n.from)))
	}
	return n, errors.Join(errs...)
}

// ghosts counts the vertices of other parts that the rows of each part refer to.
func ghosts(graph *csr.Matrix, of []int32, parts [][]int32) (count int64) {
	seen := make([]int32, graph.Rows) // one more than the last part that has the vertex as a ghost
	for k, part := range parts {
		for _, v := range part {
			cols, _ := graph.Row(int(v))
			for _, w := range cols {
				if int(of[w]) != k && int(seen[w]) != k+1 {
					seen[w] = int32(k + 1)
					count++
				}
			}
		}
	}
	return count
}

// balanced reports whether no part is empty, or much heavier than the mean and than all domains before, of vertices that make nodes of some size.
func balanced(weight []int64, of []int32, from dist.Domains, size int64) bool {
	loads, before, all := make([]int64, from.Count()), make([]int64, from.Count()), int64(0)
	k := 0
	for v, w := range weight {
		for size*int64(v) >= from.Start[k+1] {
			k++
		}
		loads[of[v]] += w
		before[k] += w
		all += w
	}
	most := max(rules.HeaviestDomain*float64(all)/float64(len(loads)), float64(slices.Max(before)))
	return slices.Min(loads) > 0 && float64(slices.Max(loads)) <= most
}

// localOrder brings the ascending vertices of a part into the order of Cuthill and McKee.
func localOrder(ctx context.Context, graph *csr.Matrix, part []int32) error {
	sub := &csr.Matrix{Rows: len(part), Cols: len(part), RowPtr: make([]int64, 1, len(part)+1)}
	for _, v := range part {
		cols, vals := graph.Row(int(v))
		for e, w := range cols {
			if k, ok := slices.BinarySearch(part, w); ok {
				sub.Col, sub.Val = append(sub.Col, int32(k)), append(sub.Val, vals[e])
			}
		}
		sub.RowPtr = append(sub.RowPtr, int64(len(sub.Col)))
	}
	p, err := csr.RCM(ctx, sub)
	if err != nil {
		return err
	}
	ordered := make([]int32, len(part))
	for k, i := range p {
		ordered[k] = part[i]
	}
	copy(part, ordered)
	return nil
}
