package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

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
			if args[0] == "-" && args[1] == "-" {
				return usage("only one of RUN1 and RUN2 can come from standard input")
			}
			var runs [2]comparedRun
			for k, path := range args {
				var err error
				if runs[k], err = readRun(c.Context(), input{streams: s}, path); err != nil {
					return err
				}
			}
			switch {
			case runs[0].report != nil && runs[1].report != nil:
				return compareReports(s, runs)
			case runs[0].report == nil && runs[1].report == nil:
				return compareVectors(s, args, runs)
			}
			return usage("%s and %s: want two JSON reports of solve, or two files of x", args[0], args[1])
		},
	}
}

// comparedRun is what compare reads of a run: a report, or else the columns of x.
type comparedRun struct {
	report  *report.Report
	names   []string // of the columns
	columns [][]float64
}

// readRun reads a report or a file of x. Its beginning tells which it is, since a pipe can be read only once.
func readRun(ctx context.Context, in input, path string) (r comparedRun, err error) {
	source, name, once := in.in, "<stdin>", true
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return r, readingError(path, err)
		}
		defer f.Close()
		info, err := f.Stat()
		source, name, once = f, path, err == nil && !info.Mode().IsRegular() && !info.IsDir()
	}
	text := bufio.NewReader(source)
	start, _ := text.Peek(512) // an error of reading comes again with the rest
	if bytes.HasPrefix(bytes.TrimSpace(start), []byte("{")) {
		r.report, err = readReport(text, name)
		return r, err
	}
	var content *matrixmarket.Content
	if once {
		content, err = in.readText(ctx, path, name, text)
	} else {
		content, err = in.read(ctx, path)
	}
	if err == nil {
		r.names, r.columns, err = elements(content)
	}
	return r, inFile(path, err)
}

// readReport reads a report of solve.
func readReport(text io.Reader, name string) (*report.Report, error) {
	b, err := io.ReadAll(text)
	if err != nil {
		return nil, &exitError{exitInput, err}
	}
	r := new(report.Report)
	if err := json.Unmarshal(b, r); err != nil || r.Checksums == nil {
		return nil, &exitError{exitInput, fmt.Errorf("%s: no report of solve --json with checksums", name)}
	}
	return r, nil
}

// compareReports compares checksums and choices.
func compareReports(s streams, runs [2]comparedRun) error {
	out := &firstError{w: s.out}
	same := report.Compare(out, runs[0].report, runs[1].report)
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
func compareVectors(s streams, paths []string, runs [2]comparedRun) error {
	x, y := runs[0], runs[1]
	if len(x.columns) != len(y.columns) || len(x.columns) > 0 && len(x.columns[0]) != len(y.columns[0]) {
		return &exitError{exitInput, fmt.Errorf("%s and %s are of different sizes", paths[0], paths[1])}
	}
	if !slices.Equal(x.names, y.names) {
		return &exitError{exitInput, fmt.Errorf("%s and %s: one is real, the other complex", paths[0], paths[1])}
	}
	out := &firstError{w: s.out}
	same := true
	for c, name := range x.names {
		d := differenceOf(x.columns[c], y.columns[c])
		report.Line(out, name, "%s", d.text(x.columns[c], y.columns[c]))
		same = same && d.count == 0
	}
	return compared(out, same)
}

// elements returns the columns of a content, of a complex one the real and the imaginary parts, and their names.
func elements(c *matrixmarket.Content) (names []string, columns [][]float64, err error) {
	re, im, err := c.ComplexColumns()
	if err != nil {
		return nil, nil, &exitError{exitInput, err}
	}
	for k := range re {
		name := "x"
		if len(re) > 1 {
			name = fmt.Sprintf("x %d", k+1)
		}
		if c.Field == matrixmarket.Complex {
			names, columns = append(names, "Re "+name, "Im "+name), append(columns, re[k], im[k])
		} else {
			names, columns = append(names, name), append(columns, re[k])
		}
	}
	return names, columns, nil
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
			d.largest = max(d.largest, math.Abs(v-y[i]))
		}
		d.size = max(d.size, math.Abs(v))
	}
	return d
}

func (d difference) text(x, y []float64) string {
	if d.count == 0 {
		return fmt.Sprintf("the same: %d elements, every bit", len(x))
	}
	text := fmt.Sprintf("different: %d of %d elements, the first is %d: %v and %v; largest difference %.2g",
		d.count, len(x), d.first+1, x[d.first], y[d.first], d.largest)
	if share := d.largest / d.size; !math.IsNaN(share) {
		text += fmt.Sprintf(", %.2g of the largest element", share)
	}
	return text
}
