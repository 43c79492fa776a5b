package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// solveFlags are the flags of `mpsolve solve`.
type solveFlags struct {
	method, scale, stop, rhs, output string
	refine, quiet                    bool
	maxTime                          time.Duration
	opt                              solve.Options
}

func newSolve(s streams) *cobra.Command {
	var f solveFlags
	c := &cobra.Command{
		Use: "solve FILE", Short: "Solve A x = b and verify the answer",
		Example: "  mpsolve solve matrix.mtx\n  mpsolve solve matrix.mtx.gz --rhs b.mtx --output x.mtx --tol 1e-12",
		Args:    exactly(1, "one matrix file"),
		RunE:    func(c *cobra.Command, args []string) error { return f.run(c, s, args[0]) },
	}
	fl := c.Flags()
	fl.StringVar(&f.method, "method", "auto", "auto, cg, bicgstab or gmres")
	fl.StringVar(&f.scale, "scale", "auto", "auto, none, row, sym or both")
	fl.StringVar(&f.stop, "stop", "row", "error that --tol bounds: row, nw or cw (backward errors), rel (||r||/||b||)")
	fl.StringVar(&f.rhs, "rhs", "ones", "`b`: a file, ones (b = A·ones) or random:SEED (b = A·x, x uniform in [-1,1))")
	fl.StringVarP(&f.output, "output", "o", "", "`file` for x (.mtx or .mtx.gz)")
	fl.BoolVar(&f.refine, "refine", true, "iterative refinement around the method")
	fl.Float64Var(&f.opt.Tol, "tol", krylov.DefaultTol, "tolerance")
	fl.Float64Var(&f.opt.InnerTol, "inner-tol", 0, "reduction asked of one refinement step; 0: all that --tol needs")
	fl.IntVar(&f.opt.MaxIter, "max-iter", 0, "iterations in all; 0: max(20000, 2n)")
	fl.IntVar(&f.opt.Restart, "restart", 0, "restart length of gmres; 0: 40, growing when slow")
	fl.IntVar(&f.opt.Threads, "threads", 0, "threads (default: all processors)")
	fl.DurationVar(&f.maxTime, "max-time", 0, "time limit of the solve, such as 90s; 0: none")
	fl.BoolVar(&f.quiet, "quiet", false, "print the verdict only")
	return c
}

