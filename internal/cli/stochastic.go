package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// stochasticFlags are the flags of `mpsolve digits`.
type stochasticFlags struct {
	solveFlags
	seed uint64
}

const stochasticLong = `Solve A x = b in discrete stochastic arithmetic (CESTAC) and count digits.

First an ordinary solve chooses method and preconditioner, judges x and says how many of its digits can be believed.
Then three solves run in step, with the same method and preconditioner, in FP64 and to the same row-wise error. As in
CADNA, each result of an operation is rounded up or down at random. The digits that the three x have in common, by
Student's test at 95 %, are the digits that roundings leave of an element. An element without any such digit is a
computational zero, @.0. Decisions are made by the mean of the three.

CESTAC shows how far roundings spread. It does not show how far x is from convergence, since that error is the same in
all three x. So believe the digits of the ordinary solve. The last line of the output says why the two counts differ;
docs/stochastic.md compares both with the number of correct digits.

The command takes some 20 to 100 times as long as an ordinary solve. --output writes two columns: x, which is the mean,
and its digits. Exit codes are those of solve.`

func newDigits(s streams) *cobra.Command {
	var f stochasticFlags
	c := &cobra.Command{
		Use: "digits FILE", Short: "Count the digits of x that roundings leave (CESTAC)", Long: stochasticLong,
		Example: "  mpsolve digits matrix.mtx\n" +
			"  mpsolve digits matrix.mtx --method cg --precond jacobi --refine=false --seed 2\n" +
			"  mpsolve digits matrix.mtx --tol 1e-14 --output digits.mtx --json",
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
	fl := c.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.rhs, "rhs", "ones", "right-hand side `b`: a file, ones (b = A·ones) or random:SEED (b = A·x, x uniform in [-1,1))")
	fl.Uint64Var(&f.seed, "seed", 1, "seed of the random roundings")
	fl.Float64Var(&f.opt.Tol, "tol", krylov.DefaultTol, "tolerance for the error that --stop names")
	fl.StringVar(&f.stop, "stop", "row", "stopping criterion: row, nw, cw or rel, as of solve")
	fl.StringVar(&f.method, "method", "auto", methodHelp())
	f.precond.add(c)
	f.reorder.add(c)
	fl.StringVar(&f.scale, "scale", "auto", "scaling by powers of two: auto, none, row, sym or both")
	fl.BoolVar(&f.refine, "refine", true, "use iterative refinement")
	fl.IntVar(&f.opt.Restart, "restart", 0, "restart length of gmres; 0: 40, and longer when convergence is slow")
	fl.IntVar(&f.opt.MaxIter, "max-iter", 0, "limit on the total number of iterations; 0: max(20000, 2n)")
	fl.Var(&f.maxMemory, "max-memory", "memory limit, such as 4GB (default: the memory of the machine)")
	fl.IntVar(&f.opt.Threads, "threads", 0, "number of threads (default: all processors)")
	fl.StringVarP(&f.output, "output", "o", "", "write x and its digits to this `file` (.mtx or .mtx.gz)")
	fl.BoolVar(&f.json, "json", false, "print a JSON object instead of text (docs/digits.schema.json)")
	completeWords(c, "method", rules.Methods)
	completeWords(c, "scale", rules.Scales)
	completeWords(c, "stop", rules.Stops)
	return c
}

// defaults sets the flags of solve that the command does not have to their defaults.
func (f *stochasticFlags) defaults() {
	none := &cobra.Command{}
	f.orthogonalization, f.basis, f.memory = "mgs", plainBasis, "fast"
	f.opt.IDR = krylov.DefaultIDR
	f.nullSpace.add(none)
	f.storage.add(none)
	f.device.add(none)
	f.digits.add(none)
	f.vectors.add(none)
}

// checkMethod returns an error for a method that multiplies with the transpose, which only solve supports.
func (f *stochasticFlags) checkMethod() error {
	if kind, ok := krylov.KindOf(f.method); ok && kind.Transpose {
		return usage("--method %s: want a method without products with the transpose", f.method)
	}
	return nil
}

