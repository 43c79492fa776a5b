package solver

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/solver/special"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"gonum.org/v1/gonum/mat"
)

// Systems that cannot be solved as given are input errors that name the element,
// counted from 1.
func TestInputErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	good, four := []float64{1, 2, 3, 4}, grid(2, 0, 0)
	stored := dense([]float64{1, 0}, []float64{2, 1})
	clear(stored.Val)
	null := func(v ...[]float64) solve.Options {
		return solve.Options{Precond: solve.Precond{Kind: precond.AMG, NearNull: v}}
	}
	for _, c := range []struct {
		name  string
		m     *csr.Matrix
		opt   solve.Options
		b, x0 []float64
		want  []string
	}{
		{"not square", &csr.Matrix{Rows: 2, Cols: 3, RowPtr: []int64{0, 1, 2}, Col: []int32{0, 1}, Val: []float64{1, 1}}, solve.Options{Method: solve.GMRES}, nil, nil, []string{"2 x 3", "square"}},
		{"column out of range", &csr.Matrix{Rows: 1, Cols: 1, RowPtr: []int64{0, 1}, Col: []int32{7}, Val: []float64{1}}, solve.Options{}, nil, nil, []string{"row 1: column index 7"}},
		{"no offsets", &csr.Matrix{Rows: 2, Cols: 2}, solve.Options{}, nil, nil, []string{"row offsets"}},
		{"empty", &csr.Matrix{}, solve.Options{}, nil, nil, []string{"empty"}},
		{"NaN", dense([]float64{1, 0, 0}, []float64{0, 1, nan}, []float64{nan, 0, 1}), solve.Options{}, nil, nil, []string{"2 entries", "row 2, column 3"}},
		{"Inf", dense([]float64{1, -inf}, []float64{1, 1}), solve.Options{}, nil, nil, []string{"1 entry", "row 1, column 2"}},
		{"zeros", stored, solve.Options{}, nil, nil, []string{"singular", "row 1"}},
		{"short near-null vector", four, null(good, good[:3]), good, nil, []string{"near-null vector 2 has 3 elements", "4 rows"}},
		{"NaN in the near-null space", four, null([]float64{1, nan, 1, 1}), good, nil, []string{"element 2 of the near-null vector 1 is NaN"}},
		{"scaling that is not symmetric", four, solve.Options{Precond: solve.Precond{Kind: precond.IC0}, Scale: solve.ScaleRow}, good, nil, []string{"ic0: the matrix is symmetric, but not with scaling row"}},
		{"short b", four, solve.Options{}, good[:3], nil, []string{"right-hand side has 3 elements", "4 rows"}},
		{"long b", four, solve.Options{}, append(good, 5), nil, []string{"5 elements"}},
		{"no b", four, solve.Options{}, nil, nil, []string{"0 elements"}},
		{"NaN in b", four, solve.Options{}, []float64{1, 2, nan, 4}, nil, []string{"element 3 of the right-hand side is NaN"}},
		{"Inf in b", four, solve.Options{}, []float64{inf, 2, 3, 4}, nil, []string{"element 1", "+Inf"}},
		{"short guess", four, solve.Options{}, good, good[:1], []string{"initial guess has 1 elements"}},
		{"NaN in the guess", four, solve.Options{}, good, []float64{1, 2, 3, nan}, []string{"element 4 of the initial guess is NaN"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := New(t.Context(), c.m, c.opt)
			if err == nil {
				defer s.Close()
				_, err = s.Solve(t.Context(), c.b, c.x0)
				if r, good := s.Solve(t.Context(), good, nil); good != nil || !r.Reason.Converged() {
					t.Errorf("a good right-hand side after a bad one: %v, %v", r.Reason, good)
				}
			}
			checkInputError(t, err, c.want)
		})
	}
}

func checkInputError(t *testing.T, err error, want []string) {
	t.Helper()
	if _, ok := errors.AsType[*solve.InputError](err); !ok {
		t.Fatalf("error %v is no InputError", err)
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not say %q", err, w)
		}
	}
}

