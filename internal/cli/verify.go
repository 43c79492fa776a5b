package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/internal/solver/options"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// verifyFlags are the flags of `mpsolve verify`.
type verifyFlags struct {
	stochasticFlags
	digits bool
}

const verifyLong = `Give the verdict of solve on an x from anywhere: is it a solution of A x = b?

A, B and X are files of any format that solve reads, - is standard input. B may also be ones (b = A·ones) or
random:SEED, as of solve --rhs. X has a column for each of B. The errors are recomputed from A, x and b as given,
with residuals in double-double arithmetic; x is a solution if the error that --stop names is at most --tol, and x is not
so huge that any residual is small beside it. A least-squares solution is one where A is not square.

--digits solves the system as well, from x, and says how many digits of x agree with the solution, as far as the
solution's own digits can be believed.

Exit codes: 0 converged; 1 failure (input or output, memory); 2 usage; 3 not converged; 4 invalid input.`

func newVerify(s streams) *cobra.Command {
	var f verifyFlags
	c := &cobra.Command{
		Use: "verify A B X", Short: "Verify an x from anywhere", Long: verifyLong,
		Example: "  mpsolve verify A.mtx b.mtx x.mtx\n" +
			"  mpsolve verify A.mtx ones x.mtx --tol 1e-12 --digits\n" +
			"  mpsolve verify A.npz b.npy x.npy --stop cw --json",
		Args: exactly(3, "the files of a matrix, of b (or ones) and of x"),
		RunE: func(c *cobra.Command, args []string) error {
			f.rhs, f.guess, f.verifies = args[1], args[2], true
			if n := len(slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a != "-" })); n > 1 {
				return usage("only one of A, B and X can come from standard input")
			}
			if err := checkRHS("B", f.rhs, args[0]); err != nil {
				return err
			}
			if err := f.check(c, args[0]); err != nil {
				return err
			}
			capThreads(&f.opt.Threads, s.err)
			return f.run(c.Context(), s, args[0])
		},
	}
	f.defaults()
	f.method, f.scale, f.refine, f.reorder = string(solve.Auto), string(solve.ScaleAuto), true, reorderFlag(solve.ReorderNone)
	f.precond.add(&cobra.Command{})
	fl := c.Flags()
	fl.SortFlags = false
	fl.Float64Var(&f.opt.Tol, "tol", krylov.DefaultTol, "tolerance for the error that --stop names")
	fl.StringVar(&f.stop, "stop", "row", "criterion: row, nw or cw (row-wise, normwise or componentwise backward error) or rel (||r||/||b||)")
	fl.BoolVar(&f.digits, "digits", false, "solve as well, and say how many digits of x can be believed")
	fl.Var(&f.maxMemory, "max-memory", "memory limit, such as 4GB (default: the memory of the machine)")
	fl.IntVar(&f.opt.Threads, "threads", 0, "number of threads (default: all processors)")
	fl.BoolVar(&f.json, "json", false, "print a JSON object instead of text (docs/verify.schema.json)")
	fl.BoolVar(&f.quiet, "quiet", false, "print the verdict only")
	completeWords(c, "stop", options.Stops)
	return c
}

// run reads, judges each x and prints the verdict.
func (f *verifyFlags) run(ctx context.Context, s streams, path string) error {
	r := &solveRun{solveFlags: &f.solveFlags, streams: s, path: path, start: time.Now()}
	r.in = input{streams: s, threads: f.opt.Threads, maxMemory: f.opt.MaxMemory}
	content, err := r.in.read(ctx, path)
	if err != nil {
		return err
	}
	if content.Matrix == nil {
		m, err := content.CSR()
		if err != nil {
			return &exitError{exitInput, fmt.Errorf("%s: %w", path, err)}
		}
		content.Matrix = m
	}
	if _, err := r.takeReal(content); err != nil {
		return inFile(path, err)
	}
	r.in.known = map[string]*matrixmarket.Content{}
	if err := r.complexVectors(ctx); err != nil {
		return err
	}
	rows, cols := r.problem.dims()
	v := report.Verification{
		SchemaVersion: report.VerificationVersion, Version: Version, File: path, Rows: int(rows), Cols: int(cols),
		RHS: f.rhs, Solution: f.guess, Stop: f.stop, Tolerance: f.opt.Tol, Solutions: []report.Verdict{},
	}
	if _, v.Complex = r.problem.(complexProblem); v.Complex {
		v.Rows, v.Cols = v.Rows/2, v.Cols/2
	}
	if r.b, r.x0, err = r.problem.vectors(ctx, r.solveFlags, r.in); err != nil {
		return err
	}
	if !f.fileRHS() {
		b, text, err := r.problem.rhs(r.solveFlags)
		if err != nil {
			return err
		}
		r.b, v.RHS = [][]float64{b}, text
	}
	if err := r.judge(ctx, &v, f.digits); err != nil {
		return err
	}
	out := &firstError{w: s.out}
	if f.json {
		out.keep(v.WriteJSON(out))
	} else {
		v.WriteText(out, f.quiet)
	}
	if out.err != nil {
		return fmt.Errorf("writing: %w", out.err)
	}
	if !v.Verdict.Converged {
		return &exitError{code: exitNotConverged}
	}
	return nil
}

// judge judges each x, and compares it with a solution if that is asked for.
func (r *solveRun) judge(ctx context.Context, v *report.Verification, compare bool) error {
	opt := r.opt
	c, isComplex := r.problem.(complexProblem)
	if isComplex && opt.Stop != solve.StopRel { // whose errors are at most that much smaller than the real form's
		opt.Tol *= 2
	}
	m := c.Matrix
	if w, real := r.problem.(whole); real {
		m = w.Matrix
	}
	var comparing *solver.Solver
	for k, x := range r.x0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		result, err := solver.Judge(m, x, r.b[k], opt)
		if err == nil && isComplex {
			if err = c.judge(&result, r.b[k], r.opt); result.Reason == krylov.Drift {
				result.Reason, result.Advice = krylov.Running, ""
			}
		}
		if err != nil {
			return inFile(r.path, err)
		}
		var a *report.Agreement
		if compare {
			if comparing == nil {
				if comparing, err = r.problem.solver(ctx, r.opt); err != nil {
					return inFile(r.path, err)
				}
				defer comparing.Close()
			}
			y, err := comparing.Solve(ctx, r.b[k], slices.Clone(x))
			if err != nil {
				return err
			}
			a = report.NewAgreement(x, y)
		}
		v.Add(result, a)
	}
	return nil
}
