package ranks

import (
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
// graph of nodes, each of so many consecutive unknowns, and rows go to the ranks of their new domains. Within a domain they have the order of
// Cuthill and McKee. room is the memory for that, for all ranks together; 0: there is no limit. text says how the matrix is cut. The cut is the same
// for any number of ranks and threads. Collective.
func (j *Job) CutByGraph(node int, room int64, threads int) (text string, err error) {
	ghosts := []int64{int64(j.Elements() - j.Own)}
	j.Comm.Sum(ghosts)
	before := float64(ghosts[0]) / float64(j.N)
	text = fmt.Sprintf("by rows, ghosts %.2g n", before)
	if before <= rules.FewGhosts {
		return text, nil
	}
	g := j.graphOf(int64(node))
	if g == nil {
		return text, nil
	}
	if need := g.bytes(j); room > 0 && need > room {
		return fmt.Sprintf("%s; by the graph: takes %s more than the memory limit allows", text, humanize.Bytes(uint64(need-room))), nil
	}
	c, err := g.cut(OwnContext(j.Agreement), j.Comm, rules.GhostsLeft*float64(ghosts[0]), min(threads, rules.GraphThreads))
	switch {
	case err != nil:
		return "", err
	case c.Start == nil:
		return text + c.Why, nil
	}
	nodes, domains := dist.Domains{Start: c.Start}, dist.Domains{}
	for _, v := range c.Start {
		domains.Start = append(domains.Start, v*g.size)
	}
	to := g.unknowns(dist.Scatter(j.Comm, g.domains, c.to))
	from := g.unknowns(dist.Scatter(j.Comm, nodes, c.from))
	m, err := j.Renumbered(domains, to, from)
	if err != nil {
		return "", err
	}
	j.Matrix = m
	return fmt.Sprintf("by the graph, ghosts %.2g n; by rows %.2g n", float64(c.Ghosts)/float64(j.N), before), nil
}

// nodeGraph is the graph of the nodes of a matrix that ranks share.
type nodeGraph struct {
	size    int64        // unknowns of a node
	domains dist.Domains // of nodes
	rows    *csr.Matrix  // of this rank: the nodes that each node refers to, and by how many nonzeros
}

// graphOf returns the graph of nodes of a matrix; nil if there is none, since nodes are not whole in all domains, or rows are too many to number.
// Collective.
func (j *Job) graphOf(size int64) *nodeGraph {
	if j.N > math.MaxInt32 || slices.ContainsFunc(j.Domains.Start, func(row int64) bool { return row%size != 0 }) {
		return nil
	}
	g := &nodeGraph{size: size, rows: &csr.Matrix{Cols: int(j.N / size), RowPtr: []int64{0}}}
	for _, row := range j.Domains.Start {
		g.domains.Start = append(g.domains.Start, row/size)
	}
	named := make([]int32, j.Len)
	for at := range named {
		named[at] = int32(j.Global(at) / size)
	}
	var found []int32
	for _, p := range j.Parts {
		for first := p.First(); first < p.End(); first += int(size) {
			found = found[:0]
			for i := range int(size) {
				cols, _ := j.Local.Row(first + i)
				for _, c := range cols {
					found = append(found, named[c])
				}
			}
			slices.Sort(found)
			g.add(found)
		}
	}
	return g
}

// add adds the row of the next node, given the nodes that its nonzeros are in, in ascending order.
func (g *nodeGraph) add(found []int32) {
	for k, v := range found {
		if k == 0 || v != found[k-1] {
			g.rows.Col, g.rows.Val = append(g.rows.Col, v), append(g.rows.Val, 0)
		}
		g.rows.Val[len(g.rows.Val)-1]++
	}
	g.rows.RowPtr = append(g.rows.RowPtr, int64(len(g.rows.Col)))
	g.rows.Rows++
}

// bytes is the memory that cutting takes, on all ranks together: first the graph on rank 0, then a copy of the rows. Collective.
func (g *nodeGraph) bytes(j *Job) int64 {
	edges := []int64{int64(g.rows.NNZ())}
	j.Comm.Sum(edges)
	nodes := g.domains.Rows()
	return csr.Bytes(nodes, edges[0]) + max(csr.Bytes(nodes, edges[0])+rules.GraphNodeBytes*nodes+2*rules.GraphEdgeBytes*edges[0], csr.Bytes(j.N, j.NNZ))
}

// unknowns returns the numbers of the unknowns of nodes with these numbers.
func (g *nodeGraph) unknowns(nodes []int64) []int64 {
	all := make([]int64, 0, g.size*int64(len(nodes)))
	for _, v := range nodes {
		for i := range g.size {
			all = append(all, v*g.size+i)
		}
	}
	return all
}

// nodeCut is a cut of the nodes into domains.
type nodeCut struct {
	Start  []int64 // of the domains; nil: the graph has no cut that is worth it
	Ghosts int64   // unknowns
	Why    string

	to, from []int64 // the new numbers of nodes, and the nodes with these numbers; on rank 0
}

// cut finds the cut on rank 0, if it has at most so many ghosts. Collective.
func (g *nodeGraph) cut(ctx context.Context, c dist.Comm, most float64, threads int) (n nodeCut, err error) {
	whole, err := dist.Move(c, dist.Slab{Matrix: g.rows}, g.domains.Spans(c.Size())[c.Rank()].From, dist.Domains{Start: []int64{0, g.domains.Rows()}})
	if err != nil {
		return n, err
	}
	g.rows = nil
	var to, from []int64
	n, err = ShareRoot(c, func() (n nodeCut, err error) {
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
func (g *nodeGraph) partition(ctx context.Context, graph *csr.Matrix, most float64, pool *parallel.Pool) (n nodeCut, err error) {
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
	of, err := order.Partition(ctx, order.NewGraph(graph, nil), weight, g.domains.Count(), pool)
	switch {
	case err != nil:
		return n, err
	case of == nil:
		return nodeCut{Why: "; the graph is too large"}, nil
	}
	parts := make([][]int32, g.domains.Count())
	for v, k := range of {
		parts[k] = append(parts[k], int32(v))
	}
	n.Ghosts = g.size * ghosts(graph, of, parts)
	switch {
	case float64(n.Ghosts) > most:
		return nodeCut{Why: fmt.Sprintf("; by the graph %.2g n", float64(n.Ghosts)/float64(g.size*int64(len(of))))}, nil
	case !balanced(weight, of, g.domains):
		return nodeCut{Why: "; by the graph domains differ in size"}, nil
	}
	errs := make([]error, len(parts))
	pool.Each(len(parts), func(k int) { errs[k] = localOrder(ctx, graph, parts[k]) })
	n.Start, n.to = []int64{0}, make([]int64, len(of))
	for _, part := range parts {
		for _, v := range part {
			n.to[v] = int64(len(n.from))
			n.from = append(n.from, int64(v))
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

// balanced reports whether no part is empty, or much heavier than the mean and than all domains of consecutive rows.
func balanced(weight []int64, of []int32, rows dist.Domains) bool {
	loads, before, all := make([]int64, rows.Count()), make([]int64, rows.Count()), int64(0)
	k := 0
	for v, w := range weight {
		for int64(v) >= rows.Start[k+1] {
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