func (f *solveFlags) check(c *cobra.Command) error {
	if c.Flags().Changed("threads") && f.opt.Threads < 1 {
		return usage("--threads %d: want at least 1", f.opt.Threads)
	}
	if f.opt.Tol <= 0 {
		return usage("--tol %g: want a positive number below 1", f.opt.Tol)
	}
	f.opt.Method, f.opt.Scale, f.opt.Stop = solve.Method(f.method), solve.Scale(f.scale), solve.Stop(f.stop)
	f.opt.NoRefine = !f.refine
	for _, err := range []error{
		oneOf("method", f.method, solve.Methods), oneOf("scale", f.scale, solve.Scales),
		oneOf("stop", f.stop, solve.Stops), checkOutput(f.output),
	} {
		if err != nil {
			return err
		}
	}
	if err := f.opt.Validate(); err != nil {
		return usage("%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return nil
}

func (f *solveFlags) run(c *cobra.Command, s streams, path string) error {
	if err := f.check(c); err != nil {
		return err
	}
	say := func(format string, args ...any) {
		if !f.quiet {
			fmt.Fprintf(s.out, format+"\n", args...)
		}
	}
	start := time.Now()
	content, err := readContent(c.Context(), s, path, f.opt.Threads)
	if err != nil {
		return err
	}
	m, err := content.CSR()
	if err != nil {
		return &exitError{exitInput, fmt.Errorf("%s: %w", path, err)}
	}
	readTime := time.Since(start)
	f.opt.Log = func(line string) { say("%s", line) }
	if !f.quiet {
		printFacts(s.out, csr.Examine(m))
	}
	solver, err := solve.New(m, f.opt)
	if err != nil {
		return err
	}
	defer solver.Close()
	columns, err := f.rightHandSides(c.Context(), s, m, say)
	if err != nil {
		return err
	}
	ctx, cancel := c.Context(), context.CancelFunc(func() {})
	if f.maxTime > 0 {
		ctx, cancel = context.WithTimeout(ctx, f.maxTime)
	}
	defer cancel()
	converged := true
	var solutions []float64
	for k, b := range columns {
		r, err := solver.Solve(ctx, b, nil)
		if err != nil {
			return err
		}
		if len(columns) > 1 {
			say("right-hand side %d of %d", k+1, len(columns))
		}
		printResult(s.out, r)
		say("time       read %.3f s, set-up %.3f s, solve %.3f s (SpMV %.3f, orthogonalisation %.3f, verification %.3f)",
			readTime.Seconds(), solver.Setup.Seconds(), r.Time.Total.Seconds(), r.Time.SpMV.Seconds(),
			r.Time.Orthogonalization.Seconds(), r.Time.Verify.Seconds())
		converged = converged && r.Reason.Converged()
		solutions = append(solutions, r.X...)
	}
	if f.output == "" {
		say("x          not written (no --output)")
	} else if err := writeFile(f.output, func(w io.Writer) error {
		return matrixmarket.WriteDense(w, m.Rows, len(columns), solutions, matrixmarket.WriteOptions{})
	}); err != nil {
		return err
	}
	if !converged {
		return &exitError{code: exitNotConverged}
	}
	return nil
}

func printResult(w io.Writer, r solve.Result) {
	verdict := r.Reason.String()
	if !r.Reason.Converged() {
		verdict = "NOT converged: " + verdict + "; " + r.Reason.Advice()
	}
	fmt.Fprintf(w, "result     %s\n", verdict)
	fmt.Fprintf(w, "errors     row-wise %.2e, normwise %.2e, componentwise %.2e, ||r||/||b|| %.2e\n",
		r.Errors.Row, r.Errors.Normwise, r.Errors.Componentwise, r.Errors.RelativeResidual)
	fmt.Fprintf(w, "work       %s: %d iterations in %d refinement steps, %d SpMVs\n", r.Method, r.Iterations, r.Outer, r.SpMVs)
}

// noiseOnly is the size of b_i / T_i under which b = A·ones is rounding noise.
const noiseOnly = 1e-12

func (f *solveFlags) rightHandSides(ctx context.Context, s streams, m *csr.Matrix, say func(string, ...any)) ([][]float64, error) {
	x, b := make([]float64, m.Rows), make([]float64, m.Rows)
	if f.rhs == "ones" {
		for i := range x {
			x[i] = 1
		}
		m.MulVec(b, x)
		largest := 0.0
		for i, t := range m.RowSums() {
			largest = max(largest, math.Abs(b[i])/t)
		}
		if largest > noiseOnly {
			say("rhs        b = A·ones")
			return [][]float64{b}, nil
		}
		say("rhs        A·ones is zero but for rounding: taking random:1 instead")
		return randomRHS(m, x, b, 1), nil
	}
	if seed, ok := strings.CutPrefix(f.rhs, "random:"); ok {
		n, err := strconv.ParseUint(seed, 10, 64)
		if err != nil {
			return nil, usage("--rhs %s: the seed is not a whole number", f.rhs)
		}
		say("rhs        b = A·x, x random (seed %d)", n)
		return randomRHS(m, x, b, n), nil
	}
	content, err := readContent(ctx, s, f.rhs, f.opt.Threads)
	if err != nil {
		return nil, err
	}
	columns, err := content.Columns()
	if err != nil && !errors.Is(err, matrixmarket.ErrTooLarge) {
		err = &exitError{exitInput, fmt.Errorf("%s: %w", f.rhs, err)}
	}
	say("rhs        %d from %s", len(columns), f.rhs)
	return columns, err
}

func randomRHS(m *csr.Matrix, x, b []float64, seed uint64) [][]float64 {
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range x {
		x[i] = 2*rng.Float64() - 1
	}
	m.MulVec(b, x)
	return [][]float64{b}
}
