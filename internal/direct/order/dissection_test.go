package order

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// randomPattern has some entries a row, and rows and columns that are equal to others, empty or full.
func randomPattern(r *rand.Rand, n int) *csr.Matrix {
	b, err := csr.NewBuilder(n, n)
	if err != nil {
		panic(err)
	}
	perRow := 4 * r.Float64()
	for i := range n {
		from := uint64(i)
		if r.IntN(4) == 0 {
			from = uint64(i / 2)
		}
		s := rand.New(rand.NewPCG(from, 9))
		for j := range n {
			if s.Float64()*float64(n) < perRow || i == n/2 && n%3 == 0 {
				if err := b.Add(i, j, 1); err != nil {
					panic(err)
				}
			}
		}
	}
	return b.Build()
}

// eliminated returns the pattern of the factor of A + A^T in an order, by dense elimination.
func eliminated(m *csr.Matrix, order csr.Permutation) [][]bool {
	n := len(order)
	a := make([][]bool, n)
	for i := range a {
		a[i] = make([]bool, n)
		for j := range n {
			at, to := int(order[i]), int(order[j])
			a[i][j] = i == j || m.At(at, to) != 0 || m.At(to, at) != 0
		}
	}
	for k := range n {
		for i := k + 1; i < n; i++ {
			for j := k + 1; j < n; j++ {
				a[i][j] = a[i][j] || a[i][k] && a[k][j]
			}
		}
	}
	return a
}

// entriesOf counts the entries of a factor, without the diagonal, and the multiplications of an LU factorisation.
func entriesOf(factor [][]bool) (entries int64, multiplications float64) {
	for k := range factor {
		below := 0
		for i := k + 1; i < len(factor); i++ {
			if factor[i][k] {
				below++
			}
		}
		entries += int64(below)
		multiplications += float64(below) * float64(below+1)
	}
	return entries, multiplications
}

// counted wants an elimination to have a permutation for its order, to count what dense elimination finds, and the rows of a group to have the
// same pattern.
func counted(t *testing.T, m *csr.Matrix, e Elimination) {
	t.Helper()
	if err := e.Order.Validate(); err != nil || len(e.Order) != m.Rows {
		t.Fatalf("%d of %d rows, %v", len(e.Order), m.Rows, err)
	}
	f := eliminated(m, e.Order)
	if entries, multiplications := entriesOf(f); e.Entries != entries || math.Abs(e.Multiplications-multiplications) > 0.5 {
		t.Fatalf("%d entries and %g multiplications, want %d and %g", e.Entries, e.Multiplications, entries, multiplications)
	}
	for k := 1; k < m.Rows; k++ {
		if slices.Contains(e.Groups, int32(k)) {
			continue
		}
		for i := k; i < m.Rows; i++ {
			if i > k && f[i][k] != f[i][k-1] || i == k && !f[k][k-1] {
				t.Fatalf("pivots %d and %d are of one group, but have other patterns", k-1, k)
			}
		}
	}
}

// What Count says of an order is what dense elimination finds.
func TestCountOfElimination(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		m := randomPattern(r, 1+r.IntN(40))
		g := NewGraph(m, m.Transpose(nil))
		random := make(csr.Permutation, m.Rows)
		for k, v := range r.Perm(m.Rows) {
			random[k] = int32(v)
		}
		e := Count(g, random)
		counted(t, m, e)
		if same, _ := entriesOf(eliminated(m, random)); same != e.Entries {
			t.Fatalf("the postorder has %d entries, the order %d", e.Entries, same)
		}
	}
}

