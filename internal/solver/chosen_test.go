package solver

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// With the memory that is forecast each preconditioner is set up, with less it is not: in one domain and in two.
func TestForecastOfPreconditioners(t *testing.T) {
	spd, wind := grid(30, 0, 0), grid(30, 0.3, 0)
	saddle, err := generate.Generate("stokes2d", generate.Params{"n": 20})
	if err != nil {
		t.Fatal(err)
	}
	for domains := 1; domains <= 2; domains++ {
		for _, kind := range precond.Kinds() {
			d, _ := precond.Lookup(kind)
			if d.Kind == precond.None || (d.Kind == precond.Schur || d.Kind == precond.CG32) && domains > 1 {
				continue
			}
			m, method := wind, solve.GMRES
			switch {
			case d.Definite || d.Symmetric:
				m, method = spd, solve.CG
			case d.Kind == precond.Schur:
				m = saddle
			}
			forecast := func(limit int64) (bytes int64, err error) {
				opt := solve.Options{Method: method, Precond: solve.Precond{Kind: d.Kind}, Storage: solve.Storage{Epsilon: 0x1p-24}, Limits: solve.Limits{MaxMemory: limit}, Krylov: solve.Krylov{Restart: 20}}
				dist.Run(1, func(c dist.Comm) {
					var s *Solver
					if s, err = newIn(t, c, m, domains, opt); err == nil {
						bytes = s.Memory()[0].Preconditioned
						s.Close()
					}
				})
				return bytes, err
			}
			bytes, err := forecast(0)
			if err != nil {
				t.Errorf("%s, %d domains: %v", d.Kind, domains, err)
				continue
			}
			if again, err := forecast(bytes); err != nil || again != bytes {
				t.Errorf("%s, %d domains, with the %d bytes that are forecast: %d, %v", d.Kind, domains, bytes, again, err)
			}
			if _, err := forecast(bytes * 99 / 100); !errors.Is(err, precond.ErrMemory) && !errors.Is(err, solve.ErrMemory) {
				t.Errorf("%s, %d domains, with a hundredth less: %v", d.Kind, domains, err)
			}
		}
	}
}

// newIn makes a solver of a matrix in so many domains, all of one rank.
func newIn(t *testing.T, c dist.Comm, m *csr.Matrix, domains int, opt solve.Options) (*Solver, error) {
	if domains == 1 {
		return New(t.Context(), m, opt)
	}
	a, err := dist.Spread(c, m, domains)
	if err != nil {
		return nil, err
	}
	return NewDistributed(t.Context(), a, opt)
}

// TestRule: epsilon begins and ends as docs/precision.md says, the reason is said, and residuals
// that are replaced do not cost iterations.
func TestRule(t *testing.T) {
	m, err := generate.Generate("anisotropic2d", generate.Params{"n": 60})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kind    precond.Kind
		why     string
		epsilon float64
		oneStep bool
	}{
		{precond.Jacobi, "epsilon 2^-24: " + choice.WhyCoarse, 0x1p-24, false},
		{precond.IC0, "epsilon 2^-53: " + choice.WhyFine, 0x1p-53, true},
	} {
		opt := solve.Options{Precond: solve.Precond{Kind: c.kind}, Storage: solve.Storage{Layout: adaptive.Slots}, Accuracy: solve.Accuracy{Digits: solve.NoDigits}}
		var log logged
		r := solved(t, m, rhs(m, 1), nil, log.options(opt))
		opt.Storage = storageOf("FP64", 0)
		uniform := solved(t, m, rhs(m, 1), nil, opt)
		switch {
		case !log.says(c.why) || r.Storage.Epsilon != c.epsilon:
			t.Errorf("%s: ended at %g, said %q", c.kind, r.Storage.Epsilon, log.lines)
		case c.oneStep != (r.Outer == 1):
			t.Errorf("%s: %d refinement steps", c.kind, r.Outer)
		case float64(r.Iterations) > 1.1*float64(uniform.Iterations):
			t.Errorf("%s: %d iterations, %d in FP64", c.kind, r.Iterations, uniform.Iterations)
		}
	}
}

// Where complete factors come first the matrix stays in FP64, unless a storage is asked for; where
// they are not to be had it is stored after all.
func TestFactorsNeedNoStorage(t *testing.T) {
	m := grid(40, 0, 0)
	for name, c := range map[string]struct {
		opt  solve.Options
		want bool
	}{
		"default": {solve.Options{}, true},
		"epsilon": {solve.Options{Storage: solve.Storage{Epsilon: 0x1p-37}}, false},
		"layout":  {solve.Options{Storage: solve.Storage{Layout: adaptive.Slots}}, false},
	} {
		var log logged
		r := solved(t, m, rhs(m, 1), nil, log.options(c.opt))
		if log.says(choice.WhyPlain) != c.want || c.want && !rules.Plain(r.Storage) {
			t.Errorf("%s: stored as %v, said %q", name, r.Storage, log.lines)
		}
	}
}

