package order

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

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

// What count says of an order is what dense elimination finds, and the rows of a group have the same pattern.
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
		if err := e.Order.Validate(); err != nil {
			t.Fatal(err)
		}
		count := func(f [][]bool) (entries int64, multiplications float64) {
			for k := range f {
				below := 0
				for i := k + 1; i < len(f); i++ {
					if f[i][k] {
						below++
					}
				}
				entries += int64(below)
				multiplications += float64(below) * float64(below+1)
			}
			return entries, multiplications
		}
		f := eliminated(m, e.Order)
		entries, multiplications := count(f)
		if e.Entries != entries || e.Multiplications != multiplications {
			t.Fatalf("%d entries and %g multiplications, want %d and %g", e.Entries, e.Multiplications, entries, multiplications)
		}
		if same, _ := count(eliminated(m, random)); same != entries {
			t.Fatalf("the postorder has %d entries, the order %d", entries, same)
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
		for _, threads := range []int{1, 2, 3} {
			order, err := Dissect(t.Context(), g, newPool(t, threads))
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
	if _, err := Dissect(ctx, NewGraph(list[3], nil), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// No edge joins the sides of a separator, and both have their share.
func TestSeparated(t *testing.T) {
	m, err := generate.Generate("poisson3d", generate.Params{"n": 16})
	if err != nil {
		t.Fatal(err)
	}
	g, _, _ := NewGraph(m, nil).compressed()
	side := new(finder).separated(g)
	var size [3]int64
	for v, s := range side {
		size[s] += int64(g.weight[v])
		for _, w := range g.neighbours(int32(v)) {
			if s != middle && side[w] == 1-s {
				t.Fatalf("an edge joins vertices %d and %d", v, w)
			}
		}
	}
	if size[middle] > 16*16*5/4 || float64(max(size[0], size[1])) > largestSide*16*16*16+1 {
		t.Errorf("sides of %d and %d, a separator of %d", size[0], size[1], size[middle])
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
		{"AMD", func() (Elimination, error) { return AMD(b.Context(), g) }},
		{"dissection", func() (Elimination, error) {
			order, err := Dissect(b.Context(), g, pool)
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
