package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

func newInfo(s streams) *cobra.Command {
	return &cobra.Command{
		Use: "info FILE", Short: "Say what a Matrix Market file holds",
		Example: "  mpsolve info matrix.mtx.gz", Args: exactly(1, "one file"),
		RunE: func(c *cobra.Command, args []string) error {
			content, err := readContent(c.Context(), s, args[0], 0)
			if err != nil {
				return err
			}
			fmt.Fprintf(s.out, "%s: %v %v %v %v, %d x %d, %d entries stored\n", args[0], content.Object,
				content.Format, content.Field, content.Symmetry, content.Rows, content.Cols, content.Stored)
			if content.Field == matrixmarket.Complex || content.Matrix == nil {
				return nil
			}
			printFacts(s.out, csr.Examine(content.Matrix))
			return nil
		},
	}
}

func printFacts(w io.Writer, f csr.Facts) {
	fmt.Fprintf(w, "matrix     %d x %d, %d nonzeros, %.1f a row, at most %d\n", f.Rows, f.Cols, f.NNZ,
		float64(f.NNZ)/float64(max(f.Rows, 1)), f.LongestRow)
	if f.Rows == f.Cols {
		fmt.Fprintf(w, "symmetric  %v (asymmetry %.1e, tolerance %.0e)\n", f.Symmetric, f.Asymmetry, csr.SymmetryTol)
		fmt.Fprintf(w, "diagonal   %d positive, %d negative, %d zero\n", f.DiagonalPositive, f.DiagonalNegative, f.DiagonalZero)
	}
	fmt.Fprintf(w, "values     |a| from %.3g to %.3g, %.1f decades\n", f.MinAbs, f.MaxAbs, f.Spread())
	fmt.Fprintf(w, "memory     %.1f MB as FP64 CSR\n", float64(csr.Bytes(int64(f.Rows), int64(f.NNZ)))/1e6)
}
