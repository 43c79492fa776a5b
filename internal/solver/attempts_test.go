package solver

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

var (
	cgAMG      = choice.Fallback{Method: solve.CG, Variant: choice.Variant{Kind: precond.AMG}}
	cgICT      = choice.Fallback{Method: solve.CG, Variant: choice.Variant{Kind: precond.ICT}}
	cgChol     = choice.Fallback{Method: solve.CG, Variant: choice.Variant{Kind: precond.Cholesky}}
	cgAlone    = choice.Fallback{Method: solve.CG, Variant: choice.Variant{Kind: precond.None}}
	gmresLU    = choice.Fallback{Method: solve.GMRES, Variant: choice.Variant{Kind: precond.LU}}
	gmresCheap = choice.Fallback{Method: solve.GMRES, Variant: choice.Variant{Kind: precond.LU, Most: rules.LittleWork}}
	gmresILUT  = choice.Fallback{Method: solve.GMRES, Variant: choice.Variant{Kind: precond.ILUT}}
	gmresILUT3 = choice.Fallback{Method: solve.GMRES, Variant: choice.Variant{Kind: precond.ILUT, DropTol: 1e-3}}
	gmresILUT8 = choice.Fallback{Method: solve.GMRES, Variant: choice.Variant{Kind: precond.ILUT, DropTol: 1e-8}}
	gmresAlone = choice.Fallback{Method: solve.GMRES, Variant: choice.Variant{Kind: precond.None}}
)