// Every pattern has an order, the same one for any number of threads.
func TestDissectionThreads(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var list []*csr.Matrix
	for _, n := range []int{1, 2, 60, 300, 500, 900} {
		list = append(list, randomPattern(r, n))
	}
	for _, kind := range []string{"poisson2d", "elasticity3d", "powerlaw"} {
		m, err := generate.Generate(kind, generate.Params{"n": map[string]float64{"poisson2d": 60, "elasticity3d": 9, "powerlaw": 3000}[kind]})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	for k, m := range list {
		g := NewGraph(m, m.Transpose(nil))
		var first csr.Permutation
		for _, threads := range []int{1, 2, 3, 8} {
			order, err := Dissect(t.Context(), Compress(g), newPool(t, threads))
			if err != nil {
				t.Fatal(err)
			}
			if err := order.Validate(); err != nil || len(order) != m.Rows {
				t.Fatalf("matrix %d: %d of %d rows, %v", k, len(order), m.Rows, err)
			}
			if first == nil {
				first = order
			}
			if !slices.Equal(order, first) {
				t.Errorf("matrix %d: another order with %d threads", k, threads)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Dissect(ctx, Compress(NewGraph(list[3], nil)), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// separates wants no edge to join the sides of a separator.
func separates(t *testing.T, g *weighted, side []uint8) (size [3]int64) {
	t.Helper()
	for v, s := range side {
		size[s] += int64(g.weight[v])
		for _, w := range g.neighbours(int32(v)) {
			if s != middle && side[w] == 1-s {
				t.Fatalf("an edge joins vertices %d and %d", v, w)
			}
		}
	}
	return size
}

// Separators of a cube have few more vertices than a plane, and leave both sides their share, also where its points have random numbers.
func TestSeparated(t *testing.T) {
	m, err := generate.Generate("poisson3d", generate.Params{"n": 16})
	if err != nil {
		t.Fatal(err)
	}
	shuffled := make(csr.Permutation, m.Rows)
	for k, v := range rand.New(rand.NewPCG(5, 6)).Perm(m.Rows) {
		shuffled[k] = int32(v)
	}
	for _, a := range []*csr.Matrix{m, m.Permuted(shuffled, shuffled.Inverse(), nil)} {
		g := Compress(NewGraph(a, nil)).g
		f := new(finder)
		size := separates(t, g, f.separated(g, evenly(g.total())))
		if size != f.cutter.size {
			t.Errorf("sizes %d, really %d", f.cutter.size, size)
		}
		if size[middle] > 16*16*9/8 || float64(max(size[0], size[1])) > largestSide*16*16*16+1 {
			t.Errorf("sides of %d and %d, a separator of %d", size[0], size[1], size[middle])
		}
		if len(f.stack) != 0 {
			t.Errorf("%d numbers are not given back", len(f.stack))
		}
	}
}

// After each move the gains of the separator's vertices are what moving them would gain; undo restores the sides.
func TestCutter(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 100 {
		m := randomPattern(r, 2+r.IntN(60))
		g := Compress(NewGraph(m, m.Transpose(nil))).g
		side := make([]uint8, g.vertices())
		for v := range side {
			side[v] = uint8(r.IntN(3))
		}
		for v := range int32(len(side)) {
			if slices.ContainsFunc(g.neighbours(v), func(w int32) bool { return side[v]+side[w] == 1 }) {
				side[v] = middle
			}
		}
		c := &cutter{}
		c.begin(g, side, evenly(g.total()).most)
		before, size, to := slices.Clone(side), c.size, uint8(r.IntN(2))
		for _, v := range c.border {
			c.enter(v, 1-to)
		}
		for len(c.queue) > 0 {
			v, gain := c.queue.pop()
			if c.side[v] != middle || c.gain[v] != gain {
				continue
			}
			was := c.size[middle]
			c.move(v, to)
			if separates(t, g, side) != c.size || was-c.size[middle] != int64(gain) {
				t.Fatalf("sizes %d after a gain of %d", c.size, gain)
			}
		}
		if c.undo(0, to); !slices.Equal(side, before) || c.size != size {
			t.Fatalf("%d becomes %d", before, side)
		}
	}
}

// A coarse graph has the weight of the graph, and between pairs the edges between their vertices.
func TestCoarsened(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 50 {
		m := randomPattern(r, 20+r.IntN(200))
		g := Compress(NewGraph(m, m.Transpose(nil))).g
		f := new(finder)
		coarse, into := f.coarsened(g, 1000)
		if coarse == nil {
			continue
		}
		edges := map[[2]int32]int32{}
		for v := range int32(g.vertices()) {
			for _, w := range g.neighbours(v) {
				if into[v] != into[w] {
					edges[[2]int32{into[v], into[w]}]++
				}
			}
		}
		for v := range int32(coarse.vertices()) {
			for e := coarse.at[v]; e < coarse.at[v+1]; e++ {
				key := [2]int32{v, coarse.adj[e]}
				if edges[key] != coarse.edge[e] || coarse.edge[e] == 0 {
					t.Fatalf("edge %d has the weight %d, want %d", key, coarse.edge[e], edges[key])
				}
				delete(edges, key)
			}
		}
		if len(edges) > 0 || coarse.total() != g.total() {
			t.Fatalf("%d edges are missing, the weight is %d of %d", len(edges), coarse.total(), g.total())
		}
	}
}

// Vertices of a class have the same neighbours, also each other, and no vertices of two classes do.
func TestCompressed(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 100 {
		m := randomPattern(r, 1+r.IntN(60))
		g := NewGraph(m, m.Transpose(nil))
		closed := func(v int32) string {
			list := append(slices.Clone(g.neighbours(v)), v)
			slices.Sort(list)
			return fmt.Sprint(list)
		}
		whole := Compress(g)
		var all []int32
		seen := map[string]bool{}
		for c := range int32(whole.g.vertices()) {
			members := whole.class(c)
			key := closed(members[0])
			if seen[key] || int(whole.g.weight[c]) != len(members) {
				t.Fatalf("class %d of %d vertices, weight %d: %s again", c, len(members), whole.g.weight[c], key)
			}
			seen[key] = true
			for _, v := range members {
				if closed(v) != key {
					t.Fatalf("vertices %d and %d are of one class", v, members[0])
				}
			}
			all = append(all, members...)
		}
		if p := csr.Permutation(append(all, whole.last...)); len(p) != m.Rows || p.Validate() != nil {
			t.Fatalf("the classes have %d of %d vertices", len(p), m.Rows)
		}
	}
}

func BenchmarkOrders(b *testing.B) {
	m, err := generate.Generate("poisson3d", generate.Params{"n": 60})
	if err != nil {
		b.Fatal(err)
	}
	g, pool := NewGraph(m, nil), newPool(b, 2)
	for _, by := range []struct {
		name  string
		order func() (Elimination, error)
	}{
		{"AMD", func() (Elimination, error) { return AMD(b.Context(), g, Limit{}) }},
		{"dissection", func() (Elimination, error) {
			order, err := Dissect(b.Context(), Compress(g), pool)
			return Count(g, order), err
		}},
	} {
		b.Run(by.name, func(b *testing.B) {
			for b.Loop() {
				e, err := by.order()
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(e.Multiplications/float64(m.NNZ()), "mult/nonzero")
				b.ReportMetric(float64(e.Entries)/float64(m.Rows), "entries/row")
			}
		})
	}
}

func newPool(tb testing.TB, threads int) *parallel.Pool {
	tb.Helper()
	p := parallel.New(threads)
	tb.Cleanup(p.Close)
	return p
}

// The graph of a pattern that is not symmetric is that of A + A^T, also where the transpose is not given.
func TestGraphWithoutTranspose(t *testing.T) {
	a := testsupport.Entries(50, func(add func(i, j int, v float64)) {
		for i := range 50 {
			add(i, i, 2)
			add(i, (i*i+3)%50, 1)
		}
	})
	got, want := NewGraph(a, nil), NewGraph(a, a.Transpose(nil))
	if !slices.Equal(got.at, want.at) || !slices.Equal(got.adj, want.adj) {
		t.Errorf("%v, want %v", got.adj, want.adj)
	}
	for v := range int32(50) {
		for _, w := range got.neighbours(v) {
			if !slices.Contains(got.neighbours(w), v) {
				t.Errorf("%d is a neighbour of %d, but not the other way round", w, v)
			}
		}
	}
}