func TestStoredWithoutFactors(t *testing.T) {
	m := grid(150, 0, 0)
	var log logged
	opt := log.options(solve.Options{})
	s := newSolver(t, m, opt)
	defer s.Close()
	c := s.Refiner.(*refine.Refinement[vector, scalar]).Correction
	if !c.Plain() || !c.Spared {
		t.Fatalf("stored as %v", c.Matrix.About().Storage)
	}
	for k, r := range c.Attempts.Fallbacks {
		if k == 0 || r.Complete() {
			continue
		}
		c.Attempts.State.Fallback = k
		if err := c.FollowUse(r.Variant); err != nil || c.Plain() && !strings.Contains(c.Matrix.About().Layout, "CSR") {
			t.Errorf("%v: %v, stored as %v", r, err, c.Matrix.About().Storage)
		}
		if !log.says(choice.WhyFine) && !log.says(choice.WhySmall) {
			t.Errorf("%v: said %q", r, log.lines)
		}
		break
	}
}

// An accuracy that the rules choose leaves room for the guard bits asked for.
func TestRoomForGuardBits(t *testing.T) {
	m := grid(12, 0, 0)
	for bits := range 32 {
		for _, kind := range []precond.Kind{solve.PrecondAuto, precond.Jacobi, precond.LU} {
			s, err := New(t.Context(), m, solve.Options{Storage: solve.Storage{GuardBits: bits}, Precond: solve.Precond{Kind: kind}})
			if err != nil {
				t.Fatalf("%d guard bits, %s: %v", bits, kind, err)
			}
			result, err := s.Solve(t.Context(), rhs(m, 1), nil)
			if err != nil || !result.Reason.Converged() {
				t.Errorf("%d guard bits, %s: %v, %v", bits, kind, result.Reason, err)
			}
			s.Close()
		}
	}
}

// With multigrid the matrix stays in FP64, or comes back to it after a probe run; what follows
// multigrid stores it.
func TestMultigridNeedsNoStorage(t *testing.T) {
	m := grid(200, 0, 0)
	var log logged
	s := newSolver(t, m, log.options(solve.Options{}))
	defer s.Close()
	c := s.Refiner.(*refine.Refinement[vector, scalar]).Correction
	if c.Attempts.Now().Kind != precond.AMG || !c.Plain() || !log.says(choice.WhyPlain) {
		t.Fatalf("%v, stored as %v, said %q", c.Attempts.Now(), c.Matrix.About().Storage, log.lines)
	}
	c.Attempts.State.Fallback = 1
	if err := c.FollowUse(choice.Variant{Kind: precond.FSAI}); err != nil || !log.says(choice.WhySmall) {
		t.Errorf("%v, FSAI: stored as %v", err, c.Matrix.About().Storage)
	}
	if err := c.FollowUse(choice.Variant{Kind: precond.AMG}); err != nil || !c.Plain() {
		t.Errorf("%v, multigrid: stored as %v", err, c.Matrix.About().Storage)
	}
	for name, opt := range map[string]solve.Options{
		"epsilon": {Storage: solve.Storage{Epsilon: 0x1p-37}},
		"layout":  {Storage: solve.Storage{Layout: adaptive.Diagonals}},
	} {
		var log logged
		if r := solved(t, m, rhs(m, 1), nil, log.options(opt)); log.says(choice.WhyPlain) || rules.Plain(r.Storage) && name == "layout" {
			t.Errorf("%s: stored as %v", name, r.Storage)
		}
	}
}

// What the matrix is like is told once and first, the stages in order, and iterations after set-up.
func TestStages(t *testing.T) {
	grid := shifted(40, 0)
	for _, c := range []struct {
		name string
		m    *csr.Matrix
		opt  solve.Options
		want []string // beginnings of stages, in order
	}{
		{"amg", grid, solve.Options{Precond: solve.Precond{Kind: precond.AMG}}, []string{
			"examining the matrix", "examined", "choosing", "storing the matrix", "setting up amg", "setting up amg: 0%, level 1, 1600 rows",
			"setting up amg: 27%, level 1, 1600 rows", "setting up amg: 75%, storing the levels", "estimating the digits of x", "verifying x",
		}},
		{"chol", grid, solve.Options{Precond: solve.Precond{Kind: precond.Cholesky}}, []string{"examined", "setting up chol: ordering", "setting up chol: 0% of factors of ", "verifying x"}},
		{"singular", neumann(12), solve.Options{}, []string{"examined", "choosing", "verifying x"}},
		{"triangular", permutedTriangle(rand.New(rand.NewPCG(1, 2)), 20, 0.2), solve.Options{}, []string{"examined", "verifying x"}},
		{"least squares", randomRectangle(t, 8, 5, 0), solve.Options{Method: solve.LSQR}, []string{"examined"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stages []string
			c.opt.Stage = func(text string) { stages = append(stages, text) }
			c.opt.Examined = func(f csr.Facts) {
				if stages = append(stages, "examined"); f.Rows != c.m.Rows || f.NNZ != c.m.NNZ() {
					t.Errorf("examined: %+v", f)
				}
			}
			s, err := New(t.Context(), c.m, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if _, err := s.Solve(t.Context(), slices.Repeat([]float64{1}, c.m.Rows), nil); err != nil {
				t.Fatal(err)
			}
			at := 0
			for _, want := range c.want {
				k := slices.IndexFunc(stages[at:], func(s string) bool { return strings.HasPrefix(s, want) })
				if k < 0 {
					t.Fatalf("no %q after %q in %q", want, stages[:at], stages)
				}
				at += k + 1
			}
			if n := strings.Count(strings.Join(stages, "\n"), "examined"); n != 1 {
				t.Errorf("examined %d times: %q", n, stages)
			}
		})
	}
}
