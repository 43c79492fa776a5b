package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/reproduce/records"
)

// plotFlags are the flags of `mpsolve plot`.
type plotFlags struct {
	over, output string
	tol          float64
}

// The horizontal axes of a plot.
const (
	overIterations = "iterations"
	overSeconds    = "seconds"
)

var plotAxes = []string{overIterations, overSeconds}

const plotLong = `Draw the histories that solve --history writes: how the error that --stop names falls, over iterations or seconds.

The line is the error that the recurrences of the method estimate. Where solve computed a residual, at the beginning of
each refinement step and at the end, the measured error is marked as well. Other marks are refinement steps, restarts of
gmres, and changes of precision, preconditioner or method.

Without --output the plot is drawn in the terminal. --output writes an SVG or PNG file with two plots, over iterations
and over seconds.`

func newPlot(s streams) *cobra.Command {
	var f plotFlags
	c := &cobra.Command{
		Use: "plot HISTORY...", Short: "Draw how the error of a solve fell", Long: plotLong,
		Example: "  mpsolve solve matrix.mtx --history h.csv && mpsolve plot h.csv\n  mpsolve plot h.csv --over seconds\n  mpsolve plot cg.csv gmres.csv --output p.svg",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("want a history file; solve --history writes one")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(args); err != nil {
				return err
			}
			return f.run(c.Context(), s, args)
		},
	}
	fl := c.Flags()
	fl.StringVar(&f.over, "over", overIterations, "what the plot in the terminal is drawn over: iterations or seconds")
	fl.Float64Var(&f.tol, "tol", 0, "draw the tolerance (SVG and PNG)")
	fl.StringVarP(&f.output, "output", "o", "", "write the figure to this `file` (.svg or .png), over iterations and over seconds")
	completeWords(c, "over", plotAxes)
	return c
}

func (f *plotFlags) check(inputs []string) error {
	if err := oneOf("over", &f.over, plotAxes); err != nil {
		return err
	}
	if f.tol < 0 || f.tol >= 1 {
		return usage("--tol %g: want a positive number below 1", f.tol)
	}
	if f.output == "" {
		return nil
	}
	if !slices.Contains(records.Formats, f.format()) {
		return usage("--output %s: want a name that ends in .svg or .png", f.output)
	}
	return checkOutput("output", f.output, inputs...)
}

// format returns the format of the figure, by the name of its file.
func (f *plotFlags) format() string { return strings.TrimPrefix(filepath.Ext(f.output), ".") }

func (f *plotFlags) run(ctx context.Context, s streams, paths []string) error {
	var curves []curve
	for _, path := range paths {
		list, err := readCurves(path)
		if err != nil {
			return err
		}
		for k := range list {
			switch name := filepath.Base(path); {
			case len(list) == 1:
				list[k].name = name
			case len(paths) > 1:
				list[k].name = name + ", " + list[k].name
			}
		}
		curves = append(curves, list...)
	}
	if most := 8; len(curves) > most {
		return usage("%s: at most %d can be told apart in a plot", english.Plural(len(curves), "curve", ""), most)
	}
	if f.output != "" {
		return writeFile(ctx, f.output, func(w io.Writer) error { return f.figure(curves).Write(w, f.format()) })
	}
	out := &firstError{w: s.out}
	plotText(out, curves, f.over == overSeconds)
	if out.err != nil {
		return fmt.Errorf("writing: %w", out.err)
	}
	return nil
}

// figure draws the curves over iterations and over seconds, with the marks of the first curve.
func (f *plotFlags) figure(curves []curve) *records.Chart {
	g := &records.Chart{Kind: records.History, Note: "vertical lines: grey: refinement steps; dotted: restarts of gmres; red: other precision, preconditioner or method"}
	for _, seconds := range []bool{false, true} {
		over := overIterations
		if seconds {
			over = overSeconds
		}
		p := g.AddPanel(records.Panel{Y: records.ChartAxis{Text: "error", Log: true}, Level: f.tol, X: over})
		for k, c := range curves {
			for _, at := range c.points {
				g.Add(p, c.name, at.at(seconds), at.estimate)
				g.AddRing(p, c.name, at.at(seconds), at.measured, "measured")
				for _, m := range at.marks {
					if k == 0 {
						p.Mark(m, at.at(seconds))
					}
				}
			}
		}
	}
	return g
}
