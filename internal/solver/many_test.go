package solver

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// several are right-hand sides of all kinds: easy, large, tiny and zero ones.
func several(m *csr.Matrix, count int) (b [][]float64) {
	for k := range count {
		v := rhs(m, []float64{1, 1e150, 1e-150, 0, 1}[k%5])
		if k%2 == 0 {
			copy(v, random(uint64(k), m.Rows/2))
		}
		b = append(b, v)
	}
	return b
}

// Right-hand sides that are solved for together get what each gets alone, whatever fallbacks, precisions and
// numbers of iterations they take, for any number of threads.
func TestSolveManyThreads(t *testing.T) {
	spd, flow, indefinite := grid(12, 0, 0), grid(12, 0.3, 0), grid(8, 0, -2.5)
	coarse := storageOf("AFX", 0.25)
	coarse.Layout = adaptive.Slots
	for _, c := range []struct {
		name string
		m    *csr.Matrix
		opt  solve.Options
	}{
		{"cg", spd, solve.Options{}},
		{"cg alone", spd, solve.Options{Precond: unpreconditioned}},
		{"jacobi", spd, solve.Options{Precond: solve.Precond{Kind: precond.Jacobi}}},
		{"amg", grid(40, 0, 0), solve.Options{Precond: solve.Precond{Kind: precond.AMG}}},
		{"null space", neumann(12), solve.Options{}},
		{"cholesky", spd, solve.Options{Precond: solve.Precond{Kind: precond.Cholesky}}},
		{"ict", spd, solve.Options{Precond: solve.Precond{Kind: precond.ICT}}},
		{"lu", flow, solve.Options{Precond: solve.Precond{Kind: precond.LU}}},
		{"k-cycle", grid(40, 0, 0), solve.Options{Precond: solve.Precond{Kind: precond.AMG, KCycle: true}}},
		{"fsai", spd, solve.Options{Precond: solve.Precond{Kind: precond.FSAI}}},
		{"chebyshev", spd, solve.Options{Precond: solve.Precond{Kind: precond.Chebyshev}, Storage: coarse}},
		{"block jacobi", flow, solve.Options{Precond: solve.Precond{Kind: precond.BlockJacobi}}},
		{"gmres", flow, solve.Options{}},
		{"ilu0", flow, solve.Options{Precond: solve.Precond{Kind: precond.ILU0}}},
		{"bicgstab", flow, solve.Options{Method: solve.BiCGStab}},
		{"bicg", flow, solve.Options{Method: solve.BiCG, Precond: solve.Precond{Kind: precond.Jacobi}}},
		{"idr", flow, solve.Options{Method: solve.IDR}},
		{"minres", indefinite, solve.Options{Method: solve.MINRES}},
		{"fallback", indefinite, solve.Options{}},
		{"componentwise", flow, solve.Options{Accuracy: solve.Accuracy{Stop: solve.StopCW}}},
		{"relative", flow, solve.Options{Accuracy: solve.Accuracy{Stop: solve.StopRel}}},
		{"few iterations", flow, solve.Options{Limits: solve.Limits{MaxIter: 11}}},
		{"accuracy", spd, solve.Options{Storage: coarse}},
		{"plain", flow, solve.Options{Krylov: solve.Krylov{NoRefine: true}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			switch c.name {
			case "cg", "amg", "cholesky", "bicgstab", "null space":
			default:
				if testing.Short() {
					t.Skip("others share their loops")
				}
			}
			const count = 11
			b, x0 := several(c.m, count), make([][]float64, count)
			x0[1], x0[4] = random(7, c.m.Rows), rhs(c.m, 1)
			if c.name == "null space" {
				for k := range b { // consistent ones
					b[k] = rhs(c.m, []float64{1, 1e9, 0}[k%3])
				}
			}
			var log logged
			events := map[int]int{}
			opt := log.options(c.opt)
			opt.Threads, opt.Monitor = 2, func(e krylov.Event) { events[e.RHS] = e.Iteration }
			s := newSolver(t, c.m, opt)
			by, run := s.sideBySide(t.Context())
			if width := by.width(count); width != linop.MostTogether {
				t.Fatalf("%d solves side by side", width)
			}
			for range 2 { // vectors are used again
				start, digits := time.Now(), time.Duration(0)
				got, err := by.solveTogether(t.Context(), b, x0, linop.MostTogether, run)
				if err != nil {
					t.Fatal(err)
				}
				took := time.Since(start)
				for k, r := range got {
					digits += r.Time.Digits
					want := checked(t, c.m, b[k], x0[k], c.opt)
					if !sameOutcome(r, want) {
						t.Errorf("right-hand side %d: %v by %s after %d iterations, alone %v by %s after %d; %+v, alone %+v", k,
							r.Reason, r.Method, r.Iterations, want.Reason, want.Method, want.Iterations, r.Errors, want.Errors)
					}
					if r.Iterations > 0 && events[k] == 0 || r.Time.Total < 0 || r.Time.SpMV < 0 {
						t.Errorf("right-hand side %d: events up to iteration %d, times %+v", k, events[k], r.Time)
					}
				}
				if digits > took {
					t.Errorf("%v of %v on digits: time that solves spend together counts several times", digits, took)
				}
			}
		})
	}
}

