package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

func newInfo(s streams) *cobra.Command {
	var maxMemory memorySize
	var reorder reorderFlag
	var spy spyFlags
	var condition bool
	c := &cobra.Command{
		Use: "info FILE", Short: "Describe the file of a matrix",
		Long: "Describe a file (- for standard input) of any format of docs/formats.md. For a real matrix, print\n" +
			"its properties, a histogram of the magnitudes of its entries and, for each set\n" +
			"of storage formats, three accuracies and both criteria, the bytes per nonzero\n" +
			"(indices included) and the percentage of nonzeros dropped.",
		Example: "  mpsolve info matrix.mtx.gz\n  mpsolve info matrix.mtx.gz --spy\n  mpsolve info matrix.mtx.gz --spy --output pattern.svg", Args: exactly(1, "one file"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := cmp.Or(reorder.check(), spy.check(args[0])); err != nil {
				return err
			}
			return runInfo(c.Context(), input{streams: s, maxMemory: int64(maxMemory)}, args[0], reorder, spy, condition)
		},
	}
	reorder.add(c)
	spy.add(c)
	c.Flags().BoolVar(&condition, "condition", false, "bound the eigenvalues of a symmetric matrix, and estimate the condition number of a square one by a few solves, in place of the tables")
	c.Flags().Var(&maxMemory, "max-memory", "memory limit, such as 4GB (default: the memory of the machine)")
	return c
}

func runInfo(ctx context.Context, in input, path string, reorder reorderFlag, spy spyFlags, condition bool) error {
	content, err := in.read(ctx, path)
	if err != nil {
		return err
	}
	out := &firstError{w: in.out}
	report.Line(out, "file", "%s: %s", path, contentText(content))
	if content.Field != matrixmarket.Complex && content.Matrix != nil {
		pool := parallel.New(0)
		defer pool.Close()
		facts := csr.Examine(content.Matrix, pool)
		report.Facts(out, facts)
		m, _, err := reorder.apply(out, content.Matrix, pool)
		if err != nil {
			return err
		}
		if spy.spy {
			return cmp.Or(spy.draw(ctx, out, path, m), out.err)
		}
		if condition {
			return cmp.Or(writeCondition(ctx, out, m, facts, solve.Options{MaxMemory: in.maxMemory}), out.err)
		}
		report.Histogram(out, m.Val)
		if facts.NonFinite == 0 && facts.MaxAbs > 0 {
			if err := predict(ctx, out, m, pool); err != nil {
				return err
			}
		}
	}
	if out.err != nil {
		return fmt.Errorf("writing: %w", out.err)
	}
	return nil
}

// predict writes the bytes per nonzero of the matrix in every set of formats.
func predict(ctx context.Context, w io.Writer, m *csr.Matrix, pool *parallel.Pool) error {
	var columns []string
	var specs []adaptive.Spec
	here, err := model()
	if err != nil {
		return err
	}
	for _, e := range []string{"2^-53", "2^-37", "2^-24"} {
		epsilon, err := adaptive.ParseEpsilon(e)
		if err != nil {
			return err
		}
		for _, c := range adaptive.Criteria {
			columns = append(columns, e+" "+string(c))
			specs = append(specs, adaptive.Spec{Epsilon: epsilon, Criterion: c, Model: here})
		}
	}
	afx, err := adaptive.LookupSet("AFX")
	if err != nil {
		return err
	}
	var rows []report.Prediction
	for _, set := range adaptive.Sets() {
		row := report.Prediction{Set: set.Name}
		for _, s := range specs {
			if err := ctx.Err(); err != nil {
				return err
			}
			s.Set = set
			stats, err := adaptive.Predict(m, s, pool)
			if err != nil {
				return err
			}
			row.Stats = append(row.Stats, stats)
		}
		rows = append(rows, row)
	}
	report.Predictions(w, columns, rows)
	for k, s := range specs {
		s.Set = afx
		_, text, err := adaptive.Choose(m, s, pool)
		if err != nil {
			return err
		}
		report.Line(w, "layout", "AFX %s: %s", columns[k], text)
	}
	return nil
}
