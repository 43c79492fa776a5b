package special

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/digits"
	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// leastSquares solves with a matrix that is not square, by LSQR within iterative refinement with residuals in double-double
// arithmetic. Scaling the columns by powers of two to norms near 1 is its preconditioner. It ends when the tolerance bounds
// ||r||_2/||b||_2, so that x solves A x = b, or the error of verify.LeastSquares, so that the residual is orthogonal to the columns.
// Errors do not count row by row, since scaling the rows would change the problem.
//
// Vectors have the larger dimension: the matrix gets rows or columns of zeros (dist.Frame), which change neither the least residual nor
// the x of least norm.
type leastSquares struct {
	s *refine.Problem
	parted
	method  krylov.Method[vector, scalar]
	steps   *krylov.Refinement[vector, scalar]
	exact   *backend.Timed[vector, scalar] // A
	scaled  *backend.Timed[vector, scalar] // A D and its transpose
	columns columnScaling                  // D
	bytes   int64

	rhs, z, r, g vector
}

// CheckLeastSquares returns an error if an option is not supported for least squares.
func CheckLeastSquares(rows, cols int64, o solve.Options) error {
	if !rules.Float64Vectors(o.Vectors) {
		return rules.Invalid("least squares are solved with vectors double, not %v", rules.VectorsText(o.Vectors))
	}
	for _, option := range []struct {
		what string
		set  bool
	}{
		{"preconditioners", o.Precond.Kind != solve.PrecondAuto && o.Precond.Kind != precond.None},
		{"devices", o.Device != nil && !o.DeviceAuto},
		{"checkpoints", o.Checkpoint.Save != nil || o.Checkpoint.Resume != nil},
		{"digits", o.Digits > 0},
		{"formats but FP64", len(o.Storage.Set.Formats) > 0 && !rules.Plain(o.Storage)},
		{"stopping criteria but row and nw", o.Stop == solve.StopCW || o.Stop == solve.StopRel},
		{"scalings but auto and none", o.Scale != solve.ScaleAuto && o.Scale != solve.ScaleNone},
		{"orders of rows and columns", rules.AsksForOrder(o.Reorder)},
		{"null spaces", o.NullSpace.Kind != solve.NullSpaceAuto && o.NullSpace.Kind != solve.NullSpaceNone},
	} {
		if option.set {
			return rules.Invalid("the matrix is %d x %d; least-squares problems are solved without %s", rows, cols, option.what)
		}
	}
	return nil
}

// LeastSquaresMemory returns the memory of a solve, in bytes: the matrix of so many rows or columns, whichever are more, as given,
// scaled, and transposed, and vectors.
func LeastSquaresMemory(n, nnz int64) int64 {
	kind, _ := krylov.KindOf(string(solve.LSQR))
	return 3*csr.Bytes(n, nnz) + 8*n*int64(rules.CommonVectors+kind.Vectors(int(n), krylov.Use{}))
}

// NewLeastSquares prepares to solve with the matrix of s, whole or over domains. Collective.
func NewLeastSquares(s *refine.Problem) *leastSquares {
	l := &leastSquares{s: s}
	if s.Job != nil {
		l.parted = over(s.Job, s.Pool)
	} else {
		l.parted = whole(s.M, s.Pool)
	}
	at := backend.NewRanks(&ranks.Job{Matrix: l.Matrix}, l.Local, s.Opt.Storage.Kernels, 0, true, s.Pool)
	l.Host = at.Host.Host
	l.columns = scaleColumns(l.parted, s.Opt.Scale)
	scaled := at.CSR(l.columns.apply(l.Local))
	l.exact = &backend.Timed[vector, scalar]{Operator: at.Exact()}
	l.scaled = &backend.Timed[vector, scalar]{Operator: scaled}
	l.bytes = 2 * csr.Bytes(l.N, l.NNZ)
	l.method, l.steps = krylov.NewLSQR(l.Host), krylov.NewRefinement[vector, scalar](l.Host)
	if s.Opt.NoRefine {
		l.steps.MaxSteps = 1
	}
	l.rhs, l.z, l.r, l.g = l.New(), l.New(), l.New(), l.New()
	scaled.ApplyT(l.g, l.r) // makes the transpose
	why := "requested; "
	if s.Opt.Method != solve.LSQR {
		why = ""
	}
	s.Say("method lsqr: %sthe matrix is not square, so x is to minimise ||b - A x||_2", why)
	if s.Opt.Scale != solve.ScaleNone {
		s.Say("scaling columns: to norms near 1, in place of a preconditioner (powers of two, exact)")
	}
	s.Say("transpose stored as a second matrix, %s", humanize.Bytes(uint64(l.bytes/2)))
	return l
}

