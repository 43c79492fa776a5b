package choice

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/direct/order"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

var (
	probe      = Fallback{Method: solve.CG, Variant: Variant{Kind: precond.Jacobi}, ProbeRun: true}
	cgAMG      = Fallback{Method: solve.CG, Variant: Variant{Kind: precond.AMG}}
	cgICT      = Fallback{Method: solve.CG, Variant: Variant{Kind: precond.ICT}}
	cgFSAI     = Fallback{Method: solve.CG, Variant: Variant{Kind: precond.FSAI}}
	cgChol     = Fallback{Method: solve.CG, Variant: Variant{Kind: precond.Cholesky}}
	cgAlone    = Fallback{Method: solve.CG, Variant: Variant{Kind: precond.None}}
	gmresLU    = Fallback{Method: solve.GMRES, Variant: Variant{Kind: precond.LU}}
	gmresILUT  = Fallback{Method: solve.GMRES, Variant: Variant{Kind: precond.ILUT}}
	gmresILUT3 = Fallback{Method: solve.GMRES, Variant: Variant{Kind: precond.ILUT, DropTol: 1e-3}}
	gmresILUT8 = Fallback{Method: solve.GMRES, Variant: Variant{Kind: precond.ILUT, DropTol: 1e-8}}
	gmresAlone = Fallback{Method: solve.GMRES, Variant: Variant{Kind: precond.None}}
)

const nnz = 1000.0

// A fate is what happens to a fallback: "fails" to a method, "refused", "large" and "indefinite" to a set-up; slow: the method is left while it is expected to
// take so much work more, in products.
type fate struct {
	what string
	slow float64
}

