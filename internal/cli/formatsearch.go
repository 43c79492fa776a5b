package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/formats"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// formatFlags are the flags of `mpsolve formats`.
type formatFlags struct {
	stochasticFlags
	want      float64
	slower    float64
	maxSolves int
	list      []string
}

const formatsLong = `Search the cheapest storage formats of a solve that meet a criterion.

An ordinary solve chooses method and preconditioner. The search then stores parts of the solve in narrower formats, as
PROMISE does with the variables of a program. The parts are the entries of the method's matrix by classes of magnitude,
the preconditioner, the vectors of the method and the residuals of refinement. Delta debugging finds the parts that can
have the second format of --list together, then those that can have the third, and so on. Arithmetic is in FP64
throughout. A trial passes if

  - its row-wise backward error, recomputed from A, x and b, is at most --tol,
  - its x agrees with a reference solution in --want digits, and
  - it takes at most --slower times the iterations of FP64.

The table has for each trial the bytes that its parts are stored in, and the bytes that it moves: the matrix of the
residuals once in a refinement step, everything else once in an iteration. The last lines name the narrowest formats, the
trial that moves the fewest bytes, and the command of solve that is nearest to that trial.

Exit codes: 0 found; 3 FP64 itself does not meet the criterion; others as of solve.`

func newFormats(s streams) *cobra.Command {
	var f formatFlags
	c := &cobra.Command{
		Use: "formats FILE", Short: "Search the cheapest storage formats of a solve (PROMISE)", Long: formatsLong,
		Example: "  mpsolve formats matrix.mtx\n" +
			"  mpsolve formats matrix.mtx --want 6 --slower 2\n" +
			"  mpsolve formats matrix.mtx --method cg --precond jacobi --list FP64,FP48,FP32,FP24,BF16 --max-solves 200 --json",
		Args: exactly(1, "one matrix file"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(c, args[0]); err != nil {
				return err
			}
			if err := f.checkMethod(); err != nil {
				return err
			}
			return f.run(c.Context(), s, args[0])
		},
	}
	f.defaults()
	f.scale, f.stop, f.refine = string(solve.ScaleAuto), string(solve.StopRow), true
	f.reorder.add(&cobra.Command{})
	fl := c.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.rhs, "rhs", "ones", "right-hand side `b`: a file, ones (b = A·ones) or random:SEED (b = A·x, x uniform in [-1,1))")
	fl.Float64Var(&f.opt.Tol, "tol", krylov.DefaultTol, "tolerance for the row-wise backward error")
	fl.Float64Var(&f.want, "want", 0, "digits of x that must agree with a reference solve for 15 digits; 0: do not compare")
	fl.Float64Var(&f.slower, "slower", lab.DefaultSlower, "largest number of iterations, as a multiple of the number with FP64")
	fl.StringSliceVar(&f.list, "list", formatNames(lab.DefaultFormats()), "formats from wide to narrow, FP64 first")
	fl.IntVar(&f.maxSolves, "max-solves", lab.DefaultMaxSolves, "limit on the number of solves")
	fl.StringVar(&f.method, "method", "auto", methodHelp())
	f.precond.add(c)
	fl.IntVar(&f.opt.Restart, "restart", 0, "restart length of gmres; 0: 40")
	fl.IntVar(&f.opt.MaxIter, "max-iter", 0, "limit on the iterations of the solve with FP64; 0: max(20000, 2n)")
	fl.Var(&f.maxMemory, "max-memory", "memory limit, such as 4GB (default: the memory of the machine)")
	fl.IntVar(&f.opt.Threads, "threads", 0, "number of threads (default: all processors)")
	fl.BoolVar(&f.json, "json", false, "print a JSON object instead of text (docs/formats.schema.json)")
	completeWords(c, "method", rules.Methods)
	return c
}

func formatNames(list []formats.Format) (names []string) {
	for _, f := range list {
		names = append(names, f.Name)
	}
	return names
}

// search turns the flags into options of a search.
func (f *formatFlags) search() (opt lab.SearchOptions, err error) {
	if f.maxSolves < 1 {
		return opt, usage("--max-solves %d: want a positive number", f.maxSolves)
	}
	if !(f.slower >= 1) {
		return opt, usage("--slower %g: want a number of 1 or more", f.slower)
	}
	if !(f.want >= 0 && f.want <= solve.MaxDigits) {
		return opt, usage("--want %g: want a number of digits up to %d", f.want, solve.MaxDigits)
	}
	opt = lab.SearchOptions{Tol: f.opt.Tol, Digits: f.want, Slower: f.slower, MaxSolves: f.maxSolves, Threads: f.opt.Threads}
	for _, name := range f.list {
		format, err := formats.Lookup(name)
		if err != nil {
			return opt, usage("--list: %v", err)
		}
		opt.Formats = append(opt.Formats, format)
	}
	if err := opt.Validate(); err != nil {
		return opt, usage("%v", err)
	}
	return opt, nil
}

