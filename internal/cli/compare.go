package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

const compareLong = `Compare two solves: are the bits of x the same, and if not, why?

RUN1 and RUN2 are JSON reports of solve (--json), or two files of x in any format that solve reads. Reports hold checksums
of the matrix, of b and of x; compare says which of them are the same, and which choices differ. For files of x it counts
the elements that differ, and names the first one and the largest difference.

Exit codes: 0 the bits of x are the same; 1 they are not, or failure (input or output, memory); 2 usage; 4 invalid input.`

// newCompare makes the command compare.
func newCompare(s streams) *cobra.Command {
	return &cobra.Command{
		Use: "compare RUN1 RUN2", Short: "Compare two solves: the same bits, or what differs", Long: compareLong,
		Example: "  mpsolve compare monday.json tuesday.json\n  mpsolve compare x1.mtx x2.npy",
		Args:    exactly(2, "two JSON reports of solve, or two files of x"),
		RunE: func(c *cobra.Command, args []string) error {
			var runs [2]*report.Report
			for k, path := range args {
				if path == "-" && args[1-k] == "-" {
					return usage("only one of RUN1 and RUN2 can come from standard input")
				}
				var err error
				if runs[k], err = readReport(path); err != nil {
					return err
				}
			}
			switch {
			case runs[0] != nil && runs[1] != nil:
				return compareReports(s, runs)
			case runs[0] == nil && runs[1] == nil:
				return compareVectors(c.Context(), s, args)
			}
			return usage("%s and %s: want two JSON reports of solve, or two files of x", args[0], args[1])
		},
	}
}

// readReport returns the report in a file; nil: the file is none in JSON.
func readReport(path string) (*report.Report, error) {
	if path == "-" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, &exitError{exitInput, err}
	}
	if !json.Valid(text) {
		return nil, nil
	}
	r := new(report.Report)
	if err := json.Unmarshal(text, r); err != nil || r.Checksums == nil {
		return nil, &exitError{exitInput, fmt.Errorf("%s: no report of solve --json with checksums", path)}
	}
	return r, nil
}

// compareReports compares checksums and choices.
func compareReports(s streams, runs [2]*report.Report) error {
	out := &firstError{w: s.out}
	same := report.Compare(out, runs[0], runs[1])
	return compared(out, same)
}

// compared is the result of a comparison.
func compared(out *firstError, same bool) error {
	switch {
	case out.err != nil:
		return fmt.Errorf("writing: %w", out.err)
	case !same:
		return &exitError{code: exitFailure}
	}
	return nil
}

// compareVectors compares two files of x element by element.
func compareVectors(ctx context.Context, s streams, paths []string) error {
	var x [2][][]float64
	in := input{streams: s}
	for k, path := range paths {
		content, err := in.read(ctx, path)
		if err == nil {
			x[k], err = elements(content)
		}
		if err != nil {
			return inFile(path, err)
		}
	}
	if len(x[0]) != len(x[1]) || len(x[0]) > 0 && len(x[0][0]) != len(x[1][0]) {
		return &exitError{exitInput, fmt.Errorf("%s and %s are of different sizes", paths[0], paths[1])}
	}
	out := &firstError{w: s.out}
	same := true
	for c := range x[0] {
		name := "x"
		if len(x[0]) > 1 {
			name = fmt.Sprintf("x %d", c+1)
		}
		d := differenceOf(x[0][c], x[1][c])
		report.Line(out, name, "%s", d.text(x[0][c], x[1][c]))
		same = same && d.count == 0
	}
	return compared(out, same)
}

// elements returns the columns of a dense content, and imaginary parts as more columns.
func elements(c *matrixmarket.Content) ([][]float64, error) {
	columns, err := c.Columns()
	if err != nil {
		return nil, &exitError{exitInput, err}
	}
	for at := 0; at < len(c.Imag); at += c.Rows {
		columns = append(columns, c.Imag[at:at+c.Rows])
	}
	return columns, nil
}

// difference says where two vectors differ.
type difference struct {
	count, first  int // elements with other bits, and the first of them
	largest, size float64
}

func differenceOf(x, y []float64) (d difference) {
	for i, v := range x {
		if math.Float64bits(v) != math.Float64bits(y[i]) {
			if d.count++; d.count == 1 {
				d.first = i
			}
		}
		d.largest, d.size = max(d.largest, math.Abs(v-y[i])), max(d.size, math.Abs(v))
	}
	return d
}

func (d difference) text(x, y []float64) string {
	if d.count == 0 {
		return fmt.Sprintf("the same: %d elements, every bit", len(x))
	}
	return fmt.Sprintf("different: %d of %d elements, the first is %d: %v and %v; largest difference %.2g, %.2g of the largest element",
		d.count, len(x), d.first+1, x[d.first], y[d.first], d.largest, d.largest/d.size)
}
