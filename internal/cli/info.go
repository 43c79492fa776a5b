package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// infoFlags are the flags of `mpsolve info`.
type infoFlags struct {
	maxMemory             memorySize
	reorder               reorderFlag
	spy                   spyFlags
	condition, sets, json bool
}

const infoLong = `Describe a file (- for standard input) of any format of docs/formats.md: the properties of its matrix, a histogram of
the magnitudes of the entries, and what solve does with it by default. For that, info sets up the solve and stops before
the first iteration. It orders the matrix for complete factors (up to ten million nonzeros) and forecasts what they take: entries, bytes
and, where that is more than a few hundredths of a second, the seconds on this machine, by samples of the work. The last table is the memory
that solve needs with each method that suits the matrix.

--sets adds a table of the papers' sets of storage formats, for three accuracies and both criteria: the bytes per
nonzero, indices included, and the percentage of nonzeros that are dropped. With --spy or --condition, info sets up
nothing and shows only the properties and what these flags ask for, which is faster (--json has everything).`

func newInfo(s streams) *cobra.Command {
	var f infoFlags
	c := &cobra.Command{
		Use: "info FILE", Short: "Describe a matrix and how solve solves with it", Long: infoLong,
		Example: "  mpsolve info matrix.mtx.gz\n  mpsolve info matrix.mtx.gz --json\n  mpsolve info matrix.mtx.gz --spy --condition\n" +
			"  mpsolve info matrix.mtx.gz --spy --output pattern.svg\n  mpsolve info matrix.mtx.gz --sets",
		Args: exactly(1, "one file"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := cmp.Or(f.reorder.check(), f.spy.check(args[0])); err != nil {
				return err
			}
			if f.json && f.spy.spy && f.spy.output == "" {
				return usage("--json --spy: both want standard output; --output p.svg draws into a file")
			}
			return f.run(c.Context(), s, args[0])
		},
	}
	f.spy.add(c)
	c.Flags().BoolVar(&f.condition, "condition", false, "bound the eigenvalues of a symmetric matrix by Gershgorin's discs and Lanczos' process, and estimate the condition number of a square matrix by a few solves")
	c.Flags().BoolVar(&f.sets, "sets", false, "show the size of the matrix in each of the papers' sets of storage formats")
	f.reorder.add(c)
	c.Flags().BoolVar(&f.json, "json", false, "print a JSON object instead of text (docs/info.schema.json)")
	c.Flags().Var(&f.maxMemory, "max-memory", "memory limit, such as 4GB (default: the memory of the machine)")
	return c
}

func (f *infoFlags) run(ctx context.Context, s streams, path string) error {
	content, err := input{streams: s, maxMemory: int64(f.maxMemory)}.read(ctx, path)
	if err != nil {
		return err
	}
	if f.spy.output != "" && (content.Matrix == nil || content.Rows == 0 || content.Cols == 0) {
		return &exitError{exitInput, fmt.Errorf("%s: an array or a matrix without elements has no pattern to draw into %s", path, f.spy.output)}
	}
	i := &report.Info{SchemaVersion: report.InfoVersion, Version: Version, File: path, Content: contentText(content)}
	out := &firstError{w: s.out}
	text := io.Writer(out)
	if f.json {
		text = io.Discard
	}
	report.Line(text, "file", "%s: %s", path, i.Content)
	if content.Matrix != nil {
		r, err := f.solveRun(s, path)
		if err != nil {
			return err
		}
		m, err := r.takeReal(content)
		if err != nil {
			i.Refused = oneLine(err)
			i.WriteChoice(text)
		} else if err := f.describe(ctx, text, i, r, m); err != nil {
			return err
		}
	}
	if f.json {
		err = report.WriteJSON(out, i)
	}
	if err = cmp.Or(err, out.err); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	return nil
}

// describe describes the matrix of a run of solve that has read it.
func (f *infoFlags) describe(ctx context.Context, out io.Writer, i *report.Info, r *solveRun, m *csr.Matrix) error {
	pool := parallel.New(0)
	defer pool.Close()
	facts := csr.Examine(m, pool)
	i.SetMatrix(facts)
	if c, yes := r.problem.(complexProblem); yes {
		i.Complex = &report.Complex{Rows: c.equations(), Form: c.form.Name}
		report.Line(out, "complex", "the rest describes its real form, %s, of twice the size", c.form.Name)
	}
	report.Facts(out, facts)
	shown := f.spy.spy || f.condition || f.sets
	if !shown {
		report.Histogram(out, m.Val)
	}
	if !shown || f.sets || f.json {
		if err := r.choose(ctx, i); err != nil {
			return err
		}
		i.WriteChoice(out)
	}
	if i.Choice != nil && (!shown || f.json) {
		var err error
		if i.Complete, err = r.forecastComplete(ctx, m, facts, pool); err != nil {
			return err
		}
		i.Complete.Write(out)
	}
	if !shown {
		i.WriteMemory(out)
		return nil
	}
	m, _, err := f.reorder.apply(out, m, pool)
	if err != nil {
		return err
	}
	if f.spy.spy {
		if err := f.spy.draw(ctx, out, i.File, m); err != nil {
			return err
		}
	}
	if f.condition {
		if i.Condition, err = condition(ctx, m, facts, solve.Options{Limits: solve.Limits{MaxMemory: r.opt.MaxMemory, Held: programBytes}}, pool); err != nil {
			return err
		}
		fmt.Fprintln(out)
		i.Condition.Write(out)
	}
	if f.sets && facts.NonFinite == 0 && facts.MaxAbs > 0 {
		s, err := predict(ctx, m, letsMeasure(f.maxMemory), pool)
		if err != nil {
			return err
		}
		i.SetSets(s.specs, s.rows)
		fmt.Fprintln(out)
		report.Predictions(out, s.columns, s.rows)
		s.writeLayouts(out)
	}
	return nil
}