// run solves once, then searches formats, and prints the table.
func (f *formatFlags) run(ctx context.Context, s streams, path string) error {
	opt, err := f.search()
	if err != nil {
		return err
	}
	in := input{streams: s, threads: f.opt.Threads, maxMemory: int64(f.maxMemory)}
	m, err := in.matrix(ctx, path)
	if err != nil {
		return err
	}
	b, text, err := f.oneRHS(ctx, in, m)
	if err != nil {
		return err
	}
	out, status := &firstError{w: s.out}, newStatusLine(s.err)
	defer status.done()
	status.show(func(int) string { return "solving" })
	plain, facts, err := f.reference(ctx, m, b)
	if err != nil {
		return err
	}
	opt.Method, opt.Precond, opt.MaxIter = plain.Method, plain.Precond.Kind, f.opt.MaxIter
	if _, known := krylov.KindOf(opt.Method); !known { // the solve of a special kind of matrix
		opt.Method, opt.Precond = string(solve.GMRES), precond.ILU0
	}
	if opt.Precond == "" {
		opt.Precond = precond.None
	}
	opt.MethodOptions.GMRES.Restart = f.opt.Restart
	opt.PrecondOptions = precond.Options{
		BlockSize: f.opt.Precond.BlockSize, Limits: precond.Limits{MaxBytes: f.opt.MaxMemory},
		Incomplete: precond.Incomplete{DropTol: f.opt.Precond.DropTol, Fill: f.opt.Precond.Fill},
	}
	if f.want > 0 {
		opt.Reference = plain.X
	}
	trials := 0
	opt.Progress = func(t lab.Trial) {
		trials++
		count := trials
		status.show(func(int) string {
			return fmt.Sprintf("solve %d of at most %d: %s, %s", count, opt.MaxSolves, strings.Join(t.Formats, " "), english.Plural(t.Iterations, "iteration", ""))
		})
	}
	found, err := lab.Search(ctx, m, b, opt)
	if err != nil {
		return err
	}
	r := report.FormatSearch{
		Version: Version, File: path, RHS: text, Method: opt.Method, Precond: string(opt.Precond),
		Tol: opt.Tol, Digits: opt.Digits, Slower: opt.Slower,
	}
	r.Fill(found)
	if found.Best >= 0 {
		r.Command, r.Remark = found.Command(path, opt)
	}
	if f.json {
		err = report.WriteJSON(out, r)
	} else {
		report.Facts(out, facts)
		report.Line(out, "rhs", "%s", text)
		report.Line(out, "solve", "%s, precond %s", opt.Method, opt.Precond)
		r.WriteText(out)
	}
	if err = cmp.Or(out.err, err); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	if found.Best < 0 {
		return &exitError{code: exitNotConverged}
	}
	return nil
}

// reference solves for the digits that trials are compared in, or, without --want, only to choose the method.
func (f *formatFlags) reference(ctx context.Context, m *csr.Matrix, b []float64) (solve.Result, csr.Facts, error) {
	opt := f.opt
	if f.want == 0 {
		opt.Digits = solve.NoDigits
		return solveOnce(ctx, m, b, opt)
	}
	opt.Digits = solve.MaxDigits
	r, facts, err := solveOnce(ctx, m, b, opt)
	if err == nil && float64(r.Digits.Believed) < f.want+1 {
		err = &exitError{exitNotConverged, fmt.Errorf("--want %g: solve believes no more than %d digits of its own x", f.want, r.Digits.Believed)}
	}
	return r, facts, err
}

// oneRHS reads or makes the only right-hand side.
func (f *solveFlags) oneRHS(ctx context.Context, in input, m *csr.Matrix) (b []float64, text string, err error) {
	all, _, err := f.readVectors(ctx, in, m.Rows, m.Cols)
	switch {
	case err != nil:
		return nil, "", err
	case len(all) > 1:
		return nil, "", usage("--rhs %s: want one right-hand side, got %d", f.rhs, len(all))
	case len(all) == 1:
		return all[0], f.rhs, nil
	}
	return f.wholeRHS(m)
}
