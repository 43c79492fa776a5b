package solver

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// box is the Laplacian of n x n x n points with a multiple of the identity.
func box(n int, shift float64) *csr.Matrix {
	return entries(n*n*n, func(add func(i, j int, v float64)) {
		at := func(x, y, z int) int { return (x*n+y)*n + z }
		for x := range n {
			for y := range n {
				for z := range n {
					i := at(x, y, z)
					add(i, i, 6+shift)
					for _, p := range [][3]int{{x + 1, y, z}, {x, y + 1, z}, {x, y, z + 1}} {
						if max(p[0], p[1], p[2]) < n {
							j := at(p[0], p[1], p[2])
							add(i, j, -1)
							add(j, i, -1)
						}
					}
				}
			}
		}
	})
}

// randomGraph is the Laplacian of a random graph with some links a row, and a multiple of the diagonal.
func randomGraph(n, links int, dominance float64) *csr.Matrix {
	rng := rand.New(rand.NewPCG(1, 2))
	return entries(n, func(add func(i, j int, v float64)) {
		for i := range n {
			for range links / 2 {
				if j := rng.IntN(n); j != i {
					add(i, j, -1)
					add(j, i, -1)
					add(i, i, dominance)
					add(j, j, dominance)
				}
			}
		}
	})
}

