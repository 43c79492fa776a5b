package solver

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// step is m with another diagonal, as a time step has.
func step(m *csr.Matrix, shift float64) *csr.Matrix {
	m = m.Clone()
	for i := range m.Rows {
		cols, vals := m.Row(i)
		for k, j := range cols {
			if int(j) == i {
				vals[k] += shift * (1 + 0.5*math.Sin(float64(i)))
			}
		}
	}
	return m
}

// Each system of a sequence is solved and verified, with what can be taken over of the one before.
func TestUpdateThreads(t *testing.T) {
	body, err := generate.Generate("elasticity3d", generate.Params{"n": 6})
	if err != nil {
		t.Fatal(err)
	}
	spd, flow, wild := grid(12, 0, 0), grid(12, 0.3, 0), rescaled(grid(12, 0, 0), uneven(2), uneven(2))
	for name, c := range map[string]struct {
		m   *csr.Matrix
		opt solve.Options
	}{
		"rules":     {spd, solve.Options{}},
		"body":      {body, solve.Options{}},
		"wild":      {wild, solve.Options{}},
		"flow":      {flow, solve.Options{}},
		"amg":       {grid(40, 0, 0), solve.Options{Precond: solve.Precond{Kind: precond.AMG}, Updates: true}},
		"ict":       {spd, solve.Options{Precond: solve.Precond{Kind: precond.ICT}}},
		"ilut":      {flow, solve.Options{Precond: solve.Precond{Kind: precond.ILUT}}},
		"cholesky":  {spd, solve.Options{Precond: solve.Precond{Kind: precond.Cholesky}, Updates: true}},
		"lu":        {flow, solve.Options{Precond: solve.Precond{Kind: precond.LU}}},
		"bicg":      {flow, solve.Options{Method: solve.BiCG, Precond: solve.Precond{Kind: precond.ILU0}}},
		"reordered": {flow, solve.Options{Reorder: solve.ReorderRCM}},
		"several":   {spd, solve.Options{Updates: true}},
	} {
		t.Run(name, func(t *testing.T) {
			switch name {
			case "rules", "amg", "lu":
			default:
				if testing.Short() {
					t.Skip("others share their steps")
				}
			}
			c.opt.Threads = 2
			s := newSolver(t, c.m, c.opt)
			var last []float64
			for k, shift := range []float64{0, 0.5, 0.7, 0.9} {
				m := step(c.m, shift)
				if k > 0 {
					if err := s.UpdateMatrix(t.Context(), m); err != nil {
						t.Fatal(err)
					}
				}
				b := rhs(m, 1)
				r, err := s.Solve(t.Context(), b, last)
				if err != nil || r.Reason != krylov.Converged {
					t.Fatalf("system %d: %v, %v", k, r.Reason, err)
				}
				if e := measureOf(t, solve.StopRow, m, r.X, b); e > krylov.DefaultTol || e != r.Errors.Row {
					t.Errorf("system %d: error %g, reported %g", k, e, r.Errors.Row)
				}
				if last = r.X; name == "several" {
					many, err := s.SolveMany(t.Context(), [][]float64{b, m.Val[:m.Rows]}, nil)
					if err != nil || !many[0].Reason.Converged() || !many[1].Reason.Converged() {
						t.Errorf("system %d: several: %v", k, err)
					}
				}
			}
		})
	}
}

