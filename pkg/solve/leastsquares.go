package solve

import (
	"context"
	"fmt"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// leastSquares is the solver of a matrix that is not square: by LSQR, on columns scaled by powers of
// two to norms near 1, which is its preconditioner, within iterative refinement with residuals
// in double-double arithmetic. It ends where the tolerance bounds ||r||_2/||b||_2, which A x = b then holds to: rows
// do not count one by one, since scaling them would make another problem; or the error of verify.LeastSquares, that
// the residual is orthogonal to the columns.
//
// Vectors are those of the larger dimension: the matrix gets rows or columns of zeros, which
// change neither the least residual nor the x of least norm.
type leastSquares struct {
	s       *Solver
	at      *host
	method  krylov.Method[vector, scalar]
	steps   *krylov.Refinement[vector, scalar]
	exact   *linop.Timed[vector, scalar] // A
	scaled  *linop.Timed[vector, scalar] // A D and its transpose
	columns columnScaling                // D
	bytes   int64

	rhs, z, r, g vector
}

// checkLeastSquares reports an option that such a solve does not have.
func checkLeastSquares(m *csr.Matrix, o Options) error {
	for _, option := range []struct {
		what string
		set  bool
	}{
		{"preconditioners", o.Precond.Kind != PrecondAuto && o.Precond.Kind != precond.None},
		{"devices", o.Device != nil && !o.DeviceAuto},
		{"checkpoints", o.Checkpoint.Save != nil || o.Checkpoint.Resume != nil},
		{"digits", o.Digits > 0},
		{"formats but FP64", len(o.Storage.Set.Formats) > 0 && !o.Storage.plain()},
		{"stopping criteria but row and nw", o.Stop == StopCW || o.Stop == StopRel},
		{"scalings but auto and none", o.Scale != ScaleAuto && o.Scale != ScaleNone},
		{"orders of rows and columns", o.Reorder != ReorderNone},
		{"null spaces", o.NullSpace.Kind != NullSpaceAuto && o.NullSpace.Kind != NullSpaceNone},
	} {
		if option.set {
			return invalid("the matrix is %d x %d; least-squares problems are solved without %s", m.Rows, m.Cols, option.what)
		}
	}
	return nil
}

// newLeastSquares prepares to solve with m.
func newLeastSquares(ctx context.Context, m *csr.Matrix, opt Options) (*Solver, error) {
	if err := checkLeastSquares(m, opt); err != nil {
		return nil, err
	}
	start := time.Now()
	s := &Solver{
		Method: LSQR, Scale: ScaleNone, Order: Ordering{Order: ReorderNone}, given: m, m: m, opt: opt, pool: parallel.New(opt.Threads), known: new(knownParts),
	}
	s.opt.Device = nil
	s.Threads = s.pool.Threads()
	err := s.until(ctx, func() error {
		s.Facts = csr.Examine(m, s.pool)
		if s.Facts.NonFinite > 0 {
			return solvable(s.Facts)
		}
		if need := opt.Held + leastSquaresMemory(m); opt.MaxMemory > 0 && need > opt.MaxMemory {
			return fmt.Errorf("%w: solving takes %s, the limit is %s",
				ErrMemory, humanize.Bytes(uint64(need)), humanize.Bytes(uint64(opt.MaxMemory)))
		}
		return ctx.Err()
	})
	if err == nil {
		opt.Examined(s.Facts)
		err = s.until(ctx, func() error { s.special = s.setUpLeastSquares(); return nil })
	}
	if err != nil {
		s.pool.Close()
		return nil, err
	}
	s.Setup = time.Since(start)
	return s, nil
}

// leastSquaresMemory is what a solve takes, in bytes: the matrix as given, scaled and transposed, and vectors.
func leastSquaresMemory(m *csr.Matrix) int64 {
	kind, _ := krylov.KindOf(string(LSQR))
	n := max(m.Rows, m.Cols)
	return 3*m.Bytes() + 8*int64(n)*int64(commonVectors+kind.Vectors(n, krylov.Use{}))
}

func (s *Solver) setUpLeastSquares() *leastSquares {
	m := padded(s.m)
	l := &leastSquares{s: s, at: newHost(m, s.pool).with(s.opt.Storage.Kernels), columns: scaleColumns(m, s.opt.Scale)}
	scaled := l.columns.apply(m)
	l.exact = &linop.Timed[vector, scalar]{Operator: l.at.exact()}
	l.scaled = &linop.Timed[vector, scalar]{Operator: linop.Transposed[vector, scalar]{
		Operator: l.at.csr(scaled), Transpose: l.at.csr(scaled.Transpose(s.pool)),
	}}
	l.bytes = 2 * scaled.Bytes()
	l.method, l.steps = krylov.NewLSQR(l.at), krylov.NewRefinement[vector, scalar](l.at)
	if s.opt.NoRefine {
		l.steps.MaxSteps = 1
	}
	l.rhs, l.z, l.r, l.g = l.at.New(), l.at.New(), l.at.New(), l.at.New()
	why := "requested; "
	if s.opt.Method != LSQR {
		why = ""
	}
	s.say("method lsqr: %sthe matrix is not square, so x is to minimise ||b - A x||_2", why)
	if s.opt.Scale != ScaleNone {
		s.say("scaling columns: to norms near 1, in place of a preconditioner (powers of two, exact)")
	}
	s.say("transpose stored as a second matrix, %s", humanize.Bytes(uint64(scaled.Bytes())))
	return l
}

// padded is m with rows or columns of zeros that make it square.
func padded(m *csr.Matrix) *csr.Matrix {
	n := max(m.Rows, m.Cols)
	p := &csr.Matrix{Rows: n, Cols: n, RowPtr: m.RowPtr, Col: m.Col, Val: m.Val}
	if m.Rows < n {
		p.RowPtr = make([]int64, n+1)
		for i := copy(p.RowPtr, m.RowPtr); i <= n; i++ {
			p.RowPtr[i] = m.RowPtr[m.Rows]
		}
	}
	return p
}

// solve implements special.
func (l *leastSquares) solve(ctx context.Context, b, x0 []float64) (Result, error) {
	start, m, opt := time.Now(), l.s.m, l.s.opt
	x, rhs := l.at.New(), l.at.New()
	copy(rhs, b)
	if x0 != nil {
		if len(x0) != m.Cols {
			return Result{}, invalid("the initial guess has %d elements, the matrix %d columns", len(x0), m.Cols)
		}
		copy(x, x0)
	}
	products, elapsed := l.exact.Count+l.scaled.Count, l.exact.Elapsed+l.scaled.Elapsed
	solved := l.steps.Solve(ctx, l.exact, &leastCorrection{leastSquares: l, tighten: 0.5}, x, rhs, krylov.Options[vector]{
		Tol: opt.Tol * tighter, MaxIter: opt.MaxIter, Guess: x0 != nil, Monitor: opt.Monitor,
		Measure: func(_, r vector) float64 { return l.measure(r, rhs) },
	})
	r := l.chosen()
	r.X, r.Reason, r.Digits = x[:m.Cols], solved.Reason, unknownDigits()
	r.Outer, r.Iterations, r.SpMVs = solved.Outer, solved.Iterations, l.exact.Count+l.scaled.Count-products
	r.Time = TimeByPhase{SpMV: l.exact.Elapsed + l.scaled.Elapsed - elapsed}
	err := l.judge(&r, b)
	r.Attempts = []Attempt{{Method: r.Method, Vectors: VectorsDouble, Precond: r.Precond.Text, Reason: r.Reason.String(), Iterations: r.Iterations, Solve: time.Since(start)}}
	r.Time.Total = time.Since(start)
	return r, err
}

// judge measures x, as given, and gives the reason that leaves of the one that refinement stopped for: x
// solves the system, or it is the least-squares solution.
func (l *leastSquares) judge(r *Result, b []float64) (err error) {
	start, opt := time.Now(), l.s.opt
	if r.Errors, err = verify.Compute(l.s.m, r.X, b, l.s.pool); err != nil {
		return err
	}
	least, err := verify.ComputeLeastSquares(l.s.m, r.X, b, l.s.pool)
	r.LeastSquares = &least
	r.Time.Verify = time.Since(start)
	switch {
	case r.Reason == krylov.ZeroRHS:
	case r.Errors.RelativeResidual <= opt.Tol:
		r.Reason = krylov.Converged
	case opt.Stop.pickLeastSquares(least) <= opt.Tol:
		r.Reason = krylov.LeastSquares
	case r.Reason.Converged():
		r.Reason = krylov.Drift
	}
	if r.Advice = r.Reason.Advice(); !r.Reason.Converged() && !limited(r.Reason) {
		r.Advice = "columns or rows may be nearly dependent; allow more iterations (--max-iter), or a larger --tol"
	}
	return err
}

// pickLeastSquares is the error that a criterion bounds.
func (s Stop) pickLeastSquares(e verify.LeastSquares) float64 {
	if s == StopNW {
		return e.Normal
	}
	return e.Columns
}

// chosen implements special.
func (l *leastSquares) chosen() Result {
	return Result{
		Method: string(LSQR), Storage: l.s.opt.Storage.withDefaults(false, true).fp64(), Formats: []string{"FP64"}, Bytes: l.bytes,
		Precond: PrecondResult{Kind: precond.None, Text: string(precond.None)},
	}
}

func (l *leastSquares) ladder() []string { return nil }

// memory implements special.
func (l *leastSquares) memory() []MethodMemory {
	return []MethodMemory{{Method: LSQR, Alone: l.s.opt.Held + leastSquaresMemory(l.s.m)}}
}

func (l *leastSquares) close() { l.s.pool.Close() }