// The next fallback is the one that is expected to take least, by its bet or by where it was left.
func TestNext(t *testing.T) {
	slow := func(rest float64) fate { return fate{slow: rest} }
	fails, refused, large, indefinite := fate{what: "fails"}, fate{what: "refused"}, fate{what: "large"}, fate{what: "indefinite"}
	for _, c := range []struct {
		name      string
		fallbacks []Fallback
		bets      []float64 // in products; set-up
		fate      map[Fallback]fate
		want      []Fallback
		ends      bool // there is nothing after these
	}{
		{
			"a probe run first, then the best bet, and back to what was left",
			[]Fallback{probe, cgAMG, cgChol},
			[]float64{300, 200, 100},
			map[Fallback]fate{probe: slow(500), cgChol: refused, cgAMG: slow(900)},
			[]Fallback{probe, cgChol, cgAMG, cgChol, probe},
			false,
		},
		{
			"the diagonal may be expected to take more",
			[]Fallback{cgChol, gmresLU, {Method: solve.MINRES, Variant: Variant{Kind: precond.Jacobi}}},
			[]float64{10, 100, 150},
			map[Fallback]fate{cgChol: indefinite, {Method: solve.MINRES, Variant: Variant{Kind: precond.Jacobi}}: slow(200), gmresLU: fails},
			[]Fallback{cgChol, {Method: solve.MINRES, Variant: Variant{Kind: precond.Jacobi}}, gmresLU},
			true,
		},
		{
			"another method is as slow with the same preconditioner",
			[]Fallback{{Method: solve.BiCGStab, Variant: Variant{Kind: precond.AMG}}, {Method: solve.GMRES, Variant: Variant{Kind: precond.AMG}}, gmresLU},
			[]float64{10, 20, 100},
			map[Fallback]fate{{Method: solve.BiCGStab, Variant: Variant{Kind: precond.AMG}}: slow(200), gmresLU: refused},
			[]Fallback{{Method: solve.BiCGStab, Variant: Variant{Kind: precond.AMG}}, gmresLU},
			false,
		},
		{
			"equal bets in order",
			[]Fallback{cgAMG, cgChol, cgICT},
			[]float64{100, 100, 100},
			map[Fallback]fate{cgAMG: fails, cgChol: fails, cgICT: fails},
			[]Fallback{cgAMG, cgChol, cgICT},
			true,
		},
		{
			"each time that a fallback is left it is expected to take twice as much",
			[]Fallback{cgAMG, cgFSAI},
			[]float64{100, 350},
			map[Fallback]fate{cgAMG: slow(100), cgFSAI: slow(1000)},
			[]Fallback{cgAMG, cgAMG, cgAMG, cgFSAI, cgAMG},
			false,
		},
		{
			"refused for work: larger drop tolerances only",
			[]Fallback{gmresILUT, gmresILUT3, gmresILUT8, gmresAlone},
			[]float64{100, 110, 120, 1000},
			map[Fallback]fate{gmresILUT: refused, gmresILUT3: slow(5000), gmresAlone: slow(9000)},
			[]Fallback{gmresILUT, gmresILUT3, gmresILUT, gmresAlone},
			false,
		},
		{
			"too large: smaller drop tolerances never",
			[]Fallback{gmresILUT, gmresILUT3, gmresILUT8, gmresAlone},
			[]float64{100, 110, 120, 1000},
			map[Fallback]fate{gmresILUT: large, gmresILUT3: fails, gmresAlone: fails},
			[]Fallback{gmresILUT, gmresILUT3, gmresAlone},
			true,
		},
		{
			"too slow: smaller drop tolerances only",
			[]Fallback{gmresILUT, gmresILUT3, gmresILUT8, gmresAlone},
			[]float64{100, 110, 120, 1000},
			map[Fallback]fate{gmresILUT: slow(9000), gmresILUT8: fails, gmresAlone: fails},
			[]Fallback{gmresILUT, gmresILUT8, gmresAlone, gmresILUT},
			false,
		},
		{
			"indefinite, as complete factors have shown",
			[]Fallback{cgAMG, cgChol, cgICT, cgAlone, gmresAlone},
			[]float64{100, 110, 120, 130, 1000},
			map[Fallback]fate{cgAMG: slow(500), cgChol: indefinite, gmresAlone: fails},
			[]Fallback{cgAMG, cgChol, gmresAlone},
			true,
		},
		{
			"not definite, though not shown to be indefinite: conjugate gradients may still do",
			[]Fallback{cgChol, cgICT, gmresAlone},
			[]float64{100, 120, 1000},
			map[Fallback]fate{cgChol: {what: "not definite"}, cgICT: fails, gmresAlone: fails},
			[]Fallback{cgChol, cgICT, gmresAlone},
			true,
		},
		{
			"indefinite, by incomplete factors: shows nothing",
			[]Fallback{cgAMG, cgICT, cgAlone},
			[]float64{100, 110, 120},
			map[Fallback]fate{cgAMG: fails, cgICT: indefinite, cgAlone: fails},
			[]Fallback{cgAMG, cgICT, cgAlone},
			true,
		},
		{
			"where complete factors do not help, nothing is tried twice",
			[]Fallback{gmresLU, gmresILUT, gmresAlone},
			[]float64{100, 200, 300},
			map[Fallback]fate{gmresLU: slow(100), gmresILUT: slow(100), gmresAlone: slow(100)},
			[]Fallback{gmresLU, gmresILUT, gmresAlone},
			true,
		},
		{
			"stale: nothing is tried twice",
			[]Fallback{cgAMG, cgAlone},
			[]float64{100, 1e7},
			map[Fallback]fate{cgAMG: slow(1), cgAlone: slow(1)},
			append(slices.Repeat([]Fallback{cgAMG}, rules.StaleVisits), cgAlone),
			true,
		},
		{
			"a set-up beyond all measure is not tried again",
			[]Fallback{gmresLU, gmresAlone},
			[]float64{100, 1e9},
			map[Fallback]fate{gmresLU: refused, gmresAlone: fails},
			[]Fallback{gmresLU, gmresLU, gmresLU, gmresLU, gmresLU, gmresAlone},
			true,
		},
	} {
		s, bets := BeginState(len(c.fallbacks)), make([]Bet, len(c.fallbacks))
		for k, b := range c.bets {
			bets[k].SetUp = b * nnz
		}
		s.Begun = 1
		var got []Fallback
		for len(got) < len(c.want) && s.Next(c.fallbacks, func() []Bet { return bets }, nnz) {
			r := c.fallbacks[s.Fallback]
			got = append(got, r)
			switch f := c.fate[r]; {
			case f.slow > 0:
				s.Leave(c.fallbacks, true, f.slow*nnz, 1)
			case f.what == "fails":
				s.Leave(c.fallbacks, false, 0, 1)
			case f.what == "refused":
				s.Refuse(c.fallbacks, bets, nnz, fmt.Errorf("%s: %w", r.Kind, precond.ErrWork))
			case f.what == "large":
				s.Refuse(c.fallbacks, bets, nnz, fmt.Errorf("%s: %w", r.Kind, precond.ErrMemory))
			case f.what == "not definite":
				s.Refuse(c.fallbacks, bets, nnz, fmt.Errorf("%s: %w", r.Kind, precond.ErrNotDefinite))
			case f.what == "indefinite":
				s.Refuse(c.fallbacks, bets, nnz, fmt.Errorf("%s: %w", r.Kind, precond.ErrIndefinite))
			default:
				t.Fatalf("%s: %v is visited", c.name, r)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: visited %v, want %v", c.name, got, c.want)
		} else if more := s.Next(c.fallbacks, func() []Bet { return bets }, nnz); more == c.ends {
			t.Errorf("%s: goes on: %v", c.name, more)
		}
	}
}

// While attempts get the measure down, others follow, however many there were.
func TestNextWhileItHelps(t *testing.T) {
	fallbacks, bets := []Fallback{gmresAlone, gmresILUT}, []Bet{{SetUp: nnz}, {SetUp: nnz}}
	s := BeginState(len(fallbacks))
	s.Begun = 1
	measure := 1.0
	for k := range 16 {
		if !s.Next(fallbacks, func() []Bet { return bets }, nnz) {
			t.Fatalf("ends after %d", k)
		}
		measure *= 0.6
		s.Leave(fallbacks, true, nnz, measure)
	}
	s.Indefinite = true
	if s.Next([]Fallback{cgICT, cgAlone}, func() []Bet { return bets }, nnz) {
		t.Error("conjugate gradients follow although the matrix is not definite")
	}
}

// The alternative is the best of the others; what is slow where the diagonal is slow is none to the diagonal.
func TestAlternative(t *testing.T) {
	fallbacks := []Fallback{probe, cgFSAI, cgAMG}
	bets := []Bet{{SetUp: 1}, {SetUp: 2, AsSlow: true}, {SetUp: 3, Iteration: 1, Iterations: 1}}
	s := BeginState(len(fallbacks))
	for k, want := range []float64{4, 1, 1} {
		if s.Fallback = k; s.Alternative(fallbacks, bets, nnz) != want {
			t.Errorf("alternative to %v: %g, want %g", fallbacks[k], s.Alternative(fallbacks, bets, nnz), want)
		}
	}
	s.Fallbacks[0].Status = failed
	if s.Fallbacks[1].Rest = 7; s.Alternative(fallbacks, bets, nnz) != 7 {
		t.Errorf("alternative %g, the best was left with 7 to go", s.Alternative(fallbacks, bets, nnz))
	}
	if s.Fallbacks[1].Status = failed; !math.IsInf(s.Alternative(fallbacks, bets, nnz), 1) || !s.only(fallbacks) {
		t.Errorf("alternative %g, where there is none", s.Alternative(fallbacks, bets, nnz))
	}
}

// Set-ups have budgets: complete factors, whose work is counted, that of the alternative; others more after each refusal.
func TestSetupBudget(t *testing.T) {
	const many = 1e6 // nonzeros
	fallbacks, bets := []Fallback{gmresILUT, gmresLU}, []Bet{{SetUp: 100 * many}, {SetUp: 100 * many}}
	s := BeginState(2)
	if got, want := s.SetupBudget(gmresLU, 1, always(700*many), many), rules.FrontSpeed*700*many; got != want {
		t.Errorf("complete factors may take %g, want %g", got, want)
	}
	if got := s.SetupBudget(gmresLU, 1, always(math.Inf(1)), many); got != rules.FrontSpeed*rules.MostWork*many {
		t.Errorf("complete factors without an alternative may take %g", got)
	}
	for k := range 3 {
		if got, want := s.SetupBudget(gmresILUT, 0, nil, many), rules.FirstBudget*many*math.Pow(rules.BudgetGrowth, float64(k)); got != want {
			t.Errorf("after %d refusals ILUT may take %g, want %g", k, got, want)
		}
		s.Fallback = 0
		s.Refuse(fallbacks, bets, many, precond.ErrWork)
		if want := 100 * many * math.Pow(rules.BudgetGrowth, float64(k+1)); s.Fallbacks[0].Known != want {
			t.Errorf("after %d refusals it takes %g at least, want %g", k+1, s.Fallbacks[0].Known, want)
		}
	}
	s.Fallback = 1
	for _, x := range []*order.Excess{{Work: 4500, Limit: 1500}, {Work: 1600, Limit: 1500, AtLeast: true}} {
		s.Fallbacks[1].Known = 0
		s.Refuse(fallbacks, bets, many, fmt.Errorf("%w: %w", precond.ErrWork, x))
		if want := map[bool]float64{false: 300 * many, true: 400 * many}[x.AtLeast]; s.Fallbacks[1].Known != want {
			t.Errorf("counted %+v: factors take %g, want %g", x, s.Fallbacks[1].Known, want)
		}
	}
	if got := smallBudget(); got != rules.LeastBudget {
		t.Errorf("the least budget is %g", got)
	}
}

// smallBudget returns the first budget of ILUT for a small matrix.
func smallBudget() float64 {
	s := BeginState(1)
	return s.SetupBudget(gmresILUT, 0, nil, 10)
}

func always(work float64) func() float64 { return func() float64 { return work } }