// The preconditioner stays at first; it and what is taken over of multigrid are made again when they do not suit the
// values any more.
func TestUpdateWorn(t *testing.T) {
	m := grid(40, 0, 0)
	var log logged
	s := newSolver(t, m, log.options(solve.Options{Precond: solve.Precond{Kind: precond.AMG}, Updates: true}))
	b := rhs(m, 1)
	if _, err := s.Solve(t.Context(), b, nil); err != nil {
		t.Fatal(err)
	}
	for k := range 4 {
		next := m.Clone()
		for i := range next.Rows { // strong along x, and then along y
			cols, vals := next.Row(i)
			for e, j := range cols {
				switch d := int(j) - i; {
				case d == 0:
					vals[e] = 2 + 2e-4
				case (d == 1 || d == -1) == (k == 1):
					vals[e] = -1
				default:
					vals[e] = -1e-4
				}
			}
		}
		if err := s.Update(t.Context(), next.Val); err != nil {
			t.Fatal(err)
		}
		if r, err := s.Solve(t.Context(), b, nil); err != nil || !r.Reason.Converged() {
			t.Fatalf("%v, %v", r.Reason, err)
		}
	}
	for _, line := range []string{"the preconditioner stays", "the preconditioner is set up again", "transfers between levels are made again"} {
		if !log.says(line) {
			t.Errorf("the log does not say %q: %q", line, log.lines)
		}
	}
}

// A matrix may lack elements of the pattern, which are zero then: x is that of the same values with the zeros.
func TestUpdateMatrixWithout(t *testing.T) {
	m := grid(40, 0, 1)
	zeros := m.Clone()
	without := entries(m.Rows, func(add func(i, j int, v float64)) {
		for i := range m.Rows {
			cols, vals := zeros.Row(i)
			for k, j := range cols {
				if int(j) != i && (i+int(j))%7 == 0 {
					vals[k] = 0
					continue
				}
				add(i, int(j), vals[k])
			}
		}
	})
	b := rhs(m, 1)
	var x [2]solve.Result
	for k, next := range []*csr.Matrix{zeros, without} {
		s := newSolver(t, m, solve.Options{Precond: solve.Precond{Kind: precond.AMG}, Updates: true})
		if err := s.UpdateMatrix(t.Context(), next); err != nil {
			t.Fatal(err)
		}
		var err error
		if x[k], err = s.Solve(t.Context(), b, nil); err != nil {
			t.Fatal(err)
		}
	}
	if !sameOutcome(x[0], x[1]) || measureOf(t, solve.StopRow, without, x[1].X, b) > krylov.DefaultTol {
		t.Errorf("%v and %v", x[0].Errors, x[1].Errors)
	}
}

