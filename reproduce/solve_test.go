package reproduce

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// solvePoint returns the point with these labels, such as solver=cg, and defaults.
func solvePoint(labels ...string) point {
	p := point{}
	for _, l := range solves().labels {
		p[l.name] = l.value
	}
	for _, l := range labels {
		name, value, _ := strings.Cut(l, "=")
		p[name] = value
	}
	return p
}

func generated(t *testing.T, kind string, params generate.Params) *csr.Matrix {
	t.Helper()
	m, err := generate.Generate(kind, params)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// solveAll measures with m and returns the results in the order of the points.
func solveAll(t *testing.T, m *csr.Matrix, quick bool, points ...point) []result {
	t.Helper()
	pool := parallel.New(2)
	defer pool.Close()
	results := make([]result, len(points))
	err := solves().run(context.Background(), input{
		matrix: m, pool: pool, quick: quick, progress: func(string) {}, late: func() bool { return false },
		emit: func(p point, r result) error {
			k := slices.IndexFunc(points, func(q point) bool { return maps.Equal(p, q) })
			results[k] = r
			return nil
		},
	}, points)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// TestSolvesConverge: with a matrix stored to 2^-24, every method takes about as many iterations as with FP64.
func TestSolvesConverge(t *testing.T) {
	for _, c := range []struct {
		kind    string
		solvers []string
	}{
		{"poisson2d", solverNames()},
		{"convdiff2d", []string{"bicgstab", "gmres40", "gmres80"}},
	} {
		m := generated(t, c.kind, generate.Params{"n": 30})
		for _, solver := range c.solvers {
			points := []point{
				solvePoint("solver="+solver, "formats=FP64", "epsilon=2^-53"),
				solvePoint("solver=" + solver),
				solvePoint("solver="+solver, "formats=AP7", "criterion=cw"),
				solvePoint("solver="+solver, "formats=AP7", "criterion=nw", "rounding=own", "arithmetic=storage"),
				solvePoint("solver="+solver, "formats=AFX", "criterion=nw"),
			}
			results := solveAll(t, m, false, points...)
			for k, r := range results {
				v, first := r.values, results[0].values
				if v["converged"] != 1 || r.notes["reason"] != "converged" || v["backward_error"] > solveTol {
					t.Errorf("%s %v: %v %v", c.kind, points[k], v, r.notes)
				}
				if v["iterations"] > 1.5*first["iterations"] {
					t.Errorf("%s %v: %g iterations, FP64 took %g", c.kind, points[k], v["iterations"], first["iterations"])
				}
				if !(v["seconds"] >= v["spmv_seconds"] && v["spmv_seconds"] > 0) {
					t.Errorf("%s %v: %g seconds, of these %g in products", c.kind, points[k], v["seconds"], v["spmv_seconds"])
				}
				checkHistory(t, r)
			}
			if cycle := float64(lookupSolver(solver).cycle); cycle > 0 && results[0].values["iterations"] != cycle*results[0].values["steps"] {
				t.Errorf("%s: %g iterations in %g cycles", solver, results[0].values["iterations"], results[0].values["steps"])
			}
		}
	}
}

// checkHistory: the iterations increase to the last one, whose error equals the recomputed error up to rounding.
func checkHistory(t *testing.T, r result) {
	t.Helper()
	iteration, residual := r.series["iteration"], r.series["residual"]
	last := len(iteration) - 1
	if len(residual) != last+1 || last > historyPoints+1 {
		t.Fatalf("%d iterations and %d residuals", last+1, len(residual))
	}
	for k := range last {
		if iteration[k] >= iteration[k+1] {
			t.Errorf("iteration %g before %g", iteration[k], iteration[k+1])
		}
	}
	if iteration[last] != r.values["iterations"] {
		t.Errorf("the last is iteration %g of %g", iteration[last], r.values["iterations"])
	}
	if d := residual[last] - r.values["backward_error"]; max(d, -d) > 1e-15+1e-2*residual[last] {
		t.Errorf("backward error %g, recomputed %g", residual[last], r.values["backward_error"])
	}
}

// TestSolvesFail: solves that do not converge have a reason.
func TestSolvesFail(t *testing.T) {
	m := generated(t, "convdiff2d", generate.Params{"n": 30, "peclet": 500})
	spread := generated(t, "poisson2d", generate.Params{"n": 10, "decades": 8})
	for _, c := range []struct {
		m      *csr.Matrix
		p      point
		reason string
		solved bool // a solve took place
	}{
		{m, solvePoint("solver=cg"), "", true}, // the matrix is not symmetric
		{m, solvePoint("max_iter=40"), krylov.IterationLimit.String(), true},
		{spread, solvePoint("formats=RPRE16"), "range", false},
	} {
		r := solveAll(t, c.m, false, c.p)[0]
		if r.values["converged"] != 0 || r.notes["reason"] == "converged" || !strings.Contains(r.notes["reason"], c.reason) {
			t.Errorf("%v: %v %v", c.p, r.values, r.notes)
		}
		if _, ok := r.values["seconds"]; ok != c.solved {
			t.Errorf("%v: %v", c.p, r.values)
		}
		if c.solved {
			checkHistory(t, r)
		}
	}
}

// TestSolvesQuick: a quick run does fewer iterations and notes it.
func TestSolvesQuick(t *testing.T) {
	m := generated(t, "convdiff2d", generate.Params{"n": 30, "peclet": 500})
	r := solveAll(t, m, true, solvePoint("solver=cg"))[0]
	if r.values["iterations"] > quickIterations || r.notes["max_iter"] != "1000" {
		t.Errorf("%v %v", r.values, r.notes)
	}
}

// TestRefine: x solves the scaled system, whose rows have the largest magnitude 1.
func TestRefine(t *testing.T) {
	pool := parallel.New(1)
	defer pool.Close()
	m := generated(t, "poisson2d", generate.Params{"n": 20, "decades": 3})
	s := newSystem(m, "rowmax", pool)
	for i, d := range s.m.RowMax(nil) {
		if d != 1 {
			t.Errorf("row %d: %g", i, d)
		}
	}
	if slices.Max(m.RowMax(nil)) == 1 {
		t.Error("the matrix itself was scaled")
	}
	x := make([]float64, m.Cols)
	o := s.refine(context.Background(), lookupSolver("cg"), linop.NewCSR(s.m, pool), x, 1000)
	errs, err := verify.Compute(s.m, x, s.b, pool)
	if err != nil || o.reason != krylov.Converged || errs.Normwise > solveTol {
		t.Errorf("%v %v %v", o.reason, errs, err)
	}
}

// TestSolvesInterrupted: the context ends measurements, also within a solve.
func TestSolvesInterrupted(t *testing.T) {
	pool := parallel.New(1)
	defer pool.Close()
	ctx, cancel := context.WithCancel(context.Background())
	m := generated(t, "poisson2d", generate.Params{"n": 20})
	err := solves().run(ctx, input{
		matrix: m, pool: pool,
		late:     func() bool { return false },
		progress: func(string) { cancel() }, // before the first solve
		emit: func(point, result) error {
			t.Error("an interrupted solve is no measurement")
			return nil
		},
	}, []point{solvePoint(), solvePoint("solver=cg")})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestSolveExists(t *testing.T) {
	for _, c := range []struct {
		p    point
		want bool
	}{
		{solvePoint(), true},
		{solvePoint("formats=AP7"), false}, // the criterion is missing
		{solvePoint("criterion=cw"), false},
		{solvePoint("formats=AP7", "criterion=cw"), true},
		{solvePoint("formats=AFX", "criterion=nw"), true},
		{solvePoint("formats=RP16"), false}, // the format has another accuracy
	} {
		if solveExists(c.p) != c.want {
			t.Errorf("%v: got %t", c.p, !c.want)
		}
	}
}

// TestScaledOutside: what is stored of a matrix that is scaled outside of it depends on the norm of the matrix
// itself. FP64 stores everything and solves as if the matrix had been scaled. The normwise criterion drops whole rows
// of soft layers, in which the solution then grows, and the normwise backward error falls with it: figure 3.10 of
// [Molina24].
func TestScaledOutside(t *testing.T) {
	m := generated(t, "solid3d", generate.Params{
		"n": 14, "tets": 1, "decades": 3, "grain": 2, "jump": 3, "thickness": 3, "soft": 14, "bounded": 1,
	})
	r := solveAll(t, m, false,
		solvePoint("formats=FP64", "epsilon=2^-53"),
		solvePoint("formats=FP64", "epsilon=2^-53", "scaling=outside"),
		solvePoint("scaling=outside"),
		solvePoint("formats=AP2", "criterion=nw", "scaling=rowmax"),
		solvePoint("formats=AP2", "criterion=nw", "scaling=outside"),
	)
	for k, name := range []string{"FP64", "FP64 outside", "FP32 outside", "AP2"} {
		v := r[k].values
		if v["converged"] != 1 || v["relative_residual"] > 1e-9 || v["iterations"] > 1.5*r[0].values["iterations"] {
			t.Errorf("%s: %v, FP64 took %g iterations", name, v, r[0].values["iterations"])
		}
		checkHistory(t, r[k])
	}
	dropped := r[4].values
	if dropped["converged"] != 1 || dropped["iterations"] > r[2].values["iterations"]/2 {
		t.Errorf("AP2 outside: %v, FP32 took %g iterations", dropped, r[2].values["iterations"])
	}
	if dropped["forward_error"] < 1e3 || dropped["relative_residual"] < 1e-9 {
		t.Errorf("AP2 outside solved the system: %v", dropped)
	}
	if dropped["storage"] > 0.95*r[3].values["storage"] {
		t.Errorf("AP2 stores %g outside, %g of the scaled matrix", dropped["storage"], r[3].values["storage"])
	}
}
