package precond

import (
	"fmt"
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

// Loose connections are those of the definition, and none where they are more than a tenth.
func TestLooseConnections(t *testing.T) {
	marked := 0
	problems := connected(t)
	for decades := range 7 {
		problems[fmt.Sprint("decades ", decades)] = struct {
			m    *csr.Matrix
			size int
		}{generated(t, "poisson2d", generate.Params{"n": 40, "decades": float64(decades)}), 1}
	}
	for name, p := range problems {
		s := newStrength(p.m, equalBlocks(p.m.Rows, p.size), spreading{}, nil)
		g := s.strong(connecting{threshold: 0.05}, nil)
		n := s.m.Rows
		strength := func(i, j int) float64 {
			cols, vals := s.m.Row(i)
			if d := s.root[i] * s.root[j]; i != j && d > 0 {
				return math.Abs(vals[slices.Index(cols, int32(j))]) / d
			}
			return 0
		}
		most := make([]float64, n)
		for i := range n {
			cols, _ := s.m.Row(i)
			for _, j := range cols {
				most[i] = max(most[i], strength(i, int(j)))
			}
		}
		total := 0
		want := make([]bool, len(g.near))
		for i := range n {
			for k := g.first[i]; k < g.first[i+1]; k++ {
				j := int(g.near[k])
				limit := 0.35 * math.Pow(max(most[i], most[j]), 2)
				if want[k] = strength(i, j) < limit; want[k] {
					total++
				}
			}
		}
		if total == 0 || float64(total) > 0.1*float64(len(want)) {
			want = nil
		}
		marked += total
		for _, threads := range []int{1, 3} {
			g.loose = nil
			s.loosen(g, newPool(t, threads))
			if !slices.Equal(g.loose, want) {
				t.Errorf("%s: other loose connections than the %d of the definition", name, total)
			}
		}
	}
	if marked == 0 {
		t.Error("no loose connections in any problem")
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
		nodes := equalBlocks(p.m.Rows, p.size)
		for _, threshold := range []float64{0.01, 0.08, 0.3} {
			g := newStrength(p.m, nodes, spreading{}, nil).strong(connecting{threshold: threshold}, nil)
			for i := range n {
				near := g.of(int32(i))
				for j := range n {
					v, least := norm[i*n+j], threshold*math.Sqrt(norm[i*n+i]*norm[j*n+j])
					if math.Abs(v-least) < 1e-12*least {
						continue // either will do
					}
					_, found := slices.BinarySearch(near, int32(j))
					if want := i != j && v != 0 && v > least; found != want {
						t.Fatalf("%s, threshold %g: %d and %d strongly connected: %v, want %v", name, threshold, i, j, found, want)
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
		size := equalBlocks(p.m.Rows, p.size)
		s := newStrength(p.m, size, spreading{}, nil)
		g := s.strong(connecting{threshold: defaultThreshold}, nil)
		checkAggregates(t, name, s, g, aggregate(s, g, nil))
		for _, threads := range []int{1, 2, 3, 8} {
			pool := newPool(t, threads)
			if other := newStrength(p.m, size, spreading{}, pool).strong(connecting{threshold: defaultThreshold}, pool); !slices.Equal(other.near, g.near) || !slices.Equal(other.first, g.first) {
				t.Errorf("%s: another graph with %d threads", name, threads)
			}
		}
	}
}

func checkAggregates(t *testing.T, name string, s strength, g *graph, a aggregates) {
	t.Helper()
	n := len(g.first) - 1
	start, list := nodesOf(a)
	seen := make([]bool, n)
	for k := range a.count {
		own := list[start[k]:start[k+1]]
		if len(own) == 0 {
			t.Fatalf("%s: aggregate %d is empty", name, k)
		}
		if !slices.IsSorted(own) {
			t.Fatalf("%s: the nodes of aggregate %d are not in order", name, k)
		}
		reached := []int32{own[0]}
		seen[own[0]] = true
		for q := 0; q < len(reached); q++ {
			near := g.of(reached[q])
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
		near := g.of(int32(i))
		if k < 0 && len(near) > 0 || k >= 0 != seen[i] {
			t.Fatalf("%s: node %d with %d connections is in aggregate %d", name, i, len(near), k)
		}
	}
	if want := aggregatesByDefinition(s, g); !slices.Equal(a.of, want) {
		t.Errorf("%s: other aggregates than those of the definition", name)
	}
}

// aggregatesByDefinition is algorithm 2 of [Vanek96], steps 1 and 2, word by word.
func aggregatesByDefinition(s strength, g *graph) []int32 {
	n := len(g.first) - 1
	neighbourhood := func(i int) []int32 { return append([]int32{int32(i)}, g.of(int32(i))...) }
	var sets [][]int32
	free := make([]bool, n) // the set R
	for i := range free {
		free[i] = len(g.of(int32(i))) > 0
	}
	for i := range n {
		own := neighbourhood(i)
		if len(own) > 1 && !slices.ContainsFunc(own, func(j int32) bool { return !free[j] }) {
			sets = append(sets, own)
			for _, j := range own {
				free[j] = false
			}
		}
	}
	of := make([]int32, n)
	for i := range of {
		of[i] = -1
	}
	for k, set := range sets {
		for _, i := range set {
			of[i] = int32(k)
		}
	}
	first := slices.Clone(of)
	for i := range n {
		if first[i] >= 0 {
			continue
		}
		most := -1.0
		cols, vals := s.m.Row(i)
		for _, j := range g.of(int32(i)) {
			k, _ := slices.BinarySearch(cols, j)
			if w := math.Abs(vals[k]) / s.root[j]; first[j] >= 0 && (w > most || math.IsNaN(w)) {
				most, of[i] = w, first[j]
			}
		}
	}
	return of
}

// The threshold is that of anisotropy where each row has strong connections and most are weak.
func TestThreshold(t *testing.T) {
	isolated := generated(t, "anisotropic2d", generate.Params{"n": 30})
	for k := isolated.RowPtr[450]; k < isolated.RowPtr[451]; k++ {
		if isolated.Col[k] != 450 {
			isolated.Val[k] = 0
		}
	}
	for name, c := range map[string]struct {
		m    *csr.Matrix
		want bool
	}{
		"poisson2d":    {generated(t, "poisson2d", generate.Params{"n": 30}), false},
		"poisson3d":    {generated(t, "poisson3d", generate.Params{"n": 12}), false},
		"rough":        {generated(t, "poisson2d", generate.Params{"n": 30, "decades": 4}), false},
		"anisotropic":  {generated(t, "anisotropic2d", generate.Params{"n": 30}), true},
		"along x":      {generated(t, "anisotropic2d", generate.Params{"n": 30, "angle": 0}), true},
		"scaled":       {wide(generated(t, "anisotropic2d", generate.Params{"n": 30})), true},
		"large":        {generated(t, "anisotropic2d", generate.Params{"n": 150}), true},
		"one isolated": {isolated, false},
		"none":         {&csr.Matrix{}, false},
	} {
		rule := newStrength(c.m, equalBlocks(c.m.Rows, 1), spreading{}, nil).rule(MultigridOptions{}, true)
		if rule.anisotropic != c.want || (rule.threshold == anisotropicThreshold) != c.want {
			t.Errorf("%s: %+v", name, rule)
		}
	}
}