func TestShape(t *testing.T) {
	for _, c := range []struct {
		name string
		m    *csr.Matrix
		want features.GraphShape
	}{
		{"plane", grid(40, 0, 0), features.Planar},
		{"space", box(20, 0), features.Spatial},
		{"quadratic triangles", quadratic(40), features.Planar},
		{"random graph", randomGraph(5000, 8, 1.01), features.Expander},
		{"chain", grid(1, 0, 0), features.Planar},
		{"diagonal", entries(50, func(add func(i, j int, v float64)) {
			for i := range 50 {
				add(i, i, 1)
			}
		}), features.Planar},
	} {
		if got := (features.LocalMatrix{Matrix: c.m}).Shape(); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// quadratic returns the pattern of quadratic triangles in the plane, n x n vertices with 4 to 9 neighbours each, in an arbitrary order: edges of a regular mesh are
// flipped at random.
func quadratic(n int) *csr.Matrix {
	rng := rand.New(rand.NewPCG(5, 6))
	var triangles [][3]int
	for v := range (n - 1) * n {
		if v%n < n-1 {
			triangles = append(triangles, [3]int{v, v + 1, v + n}, [3]int{v + 1, v + n, v + n + 1})
		}
	}
	at, degree := map[[2]int][]int{}, make([]int, n*n) // the triangles at an edge
	change := func(k, sign int) {
		c := triangles[k]
		for _, e := range [][2]int{{c[0], c[1]}, {c[0], c[2]}, {c[1], c[2]}} {
			e = [2]int{min(e[0], e[1]), max(e[0], e[1])}
			if at[e] = slices.DeleteFunc(at[e], func(o int) bool { return o == k }); sign > 0 {
				at[e] = append(at[e], k)
			}
			degree[e[0]], degree[e[1]] = degree[e[0]]+sign, degree[e[1]]+sign
		}
	}
	for k := range triangles {
		change(k, 1)
	}
	for range 20 * len(triangles) {
		k, side := rng.IntN(len(triangles)), rng.IntN(3)
		c := triangles[k]
		p, q, top := c[side], c[(side+1)%3], c[(side+2)%3]
		both := at[[2]int{min(p, q), max(p, q)}]
		if len(both) < 2 {
			continue
		}
		o := both[0] + both[1] - k
		bottom := triangles[o][0] ^ triangles[o][1] ^ triangles[o][2] ^ p ^ q
		if len(at[[2]int{min(top, bottom), max(top, bottom)}]) > 0 || min(degree[p], degree[q]) <= 8 || max(degree[top], degree[bottom]) >= 18 {
			continue
		}
		change(k, -1)
		change(o, -1)
		triangles[k], triangles[o] = [3]int{top, bottom, p}, [3]int{top, bottom, q}
		change(k, 1)
		change(o, 1)
	}
	unknown := map[[2]int]int{} // of a vertex (v, v), or of an edge
	for _, c := range triangles {
		for a := range c {
			for _, q := range c[a:] {
				unknown[[2]int{min(c[a], q), max(c[a], q)}] = 0
			}
		}
	}
	order := rng.Perm(len(unknown))
	for k, e := range slices.SortedFunc(maps.Keys(unknown), func(a, b [2]int) int { return slices.Compare(a[:], b[:]) }) {
		unknown[e] = order[k]
	}
	return entries(len(unknown), func(add func(i, j int, v float64)) {
		for _, c := range triangles {
			var nodes []int
			for a := range c {
				for _, q := range c[a:] {
					nodes = append(nodes, unknown[[2]int{min(c[a], q), max(c[a], q)}])
				}
			}
			for _, i := range nodes {
				for _, j := range nodes {
					add(i, j, 1)
				}
			}
		}
	})
}

// The bound, without the factor for smoother vectors, holds where the iterations can be counted, is none on a random graph, and leaves out
// the diagonal where multigrid is cheaper.
func TestLeastIterations(t *testing.T) {
	for _, m := range []*csr.Matrix{grid(40, 0, 0), grid(120, 0, 0), box(16, 0), box(16, 1)} {
		r := solved(t, m, random(1, m.Rows), nil, solve.Options{Method: solve.CG, Precond: solve.Precond{Kind: precond.Jacobi}, Accuracy: solve.Accuracy{Digits: solve.NoDigits}})
		least := newSolver(t, m, solve.Options{}).LeastIterations()
		if !(least > 0.1*float64(r.Iterations)) || least/rules.Smoother > float64(r.Iterations) {
			t.Errorf("at least %g iterations of %d rows, were %d", least, m.Rows, r.Iterations)
		}
	}
	if m := randomGraph(5000, 8, 1.0001); newSolver(t, m, solve.Options{}).LeastIterations() != 0 {
		t.Error("a bound for a random graph")
	}
	for _, c := range []struct {
		m        *csr.Matrix
		diagonal bool
	}{{grid(200, 0, 0), false}, {grid(200, 0, 4), true}} {
		if got := newSolver(t, c.m, solve.Options{}).Tabulated()[0]; got.ProbeRun || (got.Kind == precond.CG32) != c.diagonal {
			t.Errorf("first %v, probe run %v", got, got.ProbeRun)
		}
	}
}

// Rows with sums are a surface where they are the boundary of a mesh, not where they are anywhere in it or everywhere.
func TestRowSums(t *testing.T) {
	grounded := box(30, 0)
	for i := range grounded.Rows {
		cols, vals := grounded.Row(i)
		sum, at := 0.0, 0
		for k, j := range cols {
			if int(j) == i {
				at = k
			} else {
				sum -= vals[k]
			}
		}
		if vals[at] = sum; (i*7919)%1000 < 187 {
			vals[at]++
		}
	}
	shell := 1 - math.Pow(28./30, 3)
	for _, c := range []struct {
		name    string
		m       *csr.Matrix
		share   float64
		surface bool
	}{
		{"box", box(30, 0), shell, true},
		{"small box", box(10, 0), 1 - math.Pow(0.8, 3), false},
		{"with a shift", box(30, 1), 1, false},
		{"grounded anywhere", grounded, 0.187, false},
	} {
		got := newSolver(t, c.m, solve.Options{}).RowSums()
		if math.Abs(got.Share-c.share) > 0.04 || got.Surface != c.surface {
			t.Errorf("%s: %+v, want share %g, surface %v", c.name, got, c.share, c.surface)
		}
	}
	body := newSolver(t, box(50, 0), solve.Options{}) // the constant alone shows less
	if least, want := body.LeastIterations(), rules.SurfaceRoot/body.RowSums().Share*math.Log(2e10)/2; math.Abs(least/want-1) > 1e-9 {
		t.Errorf("at least %g iterations, want %g", least, want)
	}
}

// What converges fast is the only attempt. A slow probe run is left after a share of the work that it may
// take, and the next fallback goes on from its x.
func TestProbeRuns(t *testing.T) {
	fast := randomGraph(rules.FewRows+1, 8, 1.1)
	if r := solved(t, fast, rhs(fast, 1), nil, solve.Options{}); len(r.Attempts) != 1 || r.Precond.Kind != precond.Jacobi {
		t.Errorf("fast: %+v", r.Attempts)
	}
	graph := randomGraph(5000, 8, 1.1)
	slow := entries(8000, func(add func(i, j int, v float64)) { // a random graph, and a chain, which takes many iterations
		for i := range graph.Rows {
			cols, vals := graph.Row(i)
			for e, j := range cols {
				add(i, int(j), vals[e])
			}
		}
		for i := graph.Rows; i < 8000; i++ {
			if add(i, i, 2); i > graph.Rows {
				add(i, i-1, -1)
				add(i-1, i, -1)
			}
		}
	})
	r := solved(t, slow, rhs(slow, 1), nil, solve.Options{})
	if len(r.Attempts) < 2 || r.Attempts[0].Reason != refine.TooSlow {
		t.Errorf("slow: %+v", r.Attempts)
	}
	s := newSolver(t, slow, solve.Options{})
	if most := s.Workload().Bet(choice.Favourite(s.Tabulated())).Work(); r.Attempts[0].Work > most {
		t.Errorf("%g multiplications of a probe run, the alternative takes %g", r.Attempts[0].Work, most)
	}
	var log logged
	solved(t, slow, rhs(slow, 1), nil, log.options(solve.Options{}))
	if said := strings.Join(log.lines, "\n"); !strings.Contains(said, "tried first, while it promises to take less than cg with") {
		t.Errorf("said %s", said)
	}
}

// TestWorseThanZero: the next fallback does not start from an x of BiCGStab with a larger residual than zero has.
func TestWorseThanZero(t *testing.T) {
	// Magnitudes of 14 decades: after eight iterations with the diagonal the residual is hundreds of times as large.
	m := testsupport.Matrix(t, "fs_183_3")
	s := newSolver(t, m, solve.Options{Precond: solve.Precond{Fill: precond.DefaultFill}}) // so that complete factors do not come first
	f := s.Refiner.(*refine.Refinement[vector, scalar])
	c := f.Correction
	for k := range c.Attempts.State.Fallbacks[1:] {
		c.Attempts.State.Fallbacks[1+k].Rest = 1 // so that another fallback is expected to take less
	}
	d, b := make([]float64, m.Rows), rhs(m, 1)
	f.Measure.Begin(b)
	r := c.Correct(t.Context(), d, b, make([]float64, m.Rows), krylov.Goal{From: 1, To: 1e-14, MaxIter: 100})
	if !c.Slow || !(r.Residual > 1) || r.Iterations != rules.FirstLook {
		t.Fatalf("%+v, too slow: %v", r, c.Slow)
	}
	if slices.ContainsFunc(d, func(v float64) bool { return v != 0 }) {
		t.Errorf("a correction with a residual of %g is taken", r.Residual)
	}
}

// TestEasy: where the diagonal leaves few iterations, nothing that costs more is set up, as for a cube of 26 points along an edge.
func TestEasy(t *testing.T) {
	m := box(26, 0)
	r := solved(t, m, rhs(m, 1), nil, solve.Options{Accuracy: solve.Accuracy{Digits: solve.NoDigits}})
	if len(r.Attempts) != 1 || r.Precond.Kind != precond.Jacobi && r.Precond.Kind != precond.None {
		t.Errorf("%+v", r.Attempts)
	}
}

// The graph of a grid in space is found whatever its sides: edges would look like a plane.
func TestShapeOfAlignedGrid(t *testing.T) {
	for _, n := range []int{32, 48} {
		m, err := generate.Generate("poisson3d", generate.Params{"n": float64(n)})
		if err != nil {
			t.Fatal(err)
		}
		if got := (features.LocalMatrix{Matrix: m}).Shape(); got != features.Spatial {
			t.Errorf("%d points of an edge: %v", n, got)
		}
	}
}

// Small systems are solved by complete factors at once, but not on random graphs: factors fill, and the diagonal takes few iterations.
func TestSmallSystems(t *testing.T) {
	for _, c := range []struct {
		m    *csr.Matrix
		want precond.Kind
	}{{grid(28, 0, 0), precond.Cholesky}, {randomGraph(800, 10, 1.02), precond.Jacobi}} {
		if got := newSolver(t, c.m, solve.Options{}).Tabulated()[0]; got.Kind != c.want {
			t.Errorf("%d rows: %v, want %v", c.m.Rows, got, c.want)
		}
	}
}
