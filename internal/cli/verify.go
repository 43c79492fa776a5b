package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// verifyFlags are the flags of `mpsolve verify`.
type verifyFlags struct {
	stochasticFlags
	digits bool
}

const verifyLong = `Judge the x of any program as solve judges its own: is x a solution of A x = b?

A, b and x are files of any format that solve reads; - is standard input. b may also be ones (b = A·ones) or random:SEED,
as in solve --rhs. x has a column for each right-hand side. verify recomputes the errors from A, x and b as given, with
residuals in double-double arithmetic. x is a solution if the error that --stop names is at most --tol, and if x is not so
large that any residual is small in comparison. If A is not square, x must be a least-squares solution.

--digits also solves the system, beginning with x. It says how many digits of x agree with that solution, as far as the
digits of the solution can be believed.

Exit codes: 0 every x is a solution; 1 failure (input or output, memory); 2 usage; 3 some x is not a solution; 4 invalid
input.`

func newVerify(s streams) *cobra.Command {
	var f verifyFlags
	c := &cobra.Command{
		Use: "verify A b x", Short: "Verify the x of any program", Long: verifyLong,
		Example: "  mpsolve verify A.mtx b.mtx x.mtx\n" +
			"  mpsolve verify A.mtx ones x.mtx --tol 1e-12 --digits\n" +
			"  mpsolve verify A.npz b.npy x.npy --stop cw --json",
		Args: exactly(3, "three files, A, b (or ones) and x, in this order"),
		RunE: func(c *cobra.Command, args []string) error {
			f.rhs, f.guess, f.verifies = args[1], args[2], true
			if n := len(slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a != "-" })); n > 1 {
				return usage("only one of A, b and x can come from standard input")
			}
			if err := checkRHS("b", f.rhs, args[0]); err != nil {
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
	completeWords(c, "stop", rules.Stops)
	return c
}

// run reads A, b and x, judges each column of x and prints the verdict.
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
		out.keep(report.WriteJSON(out, v))
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

// judge adds the verdict on each column of x to v, and with compare also compares x with a solution.
func (r *solveRun) judge(ctx context.Context, v *report.Verification, compare bool) error {
	opt := r.opt
	c, isComplex := r.problem.(complexProblem)
	if isComplex && opt.Stop != solve.StopRel { // a row-wise or normwise error of the real form is at most twice that of the complex system
		opt.Tol *= 2
	}
	if isComplex && opt.Stop == solve.StopCW { // a component of the real form may be zero but for rounding; the row-wise error is at most the componentwise one
		opt.Stop = solve.StopRow
	}
	var given problem = r.problem
	if isComplex {
		given = c.paired
	}
	m := given.(whole).Matrix
	var comparing *solver.Solver
	for k, x := range r.x0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		result, err := solver.Judge(m, x, r.b[k], opt)
		if err == nil && isComplex {
			if err = c.judge(nil, &result, r.b[k], r.opt); result.Reason == krylov.Drift {
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
