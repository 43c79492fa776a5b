package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/reproduce/records"
)

// The page and its figure.
const (
	pageFile   = "docs/digits.md"
	figureFile = "docs/digits.svg"
	begin, end = "<!-- digits over seconds -->", "<!-- end of digits over seconds -->"
)

const (
	most   = 100 // digits asked for
	half   = 50  // digits whose time is in the table
	repeat = 3   // solves of each matrix; the least times count
)

// names lists the matrices, which end with different preconditioners.
var names = []string{"1138_bus", "west2021", "memplus", "norne_tpfa_r1"}

// digitsFigureMain solves four real matrices for 100 digits of x. It draws the claimed digits after each step over
// the seconds until then into docs/digits.svg; docs/digits.md gets a table of the same.
func digitsFigureMain() {
	dir := flag.String("dir", "../shared/matrices", "`folder` with the matrices")
	flag.Parse()
	if err := write(*dir); err != nil {
		fmt.Fprintln(os.Stderr, "digitsfigure:", err)
		os.Exit(1)
	}
}

// write replaces the table and the figure.
func write(dir string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "| matrix | rows | method, preconditioner | s in float64, digits | s to %d digits | s to %d digits | steps |\n|---|---:|---|---:|---:|---:|---:|\n", half, most)
	g := &records.Chart{
		Kind: records.Lines,
		X:    records.ChartAxis{Text: "seconds", Log: true},
		Note: "dashed: the 15.9 digits that float64 holds; the first mark of each line is the solve in float64",
	}
	for decade := 1e-3; decade < 1000; decade *= 10 {
		for _, k := range []float64{1, 2, 5} {
			g.Tick(k*decade, fmt.Sprintf("%.4g", k*decade))
		}
	}
	panel := g.AddPanel(records.Panel{Y: records.ChartAxis{Text: "digits of x"}, Level: 53 * math.Log10(2)})
	for _, name := range names {
		c, err := follow(dir, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, s := range c.steps {
			g.Add(panel, name+", "+c.with, s.seconds, s.digits)
		}
		first, middle, last := c.steps[0], c.reach(half), c.reach(most)
		fmt.Fprintf(&b, "| %s | %s | %s | %.3f, %.1f | %.3f | %.3f | %d |\n",
			name, humanize.Comma(int64(c.rows)), c.with, first.seconds, first.digits, middle.seconds, last.seconds, len(c.steps)-1)
	}
	if err := records.ReplaceSection(pageFile, begin, end, b.String()+"\n"); err != nil {
		return err
	}
	return host.Write(figureFile, func(w io.Writer) error { return g.Write(w, records.SVG) })
}

// A step is the number of claimed digits of x after so many seconds, set-up included.
type step struct{ seconds, digits float64 }

// A course is the sequence of steps of a solve.
type course struct {
	rows  int
	with  string // method and preconditioner, the last ones used
	steps []step // the first one is the solve in float64
}

// reach returns the first step with so many digits, or the last one.
func (c course) reach(digits float64) step {
	k := slices.IndexFunc(c.steps, func(s step) bool { return s.digits >= digits })
	if k < 0 {
		k = len(c.steps) - 1
	}
	return c.steps[k]
}

// follow solves several times with b = A ones and keeps the least time of each step.
func follow(dir, name string) (c course, err error) {
	m, _, err := matrixio.Named(dir, name).Read(context.Background(), matrixmarket.Options{})
	if err != nil {
		return c, err
	}
	for k := range repeat {
		one, err := solveForFigure(m)
		if err != nil {
			return c, err
		}
		if k == 0 {
			c = one
			continue
		}
		for i := range c.steps { // the steps are the same: results do not depend on times
			c.steps[i].seconds = min(c.steps[i].seconds, one.steps[i].seconds)
		}
	}
	return c, nil
}

// solveForFigure prepares and solves.
func solveForFigure(m *csr.Matrix) (c course, err error) {
	b, _ := generate.DefaultRHS(m)
	ctx := context.Background()
	start := time.Now()
	s, err := solver.New(ctx, m, solve.Options{Accuracy: solve.Accuracy{Digits: most}})
	if err != nil {
		return c, err
	}
	defer s.Close()
	setup := time.Since(start)
	r, err := s.Solve(ctx, b, nil)
	if err != nil {
		return c, err
	}
	if r.Precise == nil || r.Precise.Believed < most {
		return c, fmt.Errorf("%v: %s", r.Reason, r.Advice)
	}
	c.rows, c.with = m.Rows, fmt.Sprintf("%s, %s", r.Method, r.Precond.Kind)
	for _, p := range r.Precise.Steps {
		c.steps = append(c.steps, step{(setup + p.Time).Seconds(), -p.Error})
	}
	return c, nil
}