// The rules of attempts, by what happens to fallbacks: "slow" and "fails" to a method, "refused",
// "large" and "indefinite" to a set-up. Each fallback does the same in all rounds.
func TestAttemptRules(t *testing.T) {
	for _, c := range []struct {
		name      string
		fallbacks []choice.Fallback
		fate      map[choice.Fallback]string
		want      []choice.Fallback // visited, over all rounds
		ends      bool              // there is nothing after these
	}{
		{
			"in order, and again with more",
			[]choice.Fallback{gmresILUT, gmresAlone},
			map[choice.Fallback]string{gmresILUT: "slow", gmresAlone: "slow"},
			[]choice.Fallback{gmresILUT, gmresAlone, gmresILUT, gmresAlone, gmresILUT, gmresAlone},
			true,
		},
		{
			"what fails does not come back",
			[]choice.Fallback{cgICT, gmresILUT, gmresAlone},
			map[choice.Fallback]string{cgICT: "fails", gmresILUT: "slow", gmresAlone: "fails"},
			[]choice.Fallback{cgICT, gmresILUT, gmresAlone, gmresILUT, gmresILUT},
			true,
		},
		{
			"all fail",
			[]choice.Fallback{cgICT, gmresAlone},
			map[choice.Fallback]string{cgICT: "fails", gmresAlone: "fails"},
			[]choice.Fallback{cgICT, gmresAlone},
			true,
		},
		{
			"refused: larger drop tolerances only, in this round",
			[]choice.Fallback{gmresILUT, gmresILUT3, gmresILUT8, gmresAlone},
			map[choice.Fallback]string{gmresILUT: "refused", gmresILUT3: "slow", gmresAlone: "slow"},
			[]choice.Fallback{gmresILUT, gmresILUT3, gmresAlone, gmresILUT, gmresILUT3, gmresAlone, gmresILUT},
			false,
		},
		{
			"too large: smaller drop tolerances never",
			[]choice.Fallback{gmresILUT, gmresILUT3, gmresILUT8, gmresAlone},
			map[choice.Fallback]string{gmresILUT: "large", gmresILUT3: "slow", gmresAlone: "fails"},
			[]choice.Fallback{gmresILUT, gmresILUT3, gmresAlone, gmresILUT3, gmresILUT3},
			true,
		},
		{
			"too slow: smaller drop tolerances only",
			[]choice.Fallback{gmresILUT, gmresILUT3, gmresILUT8, gmresAlone},
			map[choice.Fallback]string{gmresILUT: "slow", gmresILUT8: "slow", gmresAlone: "slow"},
			[]choice.Fallback{gmresILUT, gmresILUT8, gmresAlone, gmresILUT8, gmresAlone, gmresILUT8, gmresAlone},
			true,
		},
		{
			"not definite, by a complete factorisation",
			[]choice.Fallback{cgAMG, cgChol, cgICT, cgAlone, gmresAlone},
			map[choice.Fallback]string{cgAMG: "slow", cgChol: "indefinite", gmresAlone: "fails"},
			[]choice.Fallback{cgAMG, cgChol, gmresAlone},
			true,
		},
		{
			"not definite, by an incomplete one: shows nothing",
			[]choice.Fallback{cgAMG, cgICT, cgAlone},
			map[choice.Fallback]string{cgAMG: "fails", cgICT: "indefinite", cgAlone: "fails"},
			[]choice.Fallback{cgAMG, cgICT, cgAlone},
			true,
		},
		{
			"a complete factorisation does not help",
			[]choice.Fallback{gmresLU, gmresILUT, gmresAlone},
			map[choice.Fallback]string{gmresLU: "slow", gmresILUT: "slow", gmresAlone: "slow"},
			[]choice.Fallback{gmresLU, gmresILUT, gmresAlone},
			true,
		},
		{
			"a complete factorisation that has been used is not set up again",
			[]choice.Fallback{gmresCheap, gmresILUT, gmresLU, gmresAlone},
			map[choice.Fallback]string{gmresCheap: "slow", gmresILUT: "slow", gmresAlone: "slow"},
			[]choice.Fallback{gmresCheap, gmresILUT, gmresAlone},
			true,
		},
		{
			"a complete factorisation that is not cheap waits for its turn",
			[]choice.Fallback{gmresCheap, gmresILUT, gmresLU},
			map[choice.Fallback]string{gmresCheap: "refused", gmresILUT: "slow", gmresLU: "refused"},
			slices.Concat([]choice.Fallback{gmresCheap}, slices.Repeat([]choice.Fallback{gmresILUT, gmresLU}, 12)), false,
		},
		{
			"a refused set-up keeps the fallbacks going",
			[]choice.Fallback{gmresLU, gmresAlone},
			map[choice.Fallback]string{gmresLU: "refused", gmresAlone: "slow"},
			slices.Repeat([]choice.Fallback{gmresLU, gmresAlone}, 12), false,
		},
	} {
		s := choice.BeginState(len(c.fallbacks), 1000)
		s.Begun = 1
		var got []choice.Fallback
		for len(got) < len(c.want) && s.Next(c.fallbacks, 1) {
			r := c.fallbacks[s.Fallback]
			got = append(got, r)
			switch fate := c.fate[r]; fate {
			case "slow", "fails":
				s.Fallbacks[s.Fallback].Iterations++
				s.Leave(r, fate == "slow")
			case "refused":
				s.Refuse(c.fallbacks, fmt.Errorf("%s: %w", r.Kind, precond.ErrWork))
			case "large":
				s.Refuse(c.fallbacks, fmt.Errorf("%s: %w", r.Kind, precond.ErrMemory))
			case "indefinite":
				s.Refuse(c.fallbacks, fmt.Errorf("%s: %w", r.Kind, precond.ErrNotDefinite))
			default:
				t.Fatalf("%s: %v is visited", c.name, r)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: visited %v, want %v", c.name, got, c.want)
		} else if more := s.Next(c.fallbacks, 1); more == c.ends {
			t.Errorf("%s: goes on: %v", c.name, more)
		}
	}
}

// A round that gets the measure down is followed by others, however many there were.
func TestAttemptsProgress(t *testing.T) {
	fallbacks := []choice.Fallback{gmresAlone, gmresILUT}
	s := choice.BeginState(len(fallbacks), 1000)
	s.Begun = 1
	measure := 1.0
	for range 40 {
		if !s.Next(fallbacks, measure) {
			t.Fatalf("ends in round %d", s.Round)
		}
		s.Leave(fallbacks[s.Fallback], true)
		measure *= 0.6
	}
	s.Indefinite = true
	if s.Next([]choice.Fallback{cgICT, cgAlone}, measure) {
		t.Error("conjugate gradients follow although the matrix is not definite")
	}
}

// Budgets grow with the rounds, and with what has been spent.
func TestAttemptsBudget(t *testing.T) {
	fallbacks := []choice.Fallback{gmresILUT, gmresLU, gmresAlone}
	s := choice.BeginState(len(fallbacks), 1_000_000)
	if s.Budget != 5e8 || choice.BeginState(1, 10).Budget != rules.LeastBudget {
		t.Errorf("first budgets %g, %g", s.Budget, choice.BeginState(1, 10).Budget)
	}
	s.Next(fallbacks, 1)
	if s.SetupBudget(gmresLU) != rules.Completing*s.SetupBudget(gmresILUT) {
		t.Errorf("set-ups may take %g and %g", s.SetupBudget(gmresILUT), s.SetupBudget(gmresLU))
	}
	s.Fallbacks[0].Setup = 1e7
	if got := s.SolveBudget(gmresILUT); got != rules.Balance*1e7 {
		t.Errorf("iterations may take %g after a set-up of 1e7", got)
	}
	s.Fallbacks[0].Spent, s.Fallbacks[0].Work = 3e7, 3e7
	if got := s.SolveBudget(gmresILUT); got != rules.Balance*1e7-3e7 {
		t.Errorf("iterations may take %g more", got)
	}
	for range 3 {
		s.Leave(fallbacks[s.Fallback], true)
		s.Last = false
		s.Next(fallbacks, 1)
	}
	if s.Round != 1 || s.Budget != rules.RoundGrowth*5e8 || s.Fallbacks[0].Spent != 0 || s.SolveBudget(gmresILUT) != rules.Solving*s.Budget {
		t.Errorf("round %d: budget %g, %+v", s.Round, s.Budget, s.Fallbacks[0])
	}
	s.Fallbacks[2].Work = 1e12
	for range 3 {
		s.Leave(fallbacks[s.Fallback], true)
		s.Last = false
		s.Next(fallbacks, 1)
	}
	if s.Budget != 1e12+4e7 {
		t.Errorf("budget %g after spending 1e12", s.Budget)
	}
}

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
		{"definite", solve.Options{}, definite, "cg chol, probe cg jacobi, cg ict, cg chol, cg ict 1e-03, cg ict 1e-02, cg ict 1e-08, cg ic0, cg none, gmres lu, gmres ilut, gmres ilut 1e-03, gmres ilut 1e-02, gmres ilut 1e-08, gmres ilu0, gmres none"},
		{"definite, more rows", solve.Options{}, grid(72, 0, 1), "probe cg jacobi, cg chol, cg ict, cg chol, cg ict 1e-03, cg ict 1e-02, cg ict 1e-08, cg ic0, cg none, gmres lu, gmres ilut, gmres ilut 1e-03, gmres ilut 1e-02, gmres ilut 1e-08, gmres ilu0, gmres none"},
		{"unsymmetric", solve.Options{}, flow, "gmres lu, probe bicgstab jacobi, probe bicgstab ilu0, gmres ilut, gmres lu, gmres ilut 1e-03, gmres ilut 1e-02, gmres ilut 1e-08, gmres ilu0, gmres none"},
		{"unsymmetric, more rows", solve.Options{}, grid(72, 0.3, 0), "probe bicgstab jacobi, gmres lu, probe bicgstab ilu0, gmres ilut, gmres lu, gmres ilut 1e-03, gmres ilut 1e-02, gmres ilut 1e-08, gmres ilu0, gmres none"},
		{"saddle point", solve.Options{}, saddle, "gmres lu, gmres ilut, gmres ilut 1e-03, gmres ilut 1e-02, gmres ilut 1e-08, gmres ilu0, gmres none"},
		{"bicgstab", solve.Options{Method: solve.BiCGStab, Precond: solve.Precond{DropTol: 1e-4}}, flow, "probe bicgstab jacobi, probe bicgstab ilu0, bicgstab ilut, bicgstab lu, bicgstab ilu0, bicgstab none"},
		{"cg requested", solve.Options{Method: solve.CG}, definite, "cg chol, probe cg jacobi, cg ict, cg chol, cg ict 1e-03, cg ict 1e-02, cg ict 1e-08, cg ic0, cg none"},
		{"minres", solve.Options{Method: solve.MINRES}, definite, "minres none"},
		{"gmres requested", solve.Options{Method: solve.GMRES}, definite, "gmres lu, probe gmres jacobi, probe gmres ilu0, gmres ilut, gmres lu, gmres ilut 1e-03, gmres ilut 1e-02, gmres ilut 1e-08, gmres ilu0, gmres none"},
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
