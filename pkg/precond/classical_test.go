package precond

import (
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// layered is a problem of diffusion on a grid of n^3 cells, tightly coupled along one axis and over decades decades between layers.
func layered(t testing.TB, n int, decades float64) *csr.Matrix {
	return sparse(t, n*n*n, func(add func(i, j int, v float64)) {
		for i := range n * n * n {
			sum := 0.0
			couple := func(j int, v float64) {
				add(i, j, -v)
				sum += v
			}
			x, y, z := i/(n*n), i/n%n, i%n
			permeable := func(x int) float64 { return math.Pow(10, decades*float64(x*x%8)/4) } // 0, 1 or 4 quarters
			for _, s := range []int{-1, 1} {
				if x+s >= 0 && x+s < n {
					couple(i+s*n*n, 100*math.Sqrt(permeable(x)*permeable(x+s)))
				}
				if y+s >= 0 && y+s < n {
					couple(i+s*n, permeable(x))
				}
				if z+s >= 0 && z+s < n {
					couple(i+s, permeable(x))
				}
			}
			add(i, i, sum+1)
		}
	})
}

// obtuse is the matrix of linear elements on triangles that lie flat: connections across are positive.
func obtuse(t testing.TB, n int) *csr.Matrix {
	return stencil(t, n, map[[2]int]float64{{0, 0}: 3.4, {0, 1}: -2, {0, -1}: -2, {1, 1}: -0.2, {-1, -1}: -0.2, {1, 0}: 0.5, {-1, 0}: 0.5})
}

// stencil is a matrix on n^2 points with the same row everywhere.
func stencil(t testing.TB, n int, of map[[2]int]float64) *csr.Matrix {
	return sparse(t, n*n, func(add func(i, j int, v float64)) {
		for i := range n * n {
			for d, v := range of {
				if y, x := i/n+d[0], i%n+d[1]; y >= 0 && y < n && x >= 0 && x < n {
					add(i, y*n+x, v)
				}
			}
		}
	})
}

// Positive connections are strong only where they are the strongest, and coarsening is classical where few are strong.
func TestRuleOfConnections(t *testing.T) {
	for name, c := range map[string]struct {
		m                 *csr.Matrix
		signed, classical bool
	}{
		"poisson2d":   {generated(t, "poisson2d", generate.Params{"n": 30}), true, false},
		"poisson3d":   {generated(t, "poisson3d", generate.Params{"n": 12}), true, false},
		"anisotropic": {generated(t, "anisotropic2d", generate.Params{"n": 30}), true, false},
		"layered":     {layered(t, 12, 3), true, true},
		"scaled":      {wide(layered(t, 12, 3)), true, true},
		"obtuse":      {obtuse(t, 20), true, false},
		"pushing":     {stencil(t, 20, map[[2]int]float64{{0, 0}: 4, {0, 1}: 1, {0, -1}: 1, {1, 0}: -0.5, {-1, 0}: -0.5}), false, false},
	} {
		s := newStrength(c.m, equalBlocks(c.m.Rows, 1), spreading{}, nil)
		if r := s.rule(MultigridOptions{}, true); r.signed != c.signed || r.classical != c.classical {
			t.Errorf("%s: %+v", name, r)
		}
		if r := s.rule(MultigridOptions{Coarsening: coarseningClassical}, true); !r.classical {
			t.Errorf("%s: not classical on request", name)
		}
		if r := s.rule(MultigridOptions{Coarsening: coarseningAggregation}, true); r.classical {
			t.Errorf("%s: classical where aggregation is asked for", name)
		}
		g := s.strong(connecting{threshold: defaultThreshold, signed: true}, nil)
		for i := range c.m.Rows {
			cols, vals := c.m.Row(i)
			for _, j := range g.of(int32(i)) {
				if k := slices.Index(cols, j); !(vals[k] < 0) {
					t.Fatalf("%s: the connection %d, %d of %g is strong", name, i, j, vals[k])
				}
			}
		}
	}
}

// No two coarse points depend on each other, and other points that others depend on depend on one.
func TestCoarsePoints(t *testing.T) {
	for name, p := range connected(t) {
		if p.size > 1 {
			continue
		}
		n := p.m.Rows
		g := dependencies(p.m, slices.Repeat([]float64{1}, n), nil)
		s := pmis(g, spreading{}, nil)
		dependents := make([]int, n)
		for i := range int32(n) {
			for _, j := range g.of(i) {
				dependents[j]++
			}
		}
		count := 0
		for i, place := range s.place {
			near := 0
			for _, j := range g.of(int32(i)) {
				if s.place[j] != fine {
					near++
				}
				if place != fine && s.place[j] != fine && slices.Contains(g.of(j), int32(i)) {
					t.Fatalf("%s: coarse points %d and %d depend on each other", name, i, j)
				}
			}
			switch {
			case place != fine && (place != int32(count) || dependents[i] == 0):
				t.Fatalf("%s: %d, on which %d others depend, is coarse point %d after %d", name, i, dependents[i], place, count)
			case place != fine:
				count++
			case near == 0 && dependents[i] > 0 && len(g.of(int32(i))) > 0:
				t.Fatalf("%s: %d, on which others depend, depends on no coarse point", name, i)
			}
		}
		if count != s.count {
			t.Errorf("%s: %d coarse points, counted %d", name, s.count, count)
		}
	}
}

// An unknown depends on those whose elements are at least half the largest, and not on positive ones.
func TestDependencies(t *testing.T) {
	m := fromRows(t, [][]float64{{9, -2, -1, -0.9, 3}, {-2, 9, 0, 0, 0}, {-1, 0, 9, 0, 0}, {-0.9, 0, 0, 9, 0}, {3, 0, 0, 0, 9}})
	g := dependencies(m, []float64{1, 1, 1, 1, 1}, nil)
	if near := g.of(0); !slices.Equal(near, []int32{1, 2}) {
		t.Errorf("row 0 depends on %v", near)
	}
	if near := g.of(4); len(near) > 0 {
		t.Errorf("row 4 depends on %v", near)
	}
}

// Interpolation is that of the formula, evaluated densely, and preserves the near-null vector where rows annihilate it.
func TestInterpolation(t *testing.T) {
	for name, m := range map[string]*csr.Matrix{
		"poisson2d":   generated(t, "poisson2d", generate.Params{"n": 12, "decades": 2}),
		"layered":     layered(t, 6, 3),
		"obtuse":      obtuse(t, 12),
		"random":      randomSparse(t, 200, 5, true, 1),
		"anisotropic": generated(t, "anisotropic2d", generate.Params{"n": 12}),
	} {
		n := m.Rows
		v := make([]float64, n)
		for i := range v {
			v[i] = 1 + float64(i%7)/8
		}
		g := dependencies(m, v, nil)
		s := pmis(g, spreading{}, nil)
		p := s.interpolation(m, v, g, newPool(t, 2))
		if longest := p.LongestRow(); longest > 4 || name == "poisson2d" && longest < 4 {
			t.Errorf("%s: points are interpolated from up to %d others", name, longest)
		}
		a := make([][]float64, n) // A diag(v)
		for i := range a {
			a[i] = make([]float64, n)
			cols, vals := m.Row(i)
			for k, j := range cols {
				a[i][j] = vals[k] * v[j]
			}
		}
		for i := range n {
			got := make([]float64, s.count)
			cols, vals := p.Row(i)
			for k, c := range cols {
				got[c] = vals[k]
			}
			want := extendedI(a, v, g, s, i)
			for c := range want {
				if !(math.Abs(got[c]-want[c]) <= 1e-12*(1+math.Abs(want[c]))) {
					t.Fatalf("%s, row %d, coarse point %d: %g, want %g", name, i, c, got[c], want[c])
				}
			}
		}
	}
}

// extendedI is row i of the interpolation, truncated.
func extendedI(a [][]float64, v []float64, g *graph, s splitting, i int) []float64 {
	row := make([]float64, s.count)
	if s.place[i] != fine {
		row[s.place[i]] = 1
		return row
	}
	strong, points := map[int]bool{}, map[int]bool{}
	for _, k := range g.of(int32(i)) {
		strong[int(k)] = true
		for _, j := range append([]int32{k}, g.of(k)...) {
			if s.place[j] != fine && (j == k || s.place[k] == fine) {
				points[int(j)] = true
			}
		}
	}
	bar := func(k, l int) float64 { return math.Min(a[k][l], 0) }
	total := func(k int) (b float64) {
		for l := range a {
			if points[l] || l == i {
				b += bar(k, l)
			}
		}
		return b
	}
	d, weights := a[i][i], map[int]float64{}
	for k := range a {
		switch b := total(k); {
		case k == i:
		case points[k]:
			weights[k] += a[i][k]
		case strong[k] && b != 0:
			d += a[i][k] * bar(k, i) / b
			for j := range points {
				weights[j] += a[i][k] * bar(k, j) / b
			}
		default:
			d += a[i][k]
		}
	}
	var order []int
	all := 0.0
	for j, w := range weights {
		if points[j] {
			order = append(order, j)
			all += w
		}
	}
	slices.SortFunc(order, func(x, y int) int {
		switch wx, wy := math.Abs(weights[x]), math.Abs(weights[y]); {
		case wx > wy:
			return -1
		case wx < wy:
			return 1
		}
		return 0
	})
	kept := 0.0
	order = order[:min(len(order), mostInterpolated)]
	for _, j := range order {
		kept += weights[j]
	}
	f := -v[i] / d
	if scale := all / kept; scale > 1.0/mostScaled && scale < mostScaled {
		f *= scale
	}
	for _, j := range order {
		row[s.place[j]] = f * weights[j] / v[j]
	}
	return row
}

// Where contrasts are strong and coupling is in one direction, classical coarsening takes at most half the iterations of aggregation.
func TestClassicalOnContrasts(t *testing.T) {
	m := layered(t, 24, 4)
	count := func(c string) int {
		return pcg(t, AMG, m, Options{Symmetric: true, Multigrid: MultigridOptions{Coarsening: c, Coarsest: 50}}, newPool(t, 2))
	}
	classical, aggregation, auto := count(coarseningClassical), count(coarseningAggregation), count(coarseningAuto)
	if classical > 20 || 2*classical > aggregation || auto != classical {
		t.Errorf("classical %d, aggregation %d, auto %d iterations", classical, aggregation, auto)
	}
}

// Cycles reduce the error as well over domains whose borders cut the strongest connections.
func TestClassicalOverDomains(t *testing.T) {
	m := layered(t, 20, 3)
	for _, domains := range []int{1, 4, 8} {
		e, r := random(m.Rows, 5), make(vector, m.Rows)
		energy := func() float64 {
			m.MulVec(r, e)
			return math.Sqrt(dotted(e, r))
		}
		for range 5 {
			energy()
			z, _ := spreadAMG(t, m, Options{Symmetric: true}, nil, sizesOf(60), domains, 1, 2, r)
			for i := range e {
				e[i] -= z[0][i]
			}
		}
		before := energy()
		z, text := spreadAMG(t, m, Options{Symmetric: true}, nil, sizesOf(60), domains, 1, 2, r)
		for i := range e {
			e[i] -= z[0][i]
		}
		if rate := energy() / before; !(rate < 0.7) {
			t.Errorf("%d domains: the error becomes %.3f of itself in a cycle of %s", domains, rate, text)
		} else {
			t.Logf("%d domains: %.3f", domains, rate)
		}
	}
}

// Classical coarsening needs single unknowns and one near-null vector.
func TestClassicalOfNodes(t *testing.T) {
	m := generated(t, "elasticity3d", generate.Params{"n": 6})
	_, err := New(t.Context(), AMG, m, Options{Symmetric: true, Multigrid: MultigridOptions{Coarsening: coarseningClassical}}, nil)
	if err == nil {
		t.Fatal("no error")
	}
	t.Log(err)
	mustNew(t, AMG, m, Options{Symmetric: true, BlockSize: 1, Multigrid: MultigridOptions{Coarsening: coarseningClassical}}, nil)
}

// The smoother's diagonal does not depend on how unknowns are scaled, and is not small where rows have elements that are large beside
// the diagonal, as slivers of meshes give.
func TestSPAI0OfSlivers(t *testing.T) {
	m := fromRows(t, [][]float64{{2.5, -28, 25}, {-28, 400, -300}, {25, -300, 400}})
	for name, m := range map[string]*csr.Matrix{"as it is": m, "scaled": wide(m)} {
		h := &hierarchy{setup: setupOf(m, Options{Symmetric: true, Multigrid: MultigridOptions{Smoother: smootherSPAI0}}), a: m, nodes: equalBlocks(3, 1), null: Constants(3, 1)}
		var l levelMatrices
		if _, err := h.smoother(&l, h.magnitudes(), 0); err != nil {
			t.Fatal(err)
		}
		for i, d := range m.Diagonal(nil) {
			if share := l.m[i] * d; !(share > 0.2 && share < 2) {
				t.Errorf("%s: unknown %d is corrected by %g of its Jacobi step", name, i, share)
			}
		}
	}
}
