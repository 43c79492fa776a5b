package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/solve"
)

// tally counts outcomes by the kind of system.
type tally struct {
	out     io.Writer
	verbose bool
	kinds   map[string]*counts
}

// counts are those of one kind.
type counts struct {
	systems, failed, unknown int
	believed                 int // systems with a number of digits, and the true one known
	over                     int // more than one above the true number
	within                   int // two of it
	none, noneRight          int // called none, of these with less than one digit right
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

// report prints the table and returns whether the goals are met: never more than one digit
// too many, and within two in nine of ten.
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