// system reads the matrix and its near-null space, and reads or makes one right-hand side.
func (f *stochasticFlags) system(ctx context.Context, s streams, path string) (m *csr.Matrix, b []float64, text string, err error) {
	in := input{streams: s, threads: f.opt.Threads, maxMemory: int64(f.maxMemory)}
	if m, err = in.matrix(ctx, path); err != nil {
		return nil, nil, "", err
	}
	if m.Rows != m.Cols {
		return nil, nil, "", &solve.InputError{Msg: fmt.Sprintf("%s: the matrix is %d x %d; digits are counted for square ones", path, m.Rows, m.Cols)}
	}
	if err := f.precond.readNearNull(ctx, in, m, &f.opt); err != nil {
		return nil, nil, "", err
	}
	b, text, err = f.oneRHS(ctx, in, m)
	return m, b, text, err
}

// run solves in both ways and compares the digits.
func (f *stochasticFlags) run(ctx context.Context, s streams, path string) error {
	m, b, text, err := f.system(ctx, s, path)
	if err != nil {
		return err
	}
	d := report.StochasticDigits{Version: Version, File: path, RHS: text}
	status := newStatusLine(s.err)
	defer status.done()
	status.show(func(int) string { return "solving" })
	plain, facts, err := solveOnce(ctx, m, b, f.opt)
	if err != nil {
		return err
	}
	out := &firstError{w: s.out}
	if !f.json {
		report.Facts(out, facts)
		report.Line(out, "rhs", "%s", d.RHS)
	}
	opt := f.opt
	opt.Tol = min(opt.Tol, max(finestTol, 2*plain.Errors.Row))
	if slices.Contains(rules.Methods, solve.Method(plain.Method)) {
		opt.Method, opt.Precond.Kind = solve.Method(plain.Method), plain.Precond.Kind
		if opt.Precond.Kind == "" {
			opt.Precond.Kind = precond.None
		}
	}
	opt.Monitor = func(e krylov.Event) {
		status.show(func(int) string { return fmt.Sprintf("three solves, iteration %d, %.1e", e.Iteration, e.Estimate) })
	}
	three, err := lab.SolveStochastic(ctx, m, b, nil, opt, f.seed)
	if err != nil {
		return err
	}
	d.Compare(facts, plain, three)
	if f.output != "" {
		if err := f.writeDigits(ctx, three); err != nil {
			return err
		}
	}
	if f.json {
		err = report.WriteJSON(out, d)
	} else {
		d.WriteText(out)
	}
	if err = cmp.Or(out.err, err); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	if !d.Converged {
		reason := plain.Reason
		if reason.Converged() {
			reason = three.Reason
		}
		return &exitError{code: exitOf(reason)}
	}
	return nil
}

// finestTol is the least tolerance for the mean of three samples. Its row-wise error cannot be smaller in general, since each
// element of the mean is rounded up or down.
const finestTol = 0x1p-50

// solveOnce makes a solver, solves one system and closes the solver.
func solveOnce(ctx context.Context, m *csr.Matrix, b []float64, opt solve.Options) (r solve.Result, f csr.Facts, err error) {
	s, err := solver.New(ctx, m, opt)
	if err != nil {
		return r, f, err
	}
	defer s.Close()
	r, err = s.Solve(ctx, b, nil)
	return r, s.Facts, err
}

// writeDigits writes the mean of the samples and its digits, two columns.
func (f *stochasticFlags) writeDigits(ctx context.Context, three lab.StochasticSolution) error {
	columns := make([]float64, 0, 2*len(three.Samples))
	for _, x := range three.Samples {
		columns = append(columns, lab.MeanOfTriple(x))
	}
	columns = append(columns, three.Significant()...)
	return writeFile(ctx, f.output, func(w io.Writer) error {
		return matrixmarket.WriteDense(w, len(three.Samples), 2, columns, nil, matrixmarket.WriteOptions{})
	})
}
