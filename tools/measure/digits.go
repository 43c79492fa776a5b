package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// system is A x = b with the true x, if it is known.
type system struct {
	name  string
	m     *csr.Matrix
	b     []float64
	truth func() ([]float64, bool) // called if there is something to compare; false: not known
}

// outcome is what a solve claims, and what is correct.
type outcome struct {
	name   string
	result solve.Result
	digits float64 // correct digits; NaN: not known
	took   time.Duration
	plain  time.Duration // without digits
}

// digitsMain compares the digits of x that mpsolve claims with the correct digits, on real and generated matrices. It
// fails if a solve claims too many digits, or if solves claim too few too often:
//
//	digits [flags]
//
// The true solution of a generated system comes from elimination in 512-bit arithmetic, that of a real matrix from
// refinement in double-double arithmetic until the steps are below 1e-19 of x. Systems for which refinement does not
// get there are counted and left out.
func digitsMain() {
	dir := flag.String("dir", "../shared/matrices", "`folder` with the matrices and INDEX.tsv; empty: none")
	count := flag.Int("generated", 1000, "`number` of generated systems")
	only := flag.String("only", "", "`name` of the one real matrix")
	largest := flag.Int("rows", math.MaxInt32, "largest real matrix")
	limit := flag.Duration("limit", 2*time.Minute, "time limit of a solve")
	cost := flag.Bool("cost", false, "solve without digits as well, and compare the times")
	verbose := flag.Bool("verbose", false, "a line for each system")
	flag.Parse()
	t := tally{out: os.Stdout, verbose: *verbose}
	if *dir != "" {
		matrices, err := matrixio.RealSquare(*dir)
		if err != nil {
			fmt.Fprintln(os.Stderr, "digits:", err)
			os.Exit(1)
		}
		for _, source := range matrices {
			if *only != "" && source.Name != *only {
				continue
			}
			m, _, err := source.Read(context.Background(), matrixmarket.Options{})
			if err != nil {
				fmt.Fprintln(os.Stderr, "digits:", err)
				os.Exit(1)
			}
			if m.Rows > *largest {
				continue
			}
			for _, s := range realSystems(source.Name, m) {
				t.add("real", run(s, *limit, *cost))
			}
		}
	}
	for k := range *count {
		t.add("generated", run(generated(uint64(k)), *limit, *cost))
	}
	if !t.report() {
		os.Exit(1)
	}
}

// run solves a system and compares the digits.
func run(s system, limit time.Duration, cost bool) outcome {
	o := outcome{name: s.name, digits: math.NaN()}
	if cost {
		o.plain = solveOnce(s, solve.Options{Accuracy: solve.Accuracy{Digits: solve.NoDigits}}, limit, &o.result)
	}
	o.took = solveOnce(s, solve.Options{}, limit, &o.result)
	if !o.result.Reason.Converged() {
		return o
	}
	if x, ok := s.truth(); ok {
		o.digits = rightDigits(o.result.X, x)
	}
	return o
}

func solveOnce(s system, opt solve.Options, limit time.Duration, r *solve.Result) time.Duration {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	start := time.Now()
	solver, err := solver.New(ctx, s.m, opt)
	if err != nil {
		fmt.Fprintf(os.Stderr, "digits: %s: %v\n", s.name, err)
		return 0
	}
	defer solver.Close()
	if *r, err = solver.Solve(ctx, s.b, nil); err != nil {
		fmt.Fprintf(os.Stderr, "digits: %s: %v\n", s.name, err)
	}
	return time.Since(start)
}

// rightDigits returns -log10 of the error of x relative to the true x, in the maximum norm, 16 at most.
func rightDigits(x, truth []float64) float64 {
	size, wrong := 0.0, 0.0
	for i, v := range truth {
		size, wrong = max(size, math.Abs(v)), max(wrong, math.Abs(x[i]-v))
	}
	return min(16, max(0, -math.Log10(wrong/size)))
}

// median returns the median of numbers; NaN if there are none.
func median(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	slices.Sort(v)
	return v[len(v)/2]
}

// tally counts outcomes by the kind of system.
type tally struct {
	out     io.Writer
	verbose bool
	kinds   map[string]*counts
}

// counts are the counts of one kind.
type counts struct {
	systems, failed, unknown int
	believed                 int // systems with claimed digits whose true solution is known
	over                     int // claims of more than one digit above the true number
	within                   int // claims within two digits of the true number
	none, noneRight          int // claims of no digits, and those of them with less than one correct digit
	unconfirmed              int
	difference, cost         []float64
}

func (t *tally) add(kind string, o outcome) {
	if t.kinds == nil {
		t.kinds = map[string]*counts{}
	}
	c := t.kinds[kind]
	if c == nil {
		c = &counts{}
		t.kinds[kind] = c
	}
	c.systems++
	g := o.result.Digits
	wrong := ""
	switch {
	case !o.result.Reason.Converged():
		c.failed++
	case math.IsNaN(o.digits):
		c.unknown++
	case g.State == solve.DigitsBelieved || g.State == solve.DigitsEstimated:
		c.believed++
		d := float64(g.Believed) - min(o.digits, solve.MaxDigits)
		c.difference = append(c.difference, d)
		if d > 1 {
			c.over++
			wrong = "  OVER"
		}
		if math.Abs(d) <= 2 {
			c.within++
		} else if d < 0 {
			wrong = "  under"
		}
	case g.State == solve.DigitsNone:
		c.none++
		if o.digits < 1 {
			c.noneRight++
		} else {
			wrong = "  false alarm"
		}
	default:
		c.unconfirmed++
	}
	if o.plain > 0 && o.took > 0 {
		c.cost = append(c.cost, float64(o.took)/float64(o.plain))
	}
	if t.verbose || wrong != "" {
		fmt.Fprintf(t.out, "%-44s %-22s %-13s said %2d, right %4.1f; step %.1e, probe %.1e; %d + %d iterations%s\n", o.name, o.result.Reason, g.State,
			g.Believed, o.digits, g.Step, g.Probe, o.result.Iterations, g.Iterations, wrong)
	}
}

// report prints the table and returns whether the goals are met: no claim exceeds the true number by more than one
// digit, and nine of ten are within two.
func (t *tally) report() bool {
	met := true
	fmt.Fprintf(t.out, "\n| systems | | not converged | truth not known | believed | over by more than 1 | within 2 | none (right) | not confirmed | median difference | cost, times, median |\n|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, kind := range slices.Sorted(maps.Keys(t.kinds)) {
		c := t.kinds[kind]
		share := float64(c.within) / float64(max(c.believed, 1))
		fmt.Fprintf(t.out, "| %s | %d | %d | %d | %d | %d | %.1f %% | %d (%d) | %d | %.1f | %.2f |\n", kind, c.systems, c.failed, c.unknown,
			c.believed, c.over, 100*share, c.none, c.noneRight, c.unconfirmed, median(c.difference), median(c.cost))
		met = met && c.over == 0 && (share >= 0.9 || c.believed == 0)
	}
	if !met {
		fmt.Fprintln(t.out, "\nMISSED: want no number more than one above the right one, and nine of ten within two")
	}
	return met
}
