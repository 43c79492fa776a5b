package solver

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// The tables: the fallbacks of a system, and their order.
func TestTabulated(t *testing.T) {
	definite, flow := grid(10, 0, 0), grid(10, 0.3, 0)
	saddle := dense([]float64{4, 1, 1}, []float64{1, 3, -1}, []float64{1, -1, 0})
	for _, c := range []struct {
		name string
		opt  solve.Options
		m    *csr.Matrix
		want string
	}{
		{"definite", solve.Options{}, definite, "cg chol, probe cg jacobi, cg amg, cg fsai, cg ict, cg ict 1e-03, cg ict 1e-02, cg ict 1e-08, cg ic0, cg none, minres jacobi, gmres lu, gmres ilu0, gmres ilut, gmres ilut 1e-03, gmres ilut 1e-02, gmres ilut 1e-08, gmres none"},
		{"definite, more rows", solve.Options{}, grid(72, 0, 1), "cg cg32, cg jacobi, cg chol, cg ic0, cg ict 1e-02, minres jacobi, cg amg, cg fsai, cg ict 1e-03, gmres ilu0, cg ict, gmres lu, gmres ilut 1e-02, cg ict 1e-08, gmres ilut 1e-03, gmres ilut, gmres ilut 1e-08, cg none, gmres none"},
		{"unsymmetric", solve.Options{}, flow, "gmres lu, probe bicgstab jacobi, bicgstab amg, gmres amg, bicgstab ilu0, gmres ilu0, gmres ilut, gmres ilut 1e-03, gmres ilut 1e-02, gmres ilut 1e-08, gmres none"},
		{"unsymmetric, more rows", solve.Options{}, grid(72, 0.3, 0), "probe bicgstab jacobi, gmres lu, bicgstab amg, gmres amg, bicgstab ilu0, gmres ilut, gmres ilut 1e-03, gmres ilu0, gmres ilut 1e-02, gmres ilut 1e-08, gmres none"},
		{"saddle point", solve.Options{}, saddle, "gmres lu, probe minres jacobi, gmres schur, gmres ilu0, gmres ilut, gmres ilut 1e-03, gmres ilut 1e-02, gmres ilut 1e-08, gmres none"},
		{"bicgstab", solve.Options{Method: solve.BiCGStab, Precond: solve.Precond{DropTol: 1e-4}}, flow, "probe bicgstab jacobi, bicgstab ilut, bicgstab ilu0, bicgstab amg, bicgstab lu, bicgstab none"},
		{"cg requested", solve.Options{Method: solve.CG}, definite, "cg chol, probe cg jacobi, cg amg, cg fsai, cg ict, cg ict 1e-03, cg ict 1e-02, cg ict 1e-08, cg ic0, cg none"},
		{"minres", solve.Options{Method: solve.MINRES}, definite, "minres none"},
		{"gmres requested", solve.Options{Method: solve.GMRES}, definite, "gmres lu, probe gmres jacobi, gmres ilu0, gmres ilut, gmres ilut 1e-03, gmres ilut 1e-02, gmres ilut 1e-08, gmres none"},
		{"preconditioner requested", solve.Options{Precond: solve.Precond{Kind: precond.IC0}}, definite, "cg ic0, gmres ic0"},
		{"both requested", solve.Options{Method: solve.CG, Precond: solve.Precond{Kind: precond.IC0}}, definite, "cg ic0"},
	} {
		text := ""
		for _, r := range newSolver(t, c.m, c.opt).Tabulated() {
			if text != "" {
				text += ", "
			}
			if r.ProbeRun {
				text += "probe "
			}
			text += fmt.Sprintf("%s %s", r.Method, r.Kind)
			if r.DropTol != 0 {
				text += fmt.Sprintf(" %.0e", r.DropTol)
			}
		}
		if text != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, text, c.want)
		}
	}
}

// ILU(0) comes before multigrid where transport decides, and where relaxed factors are expected to leave few
// iterations: with some convection on meshes in space. It is relaxed unless transport decides.
func TestSweptFirst(t *testing.T) {
	for _, c := range []struct {
		kind           string
		n, peclet      float64
		first, relaxed bool
	}{
		{"convdiff2d", 210, 0.1, false, true},
		{"convdiff2d", 210, 1, false, true},
		{"convdiff2d", 210, 3, true, true},
		{"convdiff2d", 210, 100, true, false},
		{"convdiff3d", 40, 0.1, false, true},
		{"convdiff3d", 40, 1, true, true},
		{"convdiff3d", 90, 1, false, true},
		{"convdiff3d", 40, 100, true, false},
	} {
		m, err := generate.Generate(c.kind, generate.Params{"n": c.n, "peclet": c.peclet})
		if err != nil {
			t.Fatal(err)
		}
		s := newSolver(t, m, solve.Options{})
		fallbacks := s.Tabulated()
		index := func(kind precond.Kind) int {
			return slices.IndexFunc(fallbacks, func(r choice.Fallback) bool { return r.Kind == kind && r.Method == solve.BiCGStab })
		}
		if ilu0, amg := index(precond.ILU0), index(precond.AMG); amg < 0 || ilu0 < 0 || ilu0 < amg != c.first {
			t.Errorf("%v: ILU(0) at %d, multigrid at %d of %v", c, ilu0, amg, fallbacks)
		}
		if s.Diffuses() != c.relaxed {
			t.Errorf("%v: relaxed %v", c, !c.relaxed)
		}
		if want := c.peclet > 2; s.Transports() != want {
			t.Errorf("%v: transport decides: %v", c, !want)
		}
	}
}

// ILU(0) is relaxed where most rows have the sum zero, which is said.
func TestRelaxedRows(t *testing.T) {
	for kind, c := range map[string]struct {
		n       float64
		relaxed bool
	}{"transport3d": {36, true}, "meshless2d": {50, true}, "stencil27": {16, false}, "device3d": {16, false}, "powerlaw": {5000, false}, "circuit": {5000, false}} {
		m, err := generate.Generate(kind, generate.Params{"n": c.n})
		if err != nil {
			t.Fatal(err)
		}
		var log logged
		s := newSolver(t, m, log.options(solve.Options{Method: solve.BiCGStab, Precond: solve.Precond{Kind: precond.ILU0}}))
		if log.says("relaxed") != c.relaxed {
			t.Errorf("%s: log %q", kind, log.lines)
		}
		s.Close()
	}
}

// An attempt that nothing follows is one attempt, however often its method is left.
func TestAttemptGoesOn(t *testing.T) {
	m, err := generate.Generate("convdiff2d", generate.Params{"n": 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []solve.Method{solve.CG, solve.MINRES} {
		var log logged
		r := checked(t, m, rhs(m, 1), nil, log.options(solve.Options{Method: method}))
		if !log.says("there is nothing else to try") || len(r.Attempts) != 1 {
			t.Fatalf("%q, %+v", log.lines, r.Attempts)
		}
		if a := r.Attempts[0]; a.Method != string(method) || a.Vectors != solve.VectorsDouble || a.Precond == "" || a.Iterations != r.Iterations {
			t.Errorf("%+v of %d iterations", a, r.Iterations)
		}
	}
}
