package solver

import (
	"cmp"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Right-hand sides that block CG solves for together all get a verified x, in fewer iterations than alone, with the same bits for any number of
// threads.
func TestSolveManyBlockThreads(t *testing.T) {
	elastic, err := generate.Generate("elasticity3d", generate.Params{"n": 6})
	if err != nil {
		t.Fatal(err)
	}
	for name, opt := range map[string]solve.Options{
		"alone":   {Precond: unpreconditioned},
		"bjacobi": {Precond: solve.Precond{Kind: precond.BlockJacobi}},
		"fsai":    {Precond: solve.Precond{Kind: precond.FSAI}},
		"four":    {Precond: solve.Precond{Kind: precond.Jacobi}, Krylov: solve.Krylov{Block: 4}},
		"coarse":  {Precond: solve.Precond{Kind: precond.Jacobi}, Storage: storageOf("AFX", 0x1p-8)},
		"loose":   {Precond: solve.Precond{Kind: precond.Jacobi}, Accuracy: solve.Accuracy{Tol: 1e-3, Digits: solve.NoDigits}},
	} {
		t.Run(name, func(t *testing.T) {
			opt.Method = solve.CG
			opt.Block = cmp.Or(opt.Block, linop.MostTogether)
			blocks := opt.Block
			var b [][]float64
			for k := range 8 {
				b = append(b, random(uint64(k), elastic.Rows))
			}
			got := manySolved(t, elastic, b, opt, 1)
			again := manySolved(t, elastic, b, opt, 2)
			opt.Block = 0
			alone := manySolved(t, elastic, b, opt, 2)
			total, before := 0, 0
			for k, r := range got {
				if r.Block != blocks || !sameOutcome(r, again[k]) {
					t.Errorf("right-hand side %d: a block of %d; other bits with two threads", k, r.Block)
				}
				if alone[k].Block != 0 || k < 2 && !sameOutcome(alone[k], mustSolve(t, elastic, b[k], nil, opt)) {
					t.Errorf("right-hand side %d is not what it is alone", k)
				}
				total, before = total+r.Iterations, before+alone[k].Iterations
			}
			t.Logf("%d iterations, alone %d", total, before)
			if total > before*9/10 {
				t.Errorf("%d iterations, alone %d", total, before)
			}
		})
	}
}

// manySolved solves for several right-hand sides, each of which must converge, with an error that is what verification finds.
func manySolved(t *testing.T, m *csr.Matrix, b [][]float64, opt solve.Options, threads int) []solve.Result {
	t.Helper()
	opt.Threads = threads
	s := newSolver(t, m, opt)
	results, err := s.SolveMany(t.Context(), b, nil)
	if err != nil {
		t.Fatal(err)
	}
	for k, r := range results {
		if e := measureOf(t, solve.StopRow, m, r.X, b[k]); !r.Reason.Converged() || e > s.Opt.Tol || e != r.Errors.Row {
			t.Errorf("right-hand side %d: %v, %+v, computed %g", k, r.Reason, r.Errors, e)
		}
	}
	return results
}

// Right-hand sides that depend on each other, are zero, tiny or huge, and matrices that are not definite: each gets its result of a
// solve alone, but for the bits.
func TestSolveManyBlockUnusual(t *testing.T) {
	for name, m := range map[string]*csr.Matrix{"definite": grid(12, 0, 0), "indefinite": grid(8, 0, -2.5)} {
		b := several(m, 11)
		b = append(b, b[0], b[1], b[0])
		opt := solve.Options{Method: solve.CG, Krylov: solve.Krylov{Block: linop.MostTogether}, Precond: solve.Precond{Kind: precond.Jacobi}}
		s := newSolver(t, m, opt)
		results, err := s.SolveMany(t.Context(), b, nil)
		if err != nil {
			t.Fatal(err)
		}
		for k, r := range results {
			want := mustSolve(t, m, b[k], nil, solve.Options{Method: solve.CG, Precond: opt.Precond})
			if r.Reason != want.Reason || r.Reason.Converged() && measureOf(t, solve.StopRow, m, r.X, b[k]) > s.Opt.Tol {
				t.Errorf("%s: right-hand side %d: %v, alone %v", name, k, r.Reason, want.Reason)
			}
			if r.Reason == krylov.Converged && name == "definite" && r.Block < 2 {
				t.Errorf("%s: right-hand side %d: a block of %d", name, k, r.Block)
			}
		}
	}
}

// A probe run counts the work of an iteration of block CG beside products: Jacobi is left for complete factors, which take half of its time.
func TestBlockProbeRun(t *testing.T) {
	m, err := generate.Generate("poisson3d", generate.Params{"n": 14})
	if err != nil {
		t.Fatal(err)
	}
	var b [][]float64
	for k := range 8 {
		b = append(b, random(uint64(k), m.Rows))
	}
	left := 0 // some may be nearly done when others leave
	for _, r := range manySolved(t, m, b, solve.Options{Krylov: solve.Krylov{Block: linop.MostTogether}}, 2) {
		if r.Precond.Kind == precond.Cholesky {
			left++
		}
	}
	if left < len(b)/2 {
		t.Errorf("%d of %d right-hand sides have left Jacobi", left, len(b))
	}
}
