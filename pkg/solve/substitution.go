package solve

import (
	"context"
	"errors"
	"time"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/dd"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// SubstitutionMethod is the Result.Method of matrices that are triangular in some order of
// rows and columns.
const SubstitutionMethod = "substitution"

// substitution solves with a matrix that is lower triangular in some order of rows and
// columns, such as a diagonal one:
//
//	x_j = (b_i - sum_l a_il x_l) / a_ij
//
// with the sum in double-double arithmetic, so that x_j is rounded once or twice. It takes
// the place of refinement; if numbers leave the range of float64 on the way, an ordinary
// refinement, which scales, takes over.
type substitution struct {
	s          *Solver
	rows, cols []int32
	exact      linop.Operator[vector, scalar]
	elapsed    time.Duration
	count      int
}

// recognise makes the solver one by substitution if the matrix is triangular and the options
// leave the choice, and says so.
func (s *Solver) recognise() bool {
	if !s.opt.leavesAll() {
		return false
	}
	rows, cols := s.m.TriangularOrder()
	if rows == nil {
		return false
	}
	s.Method, s.Scale, s.Order = SubstitutionMethod, ScaleNone, Ordering{Order: ReorderNone}
	s.say("method %s: the matrix is %s", s.Method, shape(s.m))
	s.refiner = &substitution{s: s, rows: rows, cols: cols, exact: newHost(s.m, s.pool).with(s.opt.Storage.Kernels).exact()}
	return true
}

// leavesAll reports whether the options leave the choice of how a matrix of a special kind is solved with.
func (o Options) leavesAll() bool {
	return !o.ordinary && o.Method == Auto && o.Precond.Kind == PrecondAuto && o.Scale == ScaleAuto && o.Reorder == ReorderNone &&
		o.Device == nil && !o.NoRefine && o.InnerTol == 0 && len(o.Storage.Set.Formats) == 0 && o.Storage.Epsilon == 0
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

// stretch is how many rows are solved between looks at the context.
const stretch = 1 << 14

// solve sets x; done is false if the context ended or a number left the range of float64.
func (t *substitution) solve(ctx context.Context, x, b []float64) (reason krylov.Reason, done bool) {
	defer func(start time.Time) { t.elapsed += time.Since(start) }(time.Now())
	t.count++
	for k, i := range t.rows {
		if k%stretch == 0 && ctx.Err() != nil {
			return stopped(ctx), false
		}
		cols, vals := t.s.m.Row(int(i))
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
		if x[j] = sum.Div(dd.From(pivot)).Float(); !finite(x[j]) {
			return krylov.NotFinite, false
		}
	}
	return krylov.Converged, true
}

// stopped is the reason of a context that has ended.
func stopped(ctx context.Context) krylov.Reason {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return krylov.TimeLimit
	}
	return krylov.Interrupted
}

// refine implements refiner.
func (t *substitution) refine(ctx context.Context, x, b []float64, opt krylov.Options[vector]) (krylov.Result, error) {
	guess := append([]float64(nil), x...)
	if absMax(b) == 0 {
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
	t.s.say("method %s: numbers leave the range of float64", SubstitutionMethod)
	if err := t.s.setUpOrdinary(ctx); err != nil {
		return krylov.Result{}, err
	}
	return t.s.refiner.refine(ctx, x, b, opt)
}

// further implements refiner: substitution is as accurate as it can be at once.
func (t *substitution) further(ctx context.Context, x, b, w []float64, _ krylov.Options[vector]) (krylov.Result, error) {
	r := append([]float64(nil), b...)
	reason, done := t.solve(ctx, x, b)
	if done {
		t.exact.Residual(r, b, x)
	}
	return krylov.Result{Reason: reason, Measure: weighted(linop.NewHost(len(r), t.s.pool), r, w)}, nil
}

// roughly implements refiner.
func (t *substitution) roughly(ctx context.Context, x, b, w []float64, opt krylov.Options[vector]) (krylov.Result, error) {
	return t.further(ctx, x, b, w, opt)
}

// rowwise implements refiner.
func (t *substitution) rowwise(ctx context.Context, x, b, _ []float64, opt krylov.Options[vector]) (krylov.Result, error) {
	return t.refine(ctx, x, b, opt)
}

// correct implements refiner.
func (t *substitution) correct(ctx context.Context, d, r, _ []float64, _ int, _ krylov.Goal) (krylov.Result, error) {
	reason, _ := t.solve(ctx, d, r)
	return krylov.Result{Reason: reason}, nil
}

// raise implements refiner.
func (t *substitution) raise(krylov.Reason) bool { return false }

// residual implements refiner.
func (t *substitution) residual(r, x, b []float64) error {
	t.exact.Residual(r, b, x)
	return nil
}

// leftOver implements refiner.
func (t *substitution) leftOver(r, x, b []float64) error { return t.residual(r, x, b) }

func (t *substitution) lower([]float64) []float64 { return nil }

// usage implements refiner.
func (t *substitution) usage() usage {
	return usage{
		method: SubstitutionMethod, precond: PrecondResult{Kind: precond.None, Text: string(precond.None)},
		stored:   stored{storage: t.s.opt.Storage.withDefaults(false, true), bytes: t.s.m.Bytes(), rows: t.s.m.Rows},
		products: t.count, multiplying: t.elapsed,
	}
}

// close implements refiner.
func (t *substitution) close() {}
