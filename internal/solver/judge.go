package solver

import (
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/internal/solver/options"
	"github.com/mpsolve/mpsolve/internal/solver/special"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// Judge returns the verdict of [Solver.Solve] on an x from any source, by opt.Stop and opt.Tol. The Result has x, its Errors,
// LeastSquares if the matrix is not square, the Reason and the Advice. The Reason is krylov.Running if x is merely
// not accurate enough. Judge does not estimate Digits, which would take a solve.
func Judge(m *csr.Matrix, x, b []float64, opt solve.Options) (r solve.Result, err error) {
	if err = options.Validate(opt); err != nil {
		return r, err
	}
	if err = m.Validate(); err != nil {
		return r, &solve.InputError{Msg: err.Error()}
	}
	pool := parallel.New(opt.Threads)
	defer pool.Close()
	if f := csr.Examine(m, pool); f.NonFinite > 0 {
		return r, options.Solvable(f)
	}
	if err = options.CheckVector("right-hand side", b, m.Rows); err != nil {
		return r, err
	}
	if err = options.CheckVector("solution", x, m.Cols); err != nil {
		return r, err
	}
	opt = options.WithDefaults(opt, max(m.Rows, m.Cols))
	opt.NoRefine = true // for explains: no digits show how accurate x is
	if r.X = x; m.Rows != m.Cols {
		err = special.JudgeLeastSquares(m, &r, b, opt, pool)
	} else {
		err = judgeSquare(m, &r, b, opt, pool)
	}
	r.Advice = r.Reason.Advice()
	return r, err
}

func judgeSquare(m *csr.Matrix, r *solve.Result, b []float64, opt solve.Options, pool *parallel.Pool) error {
	j, err := verify.Judge(m, r.X, b, opt.Tol, pool)
	r.Errors = j.Errors
	measure, reachable := options.ErrorOf(opt.Stop, j.Errors), options.ErrorOf(opt.Stop, j.Rounding)
	switch {
	case measure <= opt.Tol && explains(j, opt):
		r.Reason = krylov.Converged
	case measure <= opt.Tol:
		r.Reason = krylov.Singular
	case opt.Tol < reachable && measure <= nearReachable*reachable:
		r.Reason = krylov.PrecisionExhausted
	}
	return err
}

// explains reports whether an x that meets the tolerance also explains b. Under the normwise error and the norm of the residual
// small rows may stay unexplained, but not a tenth of b where no estimated digits show how accurate x is.
func explains(j verify.Judgement, opt solve.Options) bool {
	most := verify.MaxUnexplained(opt.Tol)
	switch {
	case opt.Stop == solve.StopRow || opt.Stop == solve.StopCW:
		return j.Unexplained <= most
	case opt.NoRefine:
		return j.RelativeResidual <= most || j.Unexplained <= most && j.RelativeResidual < 0.1
	}
	return j.RelativeResidual <= most || j.Unexplained <= most
}