// condition bounds the eigenvalues of a symmetric matrix and estimates the condition number of a square one.
func condition(ctx context.Context, m *csr.Matrix, f csr.Facts, opt solve.Options, pool *parallel.Pool) (*report.Condition, error) {
	c := new(report.Condition)
	if f.Symmetric && f.NonFinite == 0 {
		low, high := features.Gershgorin(m)
		c.Gershgorin = &report.Bounds{Low: report.Number(low), High: report.Number(high)}
		if low, high, steps, err := features.Ritz(ctx, m, pool); err == nil && steps > 0 {
			c.Ritz, c.Steps = &report.Bounds{Low: report.Number(low), High: report.Number(high)}, steps
		}
	}
	if f.Rows != f.Cols {
		c.Unknown, c.Estimate = "not estimated: the matrix is not square", report.Number(math.NaN())
		return c, nil
	}
	estimate, err := solver.Condition(ctx, m, opt)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		c.Unknown, estimate = "not known: "+oneLine(err), math.NaN()
	}
	c.Estimate = report.Number(estimate)
	return c, nil
}

// solveRun returns a run of `mpsolve solve` with the flags that info shares with solve, and defaults for the others. The run
// prints nothing and has no right-hand side.
func (f *infoFlags) solveRun(s streams, path string) (*solveRun, error) {
	flags := new(solveFlags)
	c := solveCommand(s, flags)
	flags.reorder, flags.maxMemory = f.reorder, f.maxMemory
	if err := flags.check(c, path); err != nil {
		return nil, err
	}
	flags.quiet, flags.rhs = true, "memory"
	return &solveRun{solveFlags: flags, streams: s, path: path, start: time.Now()}, nil
}

// takeReal makes the matrix of a file, or its real form if it is complex, the problem of the run.
func (r *solveRun) takeReal(content *matrixmarket.Content) (*csr.Matrix, error) {
	if content.Field != matrixmarket.Complex {
		r.problem = whole{content.Matrix}
		return content.Matrix, nil
	}
	var form *matrixio.Form
	m, err := r.realForm(&form)(content.Matrix, content.Imag)
	r.problem = complexProblem{whole{m}, form}
	return m, err
}

// cutWhole cuts a matrix into the domains in which solve would read it.
func (r *solveRun) cutWhole() error {
	c, complex := r.problem.(complexProblem)
	given, node := r.problem, 1
	if complex {
		given, node = c.paired, 2
	}
	p, isWhole := given.(whole)
	if !isWhole || p.Rows != p.Cols {
		return nil
	}
	domains := r.cut()
	if domains == 0 {
		domains = dist.DefaultDomains(int64(p.Rows))
	}
	if domains == 1 {
		return nil
	}
	d, err := dist.CutNodes(p.Matrix, node, domains)
	if err != nil {
		return err
	}
	cut, err := dist.Adopt(r.job.comm, d, dist.RowRange(p.Matrix, 0, p.Rows))
	if err != nil {
		return err
	}
	cut.Node = node
	if r.problem = (spread{cut, r.job}); complex {
		r.problem = complexProblem{spread{cut, r.job}, c.form}
	}
	return nil
}

// choose has the run prepare the solve, and takes over what it chose. A matrix that solve refuses is not an error.
func (r *solveRun) choose(ctx context.Context, i *report.Info) error {
	err := r.cutWhole()
	if err == nil {
		limitGarbage(r.memory, r.problem.bytes())
		r.live = newLive(r.err, r.stop, r.opt.Tol, false)
		defer r.live.done()
		r.report.Domains = r.problem.domains()
		r.observe()
		err = r.prepare(ctx)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		i.Refused = oneLine(err)
		return nil
	}
	defer r.solver.Close()
	i.SetChoice(r.report, r.solver, programBytes, r.opt.MaxMemory)
	i.Command = "mpsolve solve " + shellWord(r.path)
	if rules.AsksForOrder(solve.Reorder(r.reorder)) {
		i.Command += " --reorder " + string(r.reorder)
	}
	if r.maxMemory != 0 {
		i.Command += fmt.Sprintf(" --max-memory %dB", int64(r.maxMemory))
	}
	return nil
}
