package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

func newInfo(s streams) *cobra.Command {
	var maxMemory memorySize
	c := &cobra.Command{
		Use: "info FILE", Short: "Say what a Matrix Market file holds",
		Long: "Say what a Matrix Market file (or - for standard input) holds; for a real\n" +
			"matrix also its facts and a histogram of its magnitudes.",
		Example: "  mpsolve info matrix.mtx.gz", Args: exactly(1, "one file"),
		RunE: func(c *cobra.Command, args []string) error {
			return runInfo(c.Context(), input{streams: s, maxMemory: int64(maxMemory)}, args[0])
		},
	}
	c.Flags().Var(&maxMemory, "max-memory", "memory limit, such as 4GB; default: what the machine has")
	return c
}

func runInfo(ctx context.Context, in input, path string) error {
	content, err := in.read(ctx, path)
	if err != nil {
		return err
	}
	out := &firstError{w: in.out}
	report.Line(out, "file", "%s: %v %v %v %v, %d x %d, %d entries stored", path, content.Object,
		content.Format, content.Field, content.Symmetry, content.Rows, content.Cols, content.Stored)
	if content.Field != matrixmarket.Complex && content.Matrix != nil {
		report.Facts(out, csr.Examine(content.Matrix))
		report.Histogram(out, content.Matrix.Val)
	}
	if out.err != nil {
		return fmt.Errorf("writing: %w", out.err)
	}
	return nil
}