// SolveVecTo is Solve for the vectors of gonum; closing twice does no harm.
func TestSolveVecTo(t *testing.T) {
	m := grid(5, 0.3, 0)
	s := newSolver(t, m, solve.Options{Limits: solve.Limits{MaxIter: 3}, Precond: unpreconditioned})
	b := mat.NewVecDense(m.Rows, rhs(m, 1))
	want, err := s.Solve(t.Context(), b.RawVector().Data, nil)
	if err != nil {
		t.Fatal(err)
	}
	inPlace := mat.VecDenseCopyOf(b)
	for name, dst := range map[string]*mat.VecDense{"empty": {}, "sized": mat.NewVecDense(m.Rows, nil), "b": inPlace} {
		from := mat.Vector(b)
		if dst == inPlace {
			from = dst
		}
		limit, ok := errors.AsType[*solve.NotConvergedError](s.SolveVecTo(dst, from))
		if !ok || limit.Result.Reason != krylov.IterationLimit || !strings.HasPrefix(limit.Error(), "solve: iteration limit after 3 iterations; allow more iterations") ||
			!sameBits(dst.RawVector().Data, want.X) {
			t.Errorf("%s: %v", name, limit)
		}
	}
	checkInputError(t, s.SolveVecTo(mat.NewVecDense(3, nil), b), []string{"destination has 3 elements"})
	checkInputError(t, s.SolveVecTo(inPlace, mat.NewVecDense(3, nil)), []string{"right-hand side has 3 elements"})
	s.Close()
	s.Close()
}

// A preconditioner that is passed over is tried once, and one that several methods
// use is set up once, for any number of right-hand sides.
func TestSetUpOnce(t *testing.T) {
	indefinite := dense([]float64{1, 2, 0}, []float64{2, 1, 2}, []float64{0, 2, 1})
	flow := grid(30, 0.3, -0.1)
	for _, c := range []struct {
		m    *csr.Matrix
		opt  solve.Options
		said string
	}{
		{indefinite, solve.Options{Precond: solve.Precond{Kind: precond.IC0}}, "set up in"},
		{grid(72, 0.3, 1), solve.Options{}, "jacobi: set up in"},
		{flow, solve.Options{}, "lu, AMD order"},
		{flow, solve.Options{Limits: solve.Limits{MaxMemory: newSolver(t, flow, solve.Options{}).SolveBytes() + 1<<15}}, "trying bicgstab with jacobi"},
	} {
		times := 0
		c.opt.Log = func(line string) {
			if strings.Contains(line, c.said) {
				times++
			}
		}
		s := newSolver(t, c.m, c.opt)
		for size := range 2 {
			r, err := s.Solve(t.Context(), rhs(c.m, float64(1+size)), nil)
			if err != nil || !r.Reason.Converged() {
				t.Errorf("%v, %v", r.Reason, err)
			}
			if parts := r.Time.SpMV + r.Time.Precond + r.Time.Orthogonalization + r.Time.Verify; parts > r.Time.Total {
				t.Errorf("parts of the time are %v, all is %v", parts, r.Time.Total)
			}
			if p := r.Precond; p.Applications > 0 && !(p.Elapsed > 0 && p.Elapsed <= r.Time.Precond) {
				t.Errorf("%d applications in %v of %v", p.Applications, p.Elapsed, r.Time.Precond)
			}
		}
		if times != 1 {
			t.Errorf("said %q %d times", c.said, times)
		}
	}
}

