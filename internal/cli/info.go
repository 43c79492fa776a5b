package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/csr"
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
the first iteration. The last table is the memory that solve needs with each method that suits the matrix.

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
		err = i.WriteJSON(out)
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
		i.Complex = &report.Complex{Rows: c.Rows / 2, Form: c.form.Name}
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
		s, err := predict(ctx, m, pool)
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
