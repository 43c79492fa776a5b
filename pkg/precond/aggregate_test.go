package precond

import (
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// connected are matrices of which aggregates are made, with their nodes.
func connected(t *testing.T) map[string]struct {
	m    *csr.Matrix
	size int
} {
	type problem = struct {
		m    *csr.Matrix
		size int
	}
	isolated := fromRows(t, [][]float64{
		{2, -1, 0, 0, 0},
		{-1, 2, 0, 0, 0},
		{0, 0, 2, 0, 0},
		{0, 0, 0, 2, -1e-3},
		{0, 0, 0, -1e-3, 0},
	})
	return map[string]problem{
		"poisson":     {generated(t, "poisson2d", generate.Params{"n": 40}), 1},
		"anisotropic": {generated(t, "anisotropic2d", generate.Params{"n": 30}), 1},
		"elasticity":  {generated(t, "elasticity3d", generate.Params{"n": 6}), 3},
		"convdiff":    {generated(t, "convdiff2d", generate.Params{"n": 30}), 1},
		"random":      {randomSparse(t, 1000, 4, true, 3), 1},
		"isolated":    {isolated, 1},
		"ranges":      {generated(t, "poisson2d", generate.Params{"n": 370}), 1},
		"none":        {&csr.Matrix{}, 1},
	}
}

// Strong connections are those of the definition, by norms of blocks.
func TestStrongConnections(t *testing.T) {
	for name, p := range connected(t) {
		if p.m.Rows > 2000 {
			continue
		}
		n := p.m.Rows / p.size
		norm := make([]float64, n*n)
		for i := range p.m.Rows {
			cols, vals := p.m.Row(i)
			for k, j := range cols {
				at := &norm[i/p.size*n+int(j)/p.size]
				*at = math.Hypot(*at, vals[k])
			}
		}
		nodes := csr.EqualBlocks(p.m.Rows, p.size)
		for _, threshold := range []float64{0.01, 0.08, 0.3} {
			g := strongConnections(norms(p.m, nodes, nil), threshold, nil)
			for i := range n {
				near, weight := g.of(int32(i))
				for j := range n {
					v, least := norm[i*n+j], threshold*math.Sqrt(norm[i*n+i]*norm[j*n+j])
					if math.Abs(v-least) < 1e-12*least {
						continue // either will do
					}
					k, found := slices.BinarySearch(near, int32(j))
					if want := i != j && v != 0 && v > least; found != want {
						t.Fatalf("%s, threshold %g: %d and %d strongly connected: %v, want %v", name, threshold, i, j, found, want)
					}
					if want := v * threshold / least; found && math.Abs(float64(weight[k])-want) > 1e-6*want {
						t.Fatalf("%s: %d and %d are connected with weight %g, want %g", name, i, j, weight[k], want)
					}
				}
			}
		}
	}
}

// Aggregates are numbered without gaps, connected, and hold each node with a strong connection;
// the graph is the same for any number of threads.
func TestAggregates(t *testing.T) {
	for name, p := range connected(t) {
		g := strongConnections(norms(p.m, csr.EqualBlocks(p.m.Rows, p.size), nil), DefaultThreshold, nil)
		a := aggregate(g)
		checkAggregates(t, name, g, a)
		for _, threads := range []int{1, 2, 3, 8} {
			if other := strongConnections(norms(p.m, csr.EqualBlocks(p.m.Rows, p.size), newPool(t, threads)), DefaultThreshold, newPool(t, threads)); !slices.Equal(other.near, g.near) || !slices.Equal(other.weight, g.weight) {
				t.Errorf("%s: another graph with %d threads", name, threads)
			}
		}
	}
}

func checkAggregates(t *testing.T, name string, g *graph, a aggregates) {
	t.Helper()
	n := len(g.first) - 1
	start, members := membersOf(a)
	seen := make([]bool, n)
	for k := range a.count {
		own := members[start[k]:start[k+1]]
		if len(own) == 0 {
			t.Fatalf("%s: aggregate %d is empty", name, k)
		}
		if !slices.IsSorted(own) {
			t.Fatalf("%s: the members of aggregate %d are not in order", name, k)
		}
		reached := []int32{own[0]}
		seen[own[0]] = true
		for q := 0; q < len(reached); q++ {
			near, _ := g.of(reached[q])
			for _, j := range near {
				if a.of[j] == int32(k) && !seen[j] {
					seen[j] = true
					reached = append(reached, j)
				}
			}
		}
		if len(reached) != len(own) {
			t.Errorf("%s: aggregate %d of %d nodes is not connected: %d are", name, k, len(own), len(reached))
		}
	}
	for i, k := range a.of {
		near, _ := g.of(int32(i))
		if k < 0 && len(near) > 0 || k >= 0 != seen[i] {
			t.Fatalf("%s: node %d with %d connections is in aggregate %d", name, i, len(near), k)
		}
	}
}