// Matrices that differ in kind are set up anew; faults leave the solver as it was.
func TestUpdateFaults(t *testing.T) {
	m := grid(6, 0, 0)
	s := newSolver(t, m, solve.Options{})
	b := rhs(m, 1)
	want, err := s.Solve(t.Context(), b, nil)
	if err != nil {
		t.Fatal(err)
	}
	other := m.Clone()
	other.Col = slices.Clone(other.Col)
	row := other.Col[other.RowPtr[3]:other.RowPtr[4]]
	row[len(row)-1] = int32(m.Cols - 1)
	bad := slices.Clone(m.Val)
	bad[7] = math.NaN()
	for name, err := range map[string]error{
		"pattern": s.UpdateMatrix(t.Context(), other),
		"size":    s.UpdateMatrix(t.Context(), grid(7, 0, 0)),
		"values":  s.Update(t.Context(), m.Val[1:]),
		"NaN":     s.Update(t.Context(), bad),
		"offsets": s.UpdateMatrix(t.Context(), &csr.Matrix{Rows: m.Rows, Cols: m.Cols}),
	} {
		var fault *solve.InputError
		if !errors.As(err, &fault) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, err := s.Solve(t.Context(), b, nil); err != nil || !sameOutcome(got, want) {
		t.Errorf("after faults: %v, %v, before %v", got.Reason, err, want.Reason)
	}
	skew := grid(6, 0.4, 0)
	if err := s.UpdateMatrix(t.Context(), skew); err != nil {
		t.Fatal(err)
	}
	if r, err := s.Solve(t.Context(), b, nil); err != nil || r.Reason != krylov.Converged || r.Method == "cg" {
		t.Errorf("unsymmetric: %v by %s, %v", r.Reason, r.Method, err)
	}
}

// A row that becomes zero is left out, as New does.
func TestUpdateToZeroRow(t *testing.T) {
	m := grid(6, 0.3, 0)
	s := newSolver(t, m, solve.Options{})
	zero := m.Clone()
	clear(zero.Val[zero.RowPtr[3]:zero.RowPtr[4]])
	b := rhs(zero, 1)
	if err := s.UpdateMatrix(t.Context(), zero); err != nil {
		t.Fatal(err)
	}
	if r, err := s.Solve(t.Context(), b, nil); err != nil || !r.Reason.Converged() {
		t.Errorf("%v, %v", r.Reason, err)
	}
	_, err := s.Solve(t.Context(), b, b[:1])
	checkInputError(t, err, []string{"initial guess has 1 elements"})
}

// A matrix whose rows all sum to zero, as of the steady state of a heated body without fixed temperatures, is singular as for New.
func TestUpdateToNullSpace(t *testing.T) {
	m := grid(7, 0, 0.1)
	s := newSolver(t, m, solve.Options{})
	steady := m.Clone()
	for i := range steady.Rows {
		cols, vals := steady.Row(i)
		sum := 0.0
		for k, j := range cols {
			if int(j) != i {
				sum -= vals[k]
			}
		}
		vals[slices.Index(cols, int32(i))] = sum
	}
	b := random(1, m.Rows) // not in the range of the matrix
	want := mustSolve(t, steady, b, nil, solve.Options{})
	if err := s.UpdateMatrix(t.Context(), steady); err != nil {
		t.Fatal(err)
	}
	got, err := s.Solve(t.Context(), b, nil)
	if err != nil || got.Reason != krylov.Inconsistent || got.NullSpace.Dim != 1 || !sameBits(got.X, want.X) {
		t.Errorf("%v, %v, dimension %d; %v for a new Solver", err, got.Reason, got.NullSpace.Dim, want.Reason)
	}
}

// The context of New or Update may end before the first Solve.
func TestContextOfSetUpEnds(t *testing.T) {
	tall := entries(30, func(add func(i, j int, v float64)) {
		for i := range 30 {
			add(i, i%10, 1)
			add(i, (i*i+3)%10, 0.5)
		}
	})
	tall.Cols = 10
	square := grid(5, 0.3, 0)
	for name, c := range map[string]struct {
		m   *csr.Matrix
		opt solve.Options
	}{
		"least squares": {tall, solve.Options{}},
		"stored":        {square, solve.Options{Storage: solve.Storage{Epsilon: 0x1p-10}}},
	} {
		ctx, end := context.WithCancel(t.Context())
		s, err := New(ctx, c.m, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		end()
		for seed := range uint64(3) {
			if r, err := s.Solve(t.Context(), random(seed, c.m.Rows), nil); err != nil {
				t.Errorf("%s: %v, %v", name, r.Reason, err)
			}
			if c.m.Rows == c.m.Cols {
				ctx, end := context.WithCancel(t.Context())
				if err := s.Update(ctx, random(seed+10, c.m.NNZ())); err != nil {
					t.Fatal(err)
				}
				end()
			}
		}
	}
}

// A step that changes the size of x by far begins from zero, not from the x before, whose roundings would remain.
func TestUpdateOfOtherSize(t *testing.T) {
	m := grid(40, 0, 1e-3)
	b := rhs(m, 1)
	for _, e := range []int{-900, -60, 60} {
		small := m.Clone()
		for k := range small.Val {
			small.Val[k] = math.Ldexp(small.Val[k], e)
		}
		s := newSolver(t, small, solve.Options{Precond: solve.Precond{Kind: precond.AMG}, Updates: true})
		r, err := s.Solve(t.Context(), b, nil)
		if err != nil || !r.Reason.Converged() {
			t.Fatalf("2^%d: %v, %v", e, r.Reason, err)
		}
		if err := s.UpdateMatrix(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		alone := mustSolve(t, m, b, nil, solve.Options{Precond: solve.Precond{Kind: precond.AMG}})
		if next, err := s.Solve(t.Context(), b, r.X); err != nil || !next.Reason.Converged() || next.Iterations > alone.Iterations+2 {
			t.Errorf("2^%d: %v after %d iterations, alone %d, %v", e, next.Reason, next.Iterations, alone.Iterations, err)
		}
	}
}
