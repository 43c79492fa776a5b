package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/reproduce/records"
)

// spyFlags say whether and where the pattern of the matrix is drawn.
type spyFlags struct {
	spy    bool
	output string
}

func (f *spyFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.spy, "spy", false, "draw where the matrix has entries")
	c.Flags().StringVarP(&f.output, "output", "o", "", "with --spy: draw into this `file` (.svg) instead of the terminal")
}

func (f *spyFlags) check(input string) error {
	switch {
	case f.output == "":
		return nil
	case !f.spy:
		return usage("--output %s: needs --spy", f.output)
	case !strings.HasSuffix(f.output, ".svg"):
		return usage("--output %s: want a name that ends in .svg", f.output)
	}
	return checkOutput("output", f.output, input)
}

// spyCells is the number of cells along the longer side of a figure.
const spyCells = 256

// draw draws the pattern into the file or, without one, to w.
func (f *spyFlags) draw(ctx context.Context, w io.Writer, file string, m *csr.Matrix) error {
	if f.output == "" {
		fmt.Fprintln(w)
		report.Spy(w, m)
		return nil
	}
	if m.Rows == 0 || m.Cols == 0 {
		return nil
	}
	part := min(1, spyCells/float64(max(m.Rows, m.Cols)))
	high, wide := max(1, int(part*float64(m.Rows))), max(1, int(part*float64(m.Cols)))
	room := math.Ceil(float64(m.Rows)/float64(high)) * math.Ceil(float64(m.Cols)/float64(wide))
	title := fmt.Sprintf("%s: %d x %d, %d %s", filepath.Base(file), m.Rows, m.Cols, m.NNZ(), english.PluralWord(m.NNZ(), "nonzero", "nonzeros"))
	err := writeFile(ctx, f.output, func(to io.Writer) error { return records.Spy(to, m.Density(high, wide), high, wide, room, title) })
	if err == nil {
		report.Line(w, "pattern", "drawn in %s", f.output)
	}
	return err
}