// Where solves cannot go on side by side they follow each other.
func TestSolveManyOneByOne(t *testing.T) {
	m := grid(6, 0, 0)
	triangle := entries(3, func(add func(i, j int, v float64)) {
		for i := range 3 {
			add(i, i, 2)
			add(i, 0, 1)
		}
	})
	free := newSolver(t, m, solve.Options{}).SolveBytes()
	for name, c := range map[string]struct {
		m   *csr.Matrix
		opt solve.Options
	}{
		"substitution":  {triangle, solve.Options{}},
		"double-double": {m, solve.Options{Vectors: solve.Vectors{Kind: solve.VectorsDD}}},
		"little memory": {m, solve.Options{Limits: solve.Limits{MaxMemory: free + 1000}}},
		"many digits":   {m, solve.Options{Accuracy: solve.Accuracy{Digits: 20}}},
	} {
		s := newSolver(t, c.m, c.opt)
		b := several(c.m, 3)
		if s.width(3) != 1 {
			t.Errorf("%s: %d solves side by side", name, s.width(3))
		}
		got, err := s.SolveMany(t.Context(), b, nil)
		if err != nil {
			t.Fatal(err)
		}
		for k, r := range got {
			if want := mustSolve(t, c.m, b[k], nil, c.opt); !sameOutcome(r, want) {
				t.Errorf("%s: right-hand side %d: %v, alone %v", name, k, r.Reason, want.Reason)
			}
		}
	}
}

// Faults are reported before any work, and a context that ends leaves each x as it is then.
func TestSolveManyInterrupted(t *testing.T) {
	m := grid(12, 0.3, 0)
	s := newSolver(t, m, solve.Options{Accuracy: solve.Accuracy{Tol: 1e-14}})
	b := several(m, 3)
	var fault *solve.InputError
	if _, err := s.SolveMany(t.Context(), append(b, b[0][1:]), nil); !errors.As(err, &fault) {
		t.Errorf("a short right-hand side: %v", err)
	}
	if _, err := s.SolveMany(t.Context(), b, make([][]float64, 2)); !errors.As(err, &fault) {
		t.Errorf("2 guesses for 3 right-hand sides: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got, err := s.SolveMany(ctx, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	for k, r := range got {
		if r.Reason != krylov.Interrupted || len(r.X) != m.Rows {
			t.Errorf("right-hand side %d: %v, x of %d elements", k, r.Reason, len(r.X))
		}
	}
	if got, err = s.SolveMany(t.Context(), nil, nil); err != nil || len(got) != 0 {
		t.Errorf("none: %v, %v", got, err)
	}
}

// sums is what several requests are served by, for the test: it says how many at a time.
type counts struct{ sizes *[]int }

func (c counts) Serve(requests []*Request) { *c.sizes = append(*c.sizes, len(requests)) }

// Solves that are a step apart fall into step, and a solve that is alone does not wait for ever.
func TestLockstep(t *testing.T) {
	var product, application, other []int
	columns := []*Column{{}, {}, {}}
	rounds := map[*Column]int{}
	Together(columns, func(m *Column) {
		ask := func(sizes *[]int) { m.Ask(&Request{Of: counts{sizes}}) }
		if m == columns[2] { // a step behind
			ask(&other)
		}
		for range 10 {
			ask(&product)
			ask(&application)
			rounds[m]++
		}
	})
	want := fmt.Sprint([]int{3, 3, 3, 3, 3, 3, 3, 3, 3})
	if tail := product[len(product)-10:]; len(other) != 1 || fmt.Sprint(tail[:9]) != want {
		t.Errorf("served %v products, %v applications and %v others", product, application, other)
	}
	for _, m := range columns {
		if rounds[m] != 10 {
			t.Errorf("%d rounds of 10", rounds[m])
		}
	}
}

// Right-hand sides that depend on each other, are zero, tiny or huge, and matrices that are not definite: each gets its result of a
// solve alone.
func TestSolveManyUnusual(t *testing.T) {
	for name, m := range map[string]*csr.Matrix{"definite": grid(12, 0, 0), "indefinite": grid(8, 0, -2.5)} {
		b := several(m, 11)
		b = append(b, b[0], b[1], b[0])
		opt := solve.Options{Method: solve.CG, Precond: solve.Precond{Kind: precond.Jacobi}}
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
		}
	}
}
