package cli

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/reproduce/records"
	"github.com/spf13/cobra"
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

const plotLong = `Draw the histories that solve --history writes: how the error that --stop names falls, over iterations or seconds. Of a
report that solve --json writes (FILE.json), draw the attempts over time: which method, and when and why it was left.

The line is the error that the recurrences of the method estimate. Where solve computed a residual, at the beginning of
each refinement step and at the end, the measured error is marked as well. Other marks are refinement steps, restarts of
gmres, and changes of precision, preconditioner or method.

Without --output the plot is drawn in the terminal. --output writes an SVG or PNG file with two plots, over iterations
and over seconds.`

func newPlot(s streams) *cobra.Command {
	var f plotFlags
	c := &cobra.Command{
		Use: "plot HISTORY...|REPORT.json", Short: "Draw how the error of a solve fell, or its attempts", Long: plotLong,
		Example: "  mpsolve solve matrix.mtx --history h.csv && mpsolve plot h.csv\n  mpsolve plot h.csv --over seconds\n  mpsolve plot cg.csv gmres.csv --output p.svg\n" +
			"  mpsolve solve matrix.mtx --json >r.json; mpsolve plot r.json",
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
	if !(f.tol >= 0 && f.tol < 1) { // or NaN
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
	if len(paths) == 1 && filepath.Ext(paths[0]) == ".json" {
		return f.attempts(ctx, s, paths[0])
	}
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
	g := &records.Chart{Kind: records.History, Note: "vertical lines of " + curves[0].name + ": grey: refinement steps; dotted: restarts of gmres; red: other precision, preconditioner or method"}
	name := errorName(curves)
	for _, over := range plotAxes {
		seconds, end := over == overSeconds, 0.0
		p := g.AddPanel(records.Panel{Title: "Error over " + over, Y: records.ChartAxis{Text: name, Log: true}, X: over})
		for k, c := range curves {
			for _, at := range c.points {
				g.Add(p, c.name, at.at(seconds), at.estimate)
				g.AddRing(p, c.name, at.at(seconds), at.measured, "measured")
				end = max(end, at.at(seconds))
				for _, m := range at.marks {
					if k == 0 {
						p.Mark(m, at.at(seconds))
					}
				}
			}
		}
		if f.tol > 0 {
			p.Level = f.tol
			p.Guides = []records.Guide{{Name: fmt.Sprintf("tolerance %.0e", f.tol), From: [2]float64{0, f.tol}, To: [2]float64{end, f.tol}, AtEnd: true}}
		}
	}
	return g
}

// errorName says which error curves show, "error" if they show several.
func errorName(curves []curve) string {
	if slices.ContainsFunc(curves, func(c curve) bool { return c.stop != curves[0].stop }) {
		return report.ErrorName("")
	}
	return report.ErrorName(curves[0].stop)
}

// attempts draws the attempts in a report of solve over time.
func (f *plotFlags) attempts(ctx context.Context, s streams, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return &exitError{exitInput, err}
	}
	var r struct {
		Matrix   report.Matrix    `json:"matrix"`
		Attempts []report.Attempt `json:"attempts"`
	}
	if err := json.Unmarshal(text, &r); err != nil || len(r.Attempts) == 0 {
		return &exitError{exitInput, fmt.Errorf("%s: is no report with attempts; solve --json writes one", path)}
	}
	if f.output == "" {
		out := &firstError{w: s.out}
		report.AttemptsOverTime(out, r.Attempts)
		return out.err
	}
	g := &records.Chart{Kind: records.History, X: records.ChartAxis{Text: "seconds of set-up and iterations"}, Note: "red: an attempt ends"}
	p := g.AddPanel(records.Panel{Title: "Attempts to solve " + r.Matrix.File, Y: records.ChartAxis{Text: "attempt"}})
	at := 0.0
	for k, a := range r.Attempts {
		name, y := fmt.Sprintf("%d: %s", k+1, a.Text()), float64(k+1)
		g.AddRing(p, name, at, y, "set-up begins")
		at += a.SecondsSetup
		g.Add(p, name, at, y)
		at += a.SecondsSolve
		g.Add(p, name, at, y)
		p.Mark(markChange, at)
	}
	return writeFile(ctx, f.output, func(w io.Writer) error { return g.Write(w, f.format()) })
}

// curve is the error for one right-hand side in the course of a solve, as in a history.
type curve struct {
	name   string
	stop   string // name of the stopping criterion; "": not known
	points []plotPoint
}

// plotPoint is a line of a history.
type plotPoint struct {
	iteration, seconds, estimate float64
	measured                     float64 // NaN: not measured
	verified                     bool    // the verified error, after the iterations
	marks                        []records.Mark
}

// at returns the position of a point on the horizontal axis, in seconds or iterations.
func (p plotPoint) at(seconds bool) float64 {
	if seconds {
		return p.seconds
	}
	return p.iteration
}

// The marks of the events of a history.
const (
	markStep    = records.Thin
	markRestart = records.Dotted
	markChange  = records.Dashed
)

// markTexts has the letters of the marks in a terminal, and their meaning.
var markTexts = []struct {
	kind   records.Mark
	letter byte
	text   string
}{
	{markStep, 's', "refinement step"}, {markRestart, 'r', "restart of gmres"}, {markChange, 'p', "other precision, preconditioner or method"},
}

// readCurves reads a history, a curve for each right-hand side. Seconds count from the first line of the curve.
func readCurves(path string) (curves []curve, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &exitError{exitInput, err}
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.ReuseRecord, r.FieldsPerRecord = true, -1
	fault := func(what error) error {
		if syntax := (*csv.ParseError)(nil); errors.As(what, &syntax) {
			return &exitError{exitInput, fmt.Errorf("%s:%d: %w", path, syntax.Line, syntax.Err)}
		}
		line, _ := r.FieldPos(0)
		return &exitError{exitInput, fmt.Errorf("%s:%d: %w", path, line, what)}
	}
	header, err := r.Read()
	header = slices.Clone(header) // the record is reused
	if err != nil || len(header) < 6 || !slices.Equal(header[:6], historyColumns[:6]) {
		return nil, &exitError{exitInput, fmt.Errorf("%s: is not a history; solve --history writes one", path)}
	}
	last, step, start := "", "", 0.0
	for {
		line, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fault(err)
		}
		p, err := parsePoint(line)
		if err != nil {
			return nil, fault(err)
		}
		if line[0] != last {
			last, step, start = strings.Clone(line[0]), strings.Clone(line[1]), p.seconds
			curves = append(curves, curve{name: "rhs " + last})
			if stop := slices.Index(header, "stop"); stop >= 0 && stop < len(line) {
				curves[len(curves)-1].stop = strings.Clone(line[stop])
			}
		}
		if line[1] != step {
			step = strings.Clone(line[1])
			p.marks = append(p.marks, markStep)
		}
		p.seconds -= start
		c := &curves[len(curves)-1]
		if n := len(c.points); n > 0 && p.verified { // the time between the last iteration and the verification does not count
			p.seconds = c.points[n-1].seconds
		}
		c.points = append(c.points, p)
	}
	if len(curves) == 0 {
		return nil, &exitError{exitInput, fmt.Errorf("%s: has no iterations", path)}
	}
	return curves, nil
}

// parsePoint parses a line of a history, except for the right-hand side and the step.
func parsePoint(line []string) (p plotPoint, err error) {
	if len(line) < 6 {
		return p, fmt.Errorf("%d columns, want %d", len(line), len(historyColumns))
	}
	p.measured = math.NaN()
	for _, column := range []struct {
		k  int
		to *float64
	}{{2, &p.iteration}, {4, &p.estimate}, {5, &p.seconds}, {6, &p.measured}} {
		if column.k >= len(line) || column.k == 6 && line[6] == "" {
			continue
		}
		if *column.to, err = strconv.ParseFloat(line[column.k], 64); err != nil {
			return p, fmt.Errorf("%s %q is not a number", historyColumns[column.k], line[column.k])
		}
	}
	if len(line) > 7 && line[7] != "" {
		for _, event := range strings.Split(line[7], "; ") {
			switch {
			case event == restarted:
				p.marks = append(p.marks, markRestart)
			case event == verified:
				p.verified = true
			case strings.Contains(event, choice.Continuing):
				p.marks = append(p.marks, markChange)
			}
		}
	}
	return p, nil
}
