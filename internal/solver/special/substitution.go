package special

import (
	"context"
	"errors"
	"time"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// SubstitutionMethod is the Result.Method of matrices that are triangular in some order of
// rows and columns.
const SubstitutionMethod = "substitution"

// substitution solves with a matrix that is lower triangular in some order of rows and columns, such as a diagonal matrix:
//
//	x_j = (b_i - sum_l a_il x_l) / a_ij
//
// with the sum in double-double arithmetic, so that x_j is rounded once or twice. It replaces refinement. If numbers leave
// the range of float64 on the way, an ordinary refinement, which scales, takes over.
type substitution struct {
	s          *refine.Problem
	ordinary   func(context.Context) error // makes an ordinary refinement of s
	rows, cols []int32
	exact      linop.Operator[vector, scalar]
	elapsed    time.Duration
	count      int
}

// Recognise makes substitution the refiner of s if the matrix is triangular in some order and the options leave the choice. It
// reports whether it has done so.
func Recognise(s *refine.Problem, ordinary func(context.Context) error) bool {
	if !s.LeavesAll() {
		return false
	}
	rows, cols := triangularOrder(s.M)
	if rows == nil {
		return false
	}
	s.Method, s.Scale, s.Order = SubstitutionMethod, solve.ScaleNone, features.Ordering{Order: solve.ReorderNone}
	s.Say("method %s: the matrix is %s", s.Method, shape(s.M))
	s.Refiner = &substitution{s: s, ordinary: ordinary, rows: rows, cols: cols, exact: backend.NewHost(s.M, s.Pool).With(s.Opt.Storage.Kernels).Exact()}
	return true
}

// shape describes a matrix that is triangular in some order.
func shape(m *csr.Matrix) string {
	lower, upper := true, true
	m.DoNonZero(func(i, j int, v float64) {
		lower = lower && (j <= i || v == 0)
		upper = upper && (j >= i || v == 0)
	})
	switch {
	case lower && upper:
		return "diagonal"
	case lower:
		return "lower triangular"
	case upper:
		return "upper triangular"
	}
	return "triangular but for the order of rows and columns"
}

// stretch is the number of rows that are solved between looks at the context.
const stretch = 1 << 14

// solve computes x. done is false if the context ended, or if a number left the range of float64.
func (t *substitution) solve(ctx context.Context, x, b []float64) (reason krylov.Reason, done bool) {
	defer func(start time.Time) { t.elapsed += time.Since(start) }(time.Now())
	t.count++
	for k, i := range t.rows {
		if k%stretch == 0 && ctx.Err() != nil {
			return stopped(ctx), false
		}
		cols, vals := t.s.M.Row(int(i))
		j := t.cols[k]
		sum, pivot := dd.From(b[i]), 0.0
		for l, c := range cols {
			switch {
			case c == j:
				pivot = vals[l]
			case vals[l] != 0:
				sum = sum.AddProd(-vals[l], x[c])
			}
		}
		if x[j] = sum.Div(dd.From(pivot)).Float(); !backend.Finite(x[j]) {
			return krylov.NotFinite, false
		}
	}
	return krylov.Converged, true
}

// stopped returns the reason that a context has ended for.
func stopped(ctx context.Context) krylov.Reason {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return krylov.TimeLimit
	}
	return krylov.Interrupted
}

// Refine implements refine.Refiner.
func (t *substitution) Refine(ctx context.Context, x, b []float64, opt krylov.Options[vector]) (krylov.Result, error) {
	guess := append([]float64(nil), x...)
	if AbsMax(b) == 0 {
		clear(x)
		return krylov.Result{Reason: krylov.ZeroRHS}, nil
	}
	reason, done := t.solve(ctx, x, b)
	if done || reason != krylov.NotFinite {
		if !done {
			copy(x, guess)
		}
		return krylov.Result{Reason: reason}, nil
	}
	copy(x, guess)
	t.s.Say("method %s: numbers leave the range of float64", SubstitutionMethod)
	if err := t.ordinary(ctx); err != nil {
		return krylov.Result{}, err
	}
	return t.s.Refiner.Refine(ctx, x, b, opt)
}

// Further implements refine.Refiner: a substitution cannot be improved by another.
func (t *substitution) Further(ctx context.Context, x, b, w []float64, _ krylov.Options[vector]) (krylov.Result, error) {
	r := append([]float64(nil), b...)
	reason, done := t.solve(ctx, x, b)
	if done {
		t.exact.Residual(r, b, x)
	}
	return krylov.Result{Reason: reason, Measure: backend.Weighted(linop.NewHost(len(r), t.s.Pool), r, w)}, nil
}