// Solve implements solver.kind.
func (l *leastSquares) Solve(ctx context.Context, b, x0 []float64) (solve.Result, error) {
	start, opt := time.Now(), l.s.Opt
	var agree func(krylov.Reason) krylov.Reason
	rows, cols := l.Sides()
	if l.job != nil {
		ctx, agree = l.job.Agreement, l.job.Follow
	}
	x, rhs := l.New(), l.New()
	l.SpreadOver(rows, rhs, b)
	guess := dist.Any(l.Comm, x0 != nil) // a rank without columns may have none
	if guess {
		l.SpreadOver(cols, x, x0)
		l.exact.Residual(l.r, rhs, x)
		guess = refine.Helps(l.Host, x, l.r, rhs, opt.Log)
	}
	products, elapsed := l.exact.Count+l.scaled.Count, l.exact.Elapsed+l.scaled.Elapsed
	solved := l.steps.Solve(ctx, l.exact, &leastCorrection{leastSquares: l, tighten: 0.5}, x, rhs, krylov.Options[vector]{
		Tol: opt.Tol * refine.Tighter, MaxIter: opt.MaxIter, Guess: guess, Monitor: opt.Monitor, Agree: agree,
		Measure: func(_, r vector) float64 { return l.measure(r, rhs) },
	})
	r := l.Chosen()
	r.Reason, r.Digits = solved.Reason, digits.UnknownDigits()
	r.Outer, r.Iterations, r.SpMVs = solved.Outer, solved.Iterations, l.exact.Count+l.scaled.Count-products
	r.Time = solve.TimeByPhase{SpMV: l.exact.Elapsed + l.scaled.Elapsed - elapsed}
	r.X = l.JoinOver(cols, x)
	verifying, err := time.Now(), error(nil)
	if l.job == nil {
		err = JudgeLeastSquares(l.s.M, &r, b, opt, l.pool)
	} else {
		r.Errors, r.LeastSquares = verify.ComputeDistributed(l.Matrix, x, rhs, false, l.pool)
		judgeLeast(&r, opt)
	}
	r.Time.Verify = time.Since(verifying)
	if r.Advice = r.Reason.Advice(); !r.Reason.Converged() && !ranks.Limited(r.Reason) {
		r.Advice = "columns or rows may be nearly dependent; allow more iterations (Options.MaxIter), or a larger Options.Tol"
	}
	r.Attempts = []solve.Attempt{{Method: r.Method, Vectors: solve.VectorsDouble, Precond: r.Precond.Text, Reason: r.Reason.String(), Iterations: r.Iterations, Solve: time.Since(start)}}
	r.Time.Total = time.Since(start)
	return r, err
}

// JudgeLeastSquares sets the errors of r.X, and the reason if r.X solves the system, is its least-squares solution, or is neither
// though refinement has converged.
func JudgeLeastSquares(m *csr.Matrix, r *solve.Result, b []float64, opt solve.Options, pool *parallel.Pool) (err error) {
	if r.Errors, err = verify.Compute(m, r.X, b, pool); err != nil {
		return err
	}
	least, err := verify.ComputeLeastSquares(m, r.X, b, pool)
	r.LeastSquares = &least
	judgeLeast(r, opt)
	return err
}

// judgeLeast is JudgeLeastSquares for a result with its errors.
func judgeLeast(r *solve.Result, opt solve.Options) {
	switch {
	case r.Reason == krylov.ZeroRHS:
	case r.Errors.RelativeResidual <= opt.Tol:
		r.Reason = krylov.Converged
	case leastSquaresError(opt.Stop, *r.LeastSquares) <= opt.Tol:
		r.Reason = krylov.LeastSquares
	case r.Reason.Converged():
		r.Reason = krylov.Drift
	}
}

// leastSquaresError returns the error that a criterion bounds.
func leastSquaresError(s solve.Stop, e verify.LeastSquares) float64 {
	if s == solve.StopNW {
		return e.Normal
	}
	return e.Columns
}

// Chosen implements solver.kind.
func (l *leastSquares) Chosen() solve.Result {
	return solve.Result{
		Work:    solve.Work{Method: string(solve.LSQR)},
		Stored:  solve.Stored{Storage: rules.FP64(rules.StorageWithDefaults(l.s.Opt.Storage, false, true)), Formats: []string{"FP64"}, Bytes: l.bytes},
		Precond: solve.PrecondResult{Kind: precond.None, Text: string(precond.None)},
	}
}

// Fallbacks implements solver.kind.
func (l *leastSquares) Fallbacks() []string { return nil }

// Memory implements solver.kind.
func (l *leastSquares) Memory() []choice.MethodMemory {
	return []choice.MethodMemory{{Method: solve.LSQR, Alone: l.s.Opt.Held + LeastSquaresMemory(l.N, l.NNZ)}}
}

// Close implements solver.kind.
func (l *leastSquares) Close() { l.s.Pool.Close() }

// columnScaling is a diagonal matrix D of powers of two.
type columnScaling struct {
	exponent []int     // of 1/D
	norm     []float64 // of the columns of A D
}