// Too little memory is an error of its own; just enough is enough, and a
// growing basis of GMRES stays within the limit.
func TestMemory(t *testing.T) {
	m := grid(30, 0.3, 0)
	for _, method := range rules.Methods {
		if _, err := New(t.Context(), m, solve.Options{Method: method, Limits: solve.Limits{MaxMemory: 1000}}); !errors.Is(err, solve.ErrMemory) {
			t.Errorf("%s: error %v", method, err)
		}
	}
	need := newSolver(t, m, solve.Options{}).SolveBytes()
	if _, err := New(t.Context(), m, solve.Options{Limits: solve.Limits{MaxMemory: need - 1}}); !errors.Is(err, solve.ErrMemory) {
		t.Errorf("one byte less than %d: %v", need, err)
	}
	tight := newSolver(t, m, solve.Options{Limits: solve.Limits{MaxMemory: need}})
	if extra := tight.LongestRestart(tight.BasisRoom(solve.GMRES)); extra != 0 {
		t.Errorf("with no byte to spare the basis may still grow to %d vectors", extra)
	}
	if r, err := tight.Solve(t.Context(), rhs(m, 1), nil); err != nil || !r.Reason.Converged() {
		t.Errorf("with just enough memory: %v, %v", r.Reason, err)
	}
}

// A preconditioner that iterates makes GMRES flexible: it keeps M^-1 v for each vector of
// the basis, which counts as memory.
func TestMemoryOfFlexibleGMRES(t *testing.T) {
	m := grid(30, 0.3, 0)
	v := newSolver(t, m, solve.Options{Krylov: solve.Krylov{Restart: 20}, Precond: solve.Precond{Kind: precond.AMG}})
	k := newSolver(t, m, solve.Options{Krylov: solve.Krylov{Restart: 20}, Precond: solve.Precond{Kind: precond.AMG, KCycle: true}})
	if more := k.SolveBytes() - v.SolveBytes(); more != 8*int64(m.Rows)*19 { // 2*20 + 2 vectors instead of 20 + 3
		t.Errorf("a K-cycle takes %d bytes more than a V-cycle", more)
	}
	k.Opt.Restart = 0
	k.Opt.MaxMemory = k.SolveBytes() + 8*int64(m.Rows)*200 // half of it for the preconditioner
	if longest := k.LongestRestart(k.BasisRoom(solve.GMRES)); longest != 50 {
		t.Errorf("200 vectors more let a cycle grow to %d", longest)
	}
}

func TestOptionsValidate(t *testing.T) {
	for _, c := range []struct {
		opt    solve.Options
		faults []string
	}{
		{solve.Options{}, nil},
		{solve.Options{Method: solve.BiCGStab, Scale: solve.ScaleRow, Accuracy: solve.Accuracy{Stop: solve.StopCW, Tol: 0.1, InnerTol: 0.1}, Krylov: solve.Krylov{Restart: 1}, Limits: solve.Limits{MaxIter: 1, Threads: 1, MaxMemory: 1 << 20}}, nil},
		{solve.Options{Method: "lu"}, []string{`unknown method "lu"`}},
		{solve.Options{Scale: "x"}, []string{`unknown scaling "x"`}},
		{solve.Options{Accuracy: solve.Accuracy{Stop: "y"}}, []string{`unknown stopping criterion "y"`}},
		{solve.Options{Accuracy: solve.Accuracy{Tol: 1}}, []string{"tolerance 1 "}},
		{solve.Options{Accuracy: solve.Accuracy{Tol: math.NaN(), InnerTol: -1}}, []string{"tolerance NaN", "inner tolerance -1"}},
		{solve.Options{Limits: solve.Limits{MaxIter: -1}}, []string{"negative limit"}},
		{solve.Options{Krylov: solve.Krylov{Restart: -1}}, []string{"negative limit"}},
		{solve.Options{Limits: solve.Limits{Threads: -1}}, []string{"negative limit"}},
		{solve.Options{Limits: solve.Limits{MaxMemory: -1}}, []string{"negative limit"}},
		{solve.Options{Storage: solve.Storage{Epsilon: 2}}, []string{"epsilon 2"}},
		{solve.Options{Storage: solve.Storage{Epsilon: -1}}, []string{"accuracy -1"}},
		{solve.Options{Storage: solve.Storage{Epsilon: math.NaN()}}, []string{"NaN"}},
		{solve.Options{Storage: solve.Storage{Criterion: "mw"}}, []string{`unknown criterion "mw"`}},
		{solve.Options{Storage: solve.Storage{NoDrop: true}}, []string{"guard"}}, // AFX without a guard bit
		{solve.Options{Storage: solve.Storage{GuardBits: 40}}, []string{"guard"}},
		{solve.Options{Storage: solve.Storage{Set: adaptive.FP64, GuardBits: 1}}, []string{"guard bits need AFX"}},
		{solve.Options{Storage: solve.Storage{Set: adaptive.FP64, Layout: adaptive.Slots}}, []string{"layout slots needs AFX"}},
		{solve.Options{Storage: solve.Storage{Layout: adaptive.Slots}, Krylov: solve.Krylov{NoRefine: true}}, []string{"layout slots needs AFX"}},
		{solve.Options{Storage: solve.Storage{Set: adaptive.FP64, Layout: adaptive.SELL8}}, nil},
		{solve.Options{Method: "a", Scale: "b", Accuracy: solve.Accuracy{Stop: "c"}}, []string{"method", "scaling", "criterion"}},
	} {
		err := rules.Validate(c.opt)
		if (err != nil) != (len(c.faults) > 0) {
			t.Errorf("%+v: error %v", c.opt, err)
			continue
		}
		for _, f := range c.faults {
			if !strings.Contains(err.Error(), f) {
				t.Errorf("%+v: error %q does not say %q", c.opt, err, f)
			}
		}
		if _, newErr := New(t.Context(), grid(2, 0, 0), c.opt); (newErr != nil) != (err != nil) {
			t.Errorf("%+v: New says %v, Validate %v", c.opt, newErr, err)
		}
	}
}

