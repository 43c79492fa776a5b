package solve

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

var (
	cgAMG      = rung{method: CG, variant: variant{kind: precond.AMG}}
	cgICT      = rung{method: CG, variant: variant{kind: precond.ICT}}
	cgChol     = rung{method: CG, variant: variant{kind: precond.Cholesky}}
	cgAlone    = rung{method: CG, variant: variant{kind: precond.None}}
	gmresLU    = rung{method: GMRES, variant: variant{kind: precond.LU}}
	gmresCheap = rung{method: GMRES, variant: variant{kind: precond.LU, most: littleWork}}
	gmresILUT  = rung{method: GMRES, variant: variant{kind: precond.ILUT}}
	gmresILUT3 = rung{method: GMRES, variant: variant{kind: precond.ILUT, dropTol: 1e-3}}
	gmresILUT8 = rung{method: GMRES, variant: variant{kind: precond.ILUT, dropTol: 1e-8}}
	gmresAlone = rung{method: GMRES, variant: variant{kind: precond.None}}
)

// The rules of the ladder, by what happens to rungs: "slow" and "fails" to a method, "refused",
// "large" and "indefinite" to a set-up. Each rung does the same in all rounds.
func TestLadder(t *testing.T) {
	for _, c := range []struct {
		name  string
		rungs []rung
		fate  map[rung]string
		want  []rung // visited, over all rounds
		ends  bool   // there is nothing after these
	}{
		{
			"in order, and again with more",
			[]rung{gmresILUT, gmresAlone},
			map[rung]string{gmresILUT: "slow", gmresAlone: "slow"},
			[]rung{gmresILUT, gmresAlone, gmresILUT, gmresAlone, gmresILUT, gmresAlone},
			true,
		},
		{
			"what fails does not come back",
			[]rung{cgICT, gmresILUT, gmresAlone},
			map[rung]string{cgICT: "fails", gmresILUT: "slow", gmresAlone: "fails"},
			[]rung{cgICT, gmresILUT, gmresAlone, gmresILUT, gmresILUT},
			true,
		},
		{
			"all fail",
			[]rung{cgICT, gmresAlone},
			map[rung]string{cgICT: "fails", gmresAlone: "fails"},
			[]rung{cgICT, gmresAlone},
			true,
		},
		{
			"refused: larger drop tolerances only, in this round",
			[]rung{gmresILUT, gmresILUT3, gmresILUT8, gmresAlone},
			map[rung]string{gmresILUT: "refused", gmresILUT3: "slow", gmresAlone: "slow"},
			[]rung{gmresILUT, gmresILUT3, gmresAlone, gmresILUT, gmresILUT3, gmresAlone, gmresILUT},
			false,
		},
		{
			"too large: smaller drop tolerances never",
			[]rung{gmresILUT, gmresILUT3, gmresILUT8, gmresAlone},
			map[rung]string{gmresILUT: "large", gmresILUT3: "slow", gmresAlone: "fails"},
			[]rung{gmresILUT, gmresILUT3, gmresAlone, gmresILUT3, gmresILUT3},
			true,
		},
		{
			"too slow: smaller drop tolerances only",
			[]rung{gmresILUT, gmresILUT3, gmresILUT8, gmresAlone},
			map[rung]string{gmresILUT: "slow", gmresILUT8: "slow", gmresAlone: "slow"},
			[]rung{gmresILUT, gmresILUT8, gmresAlone, gmresILUT8, gmresAlone, gmresILUT8, gmresAlone},
			true,
		},
		{
			"not definite, by a complete factorisation",
			[]rung{cgAMG, cgChol, cgICT, cgAlone, gmresAlone},
			map[rung]string{cgAMG: "slow", cgChol: "indefinite", gmresAlone: "fails"},
			[]rung{cgAMG, cgChol, gmresAlone},
			true,
		},
		{
			"not definite, by an incomplete one: shows nothing",
			[]rung{cgAMG, cgICT, cgAlone},
			map[rung]string{cgAMG: "fails", cgICT: "indefinite", cgAlone: "fails"},
			[]rung{cgAMG, cgICT, cgAlone},
			true,
		},
		{
			"a complete factorisation does not help",
			[]rung{gmresLU, gmresILUT, gmresAlone},
			map[rung]string{gmresLU: "slow", gmresILUT: "slow", gmresAlone: "slow"},
			[]rung{gmresLU, gmresILUT, gmresAlone},
			true,
		},
		{
			"a complete factorisation that has been used is not set up again",
			[]rung{gmresCheap, gmresILUT, gmresLU, gmresAlone},
			map[rung]string{gmresCheap: "slow", gmresILUT: "slow", gmresAlone: "slow"},
			[]rung{gmresCheap, gmresILUT, gmresAlone},
			true,
		},
		{
			"a complete factorisation that is not cheap waits for its turn",
			[]rung{gmresCheap, gmresILUT, gmresLU},
			map[rung]string{gmresCheap: "refused", gmresILUT: "slow", gmresLU: "refused"},
			slices.Concat([]rung{gmresCheap}, slices.Repeat([]rung{gmresILUT, gmresLU}, 12)), false,
		},
		{
			"a refused set-up keeps the ladder going",
			[]rung{gmresLU, gmresAlone},
			map[rung]string{gmresLU: "refused", gmresAlone: "slow"},
			slices.Repeat([]rung{gmresLU, gmresAlone}, 12), false,
		},
	} {
		s := beginLadder(len(c.rungs), 1000)
		s.Begun = 1
		var got []rung
		for len(got) < len(c.want) && s.next(c.rungs, 1) {
			r := c.rungs[s.Rung]
			got = append(got, r)
			switch fate := c.fate[r]; fate {
			case "slow", "fails":
				s.Rungs[s.Rung].Iterations++
				s.leave(r, fate == "slow")
			case "refused":
				s.refuse(c.rungs, fmt.Errorf("%s: %w", r.kind, precond.ErrWork))
			case "large":
				s.refuse(c.rungs, fmt.Errorf("%s: %w", r.kind, precond.ErrMemory))
			case "indefinite":
				s.refuse(c.rungs, fmt.Errorf("%s: %w", r.kind, precond.ErrNotDefinite))
			default:
				t.Fatalf("%s: %v is visited", c.name, r)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: visited %v, want %v", c.name, got, c.want)
		} else if more := s.next(c.rungs, 1); more == c.ends {
			t.Errorf("%s: goes on: %v", c.name, more)
		}
	}
}

// A round that gets the measure down is followed by others, however many there were.
func TestLadderProgress(t *testing.T) {
	rungs := []rung{gmresAlone, gmresILUT}
	s := beginLadder(len(rungs), 1000)
	s.Begun = 1
	measure := 1.0
	for range 40 {
		if !s.next(rungs, measure) {
			t.Fatalf("ends in round %d", s.Round)
		}
		s.leave(rungs[s.Rung], true)
		measure *= 0.6
	}
	s.Indefinite = true
	if s.next([]rung{cgICT, cgAlone}, measure) {
		t.Error("conjugate gradients follow although the matrix is not definite")
	}
}

// Budgets grow with the rounds, and with what has been spent.
func TestLadderBudget(t *testing.T) {
	rungs := []rung{gmresILUT, gmresLU, gmresAlone}
	s := beginLadder(len(rungs), 1_000_000)
	if s.Budget != 5e8 || beginLadder(1, 10).Budget != leastBudget {
		t.Errorf("first budgets %g, %g", s.Budget, beginLadder(1, 10).Budget)
	}
	s.next(rungs, 1)
	if s.setupBudget(gmresLU) != completing*s.setupBudget(gmresILUT) {
		t.Errorf("set-ups may take %g and %g", s.setupBudget(gmresILUT), s.setupBudget(gmresLU))
	}
	s.Rungs[0].Setup = 1e7
	if got := s.solveBudget(gmresILUT); got != balance*1e7 {
		t.Errorf("iterations may take %g after a set-up of 1e7", got)
	}
	s.Rungs[0].Spent, s.Rungs[0].Work = 3e7, 3e7
	if got := s.solveBudget(gmresILUT); got != balance*1e7-3e7 {
		t.Errorf("iterations may take %g more", got)
	}
	for range 3 {
		s.leave(rungs[s.Rung], true)
		s.Last = false
		s.next(rungs, 1)
	}
	if s.Round != 1 || s.Budget != roundGrowth*5e8 || s.Rungs[0].Spent != 0 || s.solveBudget(gmresILUT) != solving*s.Budget {
		t.Errorf("round %d: budget %g, %+v", s.Round, s.Budget, s.Rungs[0])
	}
	s.Rungs[2].Work = 1e12
	for range 3 {
		s.leave(rungs[s.Rung], true)
		s.Last = false
		s.next(rungs, 1)
	}
	if s.Budget != 1e12+4e7 {
		t.Errorf("budget %g after spending 1e12", s.Budget)
	}
}

// The tables: what a system has, and in which order.
func TestRungs(t *testing.T) {
	definite, flow := grid(10, 0, 0), grid(10, 0.3, 0)
	saddle := dense([]float64{4, 1, 1}, []float64{1, 3, -1}, []float64{1, -1, 0})
	for _, c := range []struct {
		name string
		opt  Options
		m    *csr.Matrix
		want string
	}{
		{"definite", Options{}, definite, "trial cg jacobi, cg chol, cg ict, cg chol, cg ict 1e-03, cg ict 1e-02, cg ict 1e-08, cg ic0, cg none, gmres lu, gmres ilut, gmres ilut 1e-03, gmres ilut 1e-02, gmres ilut 1e-08, gmres ilu0, gmres none"},
		{"unsymmetric", Options{}, flow, "trial bicgstab jacobi, gmres lu, trial bicgstab ilu0, gmres ilut, gmres lu, gmres ilut 1e-03, gmres ilut 1e-02, gmres ilut 1e-08, gmres ilu0, gmres none"},
		{"saddle point", Options{}, saddle, "gmres lu, gmres ilut, gmres ilut 1e-03, gmres ilut 1e-02, gmres ilut 1e-08, gmres ilu0, gmres none"},
		{"bicgstab", Options{Method: BiCGStab, Precond: Precond{DropTol: 1e-4}}, flow, "trial bicgstab jacobi, trial bicgstab ilu0, bicgstab ilut, bicgstab lu, bicgstab ilu0, bicgstab none"},
		{"cg requested", Options{Method: CG}, definite, "trial cg jacobi, cg chol, cg ict, cg chol, cg ict 1e-03, cg ict 1e-02, cg ict 1e-08, cg ic0, cg none"},
		{"minres", Options{Method: MINRES}, definite, "minres none"},
		{"gmres requested", Options{Method: GMRES}, definite, "trial gmres jacobi, gmres lu, trial gmres ilu0, gmres ilut, gmres lu, gmres ilut 1e-03, gmres ilut 1e-02, gmres ilut 1e-08, gmres ilu0, gmres none"},
		{"preconditioner requested", Options{Precond: Precond{Kind: precond.IC0}}, definite, "cg ic0, gmres ic0"},
		{"both requested", Options{Method: CG, Precond: Precond{Kind: precond.IC0}}, definite, "cg ic0"},
	} {
		text := ""
		for _, r := range newSolver(t, c.m, c.opt).rungs() {
			if text != "" {
				text += ", "
			}
			if r.trial {
				text += "trial "
			}
			text += fmt.Sprintf("%s %s", r.method, r.kind)
			if r.dropTol != 0 {
				text += fmt.Sprintf(" %.0e", r.dropTol)
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
		s := newSolver(t, m, Options{})
		rungs := s.rungs()
		place := func(kind precond.Kind) int {
			return slices.IndexFunc(rungs, func(r rung) bool { return r.kind == kind && r.method == BiCGStab })
		}
		if ilu0, amg := place(precond.ILU0), place(precond.AMG); amg < 0 || ilu0 < 0 || ilu0 < amg != c.first {
			t.Errorf("%v: ILU(0) at %d, multigrid at %d of %v", c, ilu0, amg, rungs)
		}
		if s.diffuses() != c.relaxed {
			t.Errorf("%v: relaxed %v", c, !c.relaxed)
		}
		if want := c.peclet > 2; s.transports() != want {
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
		s := newSolver(t, m, log.options(Options{Method: BiCGStab, Precond: Precond{Kind: precond.ILU0}}))
		if log.says("relaxed") != c.relaxed {
			t.Errorf("%s: log %q", kind, log.lines)
		}
		s.Close()
	}
}