// scaleColumns returns the scaling that makes the norms of columns at least 1/2 and less than 1 or, with ScaleNone, one power for all
// columns that makes the elements at most 1. Collective.
func scaleColumns(a parted, scale solve.Scale) columnScaling {
	m := a.Local
	c := columnScaling{make([]int, a.Len), make([]float64, a.Len)}
	for j := range c.exponent {
		c.exponent[j] = backend.LeastExponent
	}
	for k, j := range m.Col {
		if v := m.Val[k]; v != 0 {
			c.exponent[j] = max(c.exponent[j], dd.Exponent(v))
		}
	}
	dist.Raise(a.Halo, c.exponent)
	most := int(a.Max(func(lo, hi int) float64 { return float64(slices.Max(c.exponent[lo:hi])) }))
	for j, e := range c.exponent {
		if e == backend.LeastExponent || scale == solve.ScaleNone {
			c.exponent[j] = max(most, -math.MaxInt16)
		}
	}
	squares := func() {
		clear(c.norm)
		for k, j := range m.Col {
			v := dd.Ldexp(m.Val[k], -c.exponent[j])
			c.norm[j] += v * v
		}
		dist.Fold(a.Halo, c.norm, func(a, b float64) float64 { return a + b })
		dist.Copy(a.Halo, c.norm)
	}
	if squares(); scale != solve.ScaleNone {
		for j, v := range c.norm {
			c.exponent[j] += dd.Exponent(math.Sqrt(v))
		}
		squares()
	}
	for j, v := range c.norm {
		c.norm[j] = math.Sqrt(v)
	}
	return c
}

// apply returns A D.
func (c columnScaling) apply(m *csr.Matrix) *csr.Matrix {
	scaled := &csr.Matrix{Rows: m.Rows, Cols: m.Cols, RowPtr: m.RowPtr, Col: m.Col, Val: make([]float64, len(m.Val))}
	for k, j := range m.Col {
		scaled.Val[k] = dd.Ldexp(m.Val[k], -c.exponent[j])
	}
	return scaled
}

// leastCorrection solves min ||r - A d||_2 by LSQR, as the krylov.Corrector of refinement.
type leastCorrection struct {
	*leastSquares
	tighten float64 // factor of the goal: LSQR knows the norm of A only roughly, and no norms of columns
}

// Correct implements krylov.Corrector.
func (c *leastCorrection) Correct(ctx context.Context, d, r, _ vector, goal krylov.Goal) krylov.Result {
	e := dd.Exponent(c.AbsMax(r))
	c.each(c.rhs, func(i int) float64 { return dd.Ldexp(r[i], -e) })
	result := c.method.Solve(ctx, c.scaled, c.z, c.rhs, krylov.Options[vector]{
		Tol: min(0.5, c.tighten*goal.To/min(1, goal.From)), LeastSquares: c.tighten * goal.To,
		MaxIter: goal.MaxIter, Monitor: goal.Monitor, Agree: goal.Agree, Unconfirmed: true,
	})
	c.each(d, func(j int) float64 { return dd.Ldexp(c.z[j], e-c.columns.exponent[j]) })
	return result
}

const (
	tightenBy = 1. / 16
	mostTight = 1e-6
)

// Escalate implements krylov.Corrector: it makes LSQR go on for longer.
func (c *leastCorrection) Escalate(reason krylov.Reason) bool {
	if reason != krylov.Slow {
		return false
	}
	c.tighten *= tightenBy
	return c.tighten >= mostTight
}

// Patience implements krylov.Corrector.
func (c *leastCorrection) Patience(reduction float64) int { return krylov.DefaultPatience(reduction) }

// measure returns the lesser of ||r||_2/||b||_2 and the error of verify.LeastSquares.
func (l *leastSquares) measure(r, b vector) float64 {
	rnorm, re := l.Norm2(r)
	bnorm, be := l.Norm2(b)
	if rnorm == 0 {
		return 0
	}
	system := dd.Ldexp(rnorm/bnorm, re-be)
	l.each(l.r, func(i int) float64 { return dd.Ldexp(r[i], -re) })
	l.scaled.ApplyT(l.g, l.r)
	if l.s.Opt.Stop == solve.StopNW {
		return min(system, l.normal()/rnorm)
	}
	return min(system, l.most(func(j int) float64 {
		if l.g[j] == 0 {
			return 0
		}
		return math.Abs(l.g[j]) / l.columns.norm[j] / rnorm
	}))
}

// normal returns ||A^T r||_2 / ||A||_F of A as given, from g = (A D)^T r.
func (l *leastSquares) normal() float64 {
	e, norm := l.columns.exponent, l.columns.norm
	most := int(l.Max(func(lo, hi int) float64 {
		most := backend.LeastExponent
		for j := lo; j < hi; j++ {
			if norm[j] != 0 {
				most = max(most, e[j])
			}
		}
		return float64(most)
	}))
	square := func(v float64, j int) float64 {
		v = dd.Ldexp(v, e[j]-most)
		return v * v
	}
	return math.Sqrt(l.total(func(j int) float64 { return square(l.g[j], j) }) / l.total(func(j int) float64 { return square(norm[j], j) }))
}