// The schema of reports names the methods.
func TestMethodsInSchema(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "report.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties struct{ Method struct{ Enum []solve.Method } }
	}
	want := append(slices.Clone(rules.Methods[1:]), special.SubstitutionMethod)
	if err := json.Unmarshal(text, &schema); err != nil || !slices.Equal(schema.Properties.Method.Enum, want) {
		t.Errorf("%v, %v; want %v", schema.Properties.Method.Enum, err, want)
	}
}

// The method alone: there is no second step, and the counts are those of the method.
func TestNoRefine(t *testing.T) {
	m := grid(10, 0.2, 0)
	for _, method := range []solve.Method{solve.BiCGStab, solve.GMRES} {
		if r := solved(t, m, rhs(m, 1), nil, solve.Options{Method: method, Krylov: solve.Krylov{NoRefine: true}}); r.Outer != 1 {
			t.Errorf("%s: %d steps", method, r.Outer)
		}
	}
	m = grid(12, 0, -2.5) // indefinite
	var log logged
	r := mustSolve(t, m, rhs(m, 1), nil, log.options(solve.Options{Method: solve.CG, Krylov: solve.Krylov{NoRefine: true}}))
	if r.Reason != krylov.Indefinite || r.Method != "cg" || r.Outer != 1 || log.says("continuing") {
		t.Errorf("%v by %s after %d steps, log %q", r.Reason, r.Method, r.Outer, log.lines)
	}
	// A tolerance below what float64 holds: the recurrence claims it, the
	// verdict does not confirm it.
	m = grid(12, 0, -0.135)
	checked(t, m, random(3, m.Rows), nil, solve.Options{Krylov: solve.Krylov{NoRefine: true}, Method: solve.CG, Accuracy: solve.Accuracy{Stop: solve.StopRel, Tol: 1e-15}, Scale: solve.ScaleNone})
}

// A loose inner tolerance takes several steps to the same goal.
func TestInnerTol(t *testing.T) {
	m := grid(15, 0.2, 0)
	steps := 0
	for _, inner := range []float64{0, 1e-4, 0.1} {
		r := solved(t, m, rhs(m, 1), nil, solve.Options{Precond: unpreconditioned, Accuracy: solve.Accuracy{InnerTol: inner}})
		if r.Outer <= steps {
			t.Errorf("inner tolerance %g: %d steps, %d with a stricter one", inner, r.Outer, steps)
		}
		steps = r.Outer
	}
}