// Roughly implements refine.Refiner.
func (t *substitution) Roughly(ctx context.Context, x, b, w []float64, opt krylov.Options[vector]) (krylov.Result, error) {
	return t.Further(ctx, x, b, w, opt)
}

// Rowwise implements refine.Refiner.
func (t *substitution) Rowwise(ctx context.Context, x, b, _ []float64, opt krylov.Options[vector]) (krylov.Result, error) {
	return t.Refine(ctx, x, b, opt)
}

// Correct implements refine.Refiner.
func (t *substitution) Correct(ctx context.Context, d, r, _ []float64, _ int, _ krylov.Goal) (krylov.Result, error) {
	reason, _ := t.solve(ctx, d, r)
	return krylov.Result{Reason: reason}, nil
}

// Preconditioned implements refine.Refiner.
func (t *substitution) Preconditioned(ctx context.Context, d, r []float64) error {
	t.solve(ctx, d, r)
	return nil
}

// Accompany implements refine.Refiner: substitution is cheap.
func (t *substitution) Accompany(func() []float64) {}

// Accompanied implements refine.Refiner.
func (t *substitution) Accompanied() (d, p []float64) { return nil, nil }

// Raise implements refine.Refiner.
func (t *substitution) Raise(krylov.Reason) bool { return false }

// Residual implements refine.Refiner.
func (t *substitution) Residual(r, x, b []float64) error {
	t.exact.Residual(r, b, x)
	return nil
}

// Lower implements refine.Refiner.
func (t *substitution) Lower([]float64) []float64 { return nil }

// Usage implements refine.Refiner.
func (t *substitution) Usage() refine.Usage {
	return refine.Usage{
		Method: SubstitutionMethod, Precond: solve.PrecondResult{Kind: precond.None, Text: string(precond.None)},
		Stored:   backend.Stored{Storage: rules.StorageWithDefaults(t.s.Opt.Storage, false, true), Bytes: t.s.M.Bytes(), Rows: t.s.M.Rows},
		Products: t.count, Multiplying: t.elapsed, Complete: true,
	}
}

// Close implements refine.Refiner.
func (t *substitution) Close() {}

// triangularOrder returns orders of rows and columns in which a square matrix is lower
// triangular without a zero on the diagonal: row rows[k] has nonzeros in columns cols[0] to
// cols[k] only, and one in cols[k]. They are nil if there are none, which is known at once
// for most matrices: one that has them has a row and a column of a single nonzero.
func triangularOrder(m *csr.Matrix) (rows, cols []int32) {
	if m.Rows != m.Cols || !hasShortRow(m) {
		return nil, nil
	}
	start, inColumn, left := columnPattern(m)
	rows, cols = make([]int32, 0, m.Rows), make([]int32, 0, m.Rows)
	done := make([]bool, m.Cols)
	for i, count := range left {
		if count == 1 {
			rows = append(rows, int32(i))
		}
	}
	for k := 0; k < len(rows); k++ { // rows is also the queue of those with one column left
		j := unmarked(m, int(rows[k]), done)
		if j < 0 {
			return nil, nil // another row has taken its column
		}
		done[j] = true
		cols = append(cols, int32(j))
		for _, i := range inColumn[start[j]:start[j+1]] {
			if left[i]--; left[i] == 1 {
				rows = append(rows, i)
			}
		}
	}
	if len(rows) < m.Rows {
		return nil, nil
	}
	return rows, cols
}

// hasShortRow reports whether a row has a single entry.
func hasShortRow(m *csr.Matrix) bool {
	for i := range m.Rows {
		if m.RowPtr[i+1]-m.RowPtr[i] == 1 {
			return true
		}
	}
	return false
}

// columnPattern returns the rows of the nonzeros in each column, and the number of nonzeros
// in each row.
func columnPattern(m *csr.Matrix) (start []int64, rows, counts []int32) {
	start, counts = make([]int64, m.Cols+1), make([]int32, m.Rows)
	m.DoNonZero(func(i, j int, v float64) {
		if v != 0 {
			start[j+1]++
			counts[i]++
		}
	})
	for j := range m.Cols {
		start[j+1] += start[j]
	}
	rows = make([]int32, start[m.Cols])
	next := append([]int64(nil), start...)
	m.DoNonZero(func(i, j int, v float64) {
		if v != 0 {
			rows[next[j]] = int32(i)
			next[j]++
		}
	})
	return start, rows, counts
}

// unmarked returns the column of a nonzero of row i that is not marked; -1: there is none.
func unmarked(m *csr.Matrix, i int, marked []bool) int {
	cols, vals := m.Row(i)
	for k, j := range cols {
		if vals[k] != 0 && !marked[j] {
			return int(j)
		}
	}
	return -1
}
