package lab

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// Report gathers outcomes by class.
type Report struct {
	order []string
	rows  map[string]*line
}

// line is the line of a class in the table.
type line struct {
	cases, solves                int
	converged, refused, singular int
	faults                       map[Fault]int
	known, within, seconds       float64 // digits: of so many cases, within two
	slowest                      float64
}

// NewReport makes an empty report of these classes.
func NewReport(classes []StressClass) *Report {
	r := &Report{rows: map[string]*line{}}
	for _, f := range classes {
		r.order = append(r.order, f.Name)
		r.rows[f.Name] = &line{faults: map[Fault]int{}}
	}
	return r
}

// Add counts an outcome.
func (r *Report) Add(o Outcome) {
	l := r.rows[o.Class]
	l.cases++
	l.solves += o.Solves
	l.count(o.Verdict, 1)
	for verdict, n := range o.Verdicts {
		l.count(verdict, n)
	}
	for k, f := range o.Faults {
		if !slices.ContainsFunc(o.Faults[:k], func(g found) bool { return g.Fault == f.Fault }) {
			l.faults[f.Fault]++
		}
	}
	if o.Digits >= 0 && o.Said >= 0 {
		l.known++
		if o.Said >= o.Digits-2 {
			l.within++
		}
	}
	l.seconds += o.Seconds
	l.slowest = max(l.slowest, o.Seconds)
}

// count counts a verdict.
func (l *line) count(verdict string, n int) {
	switch verdict {
	case "converged", "zero right-hand side":
		l.converged += n
	case "refused", "no preconditioner", "memory", "error":
		l.refused += n
	case "numerically singular", "inconsistent":
		l.singular += n
	}
}

// total is the sum of all lines.
func (r *Report) total() *line {
	t := &line{faults: map[Fault]int{}}
	for _, l := range r.rows {
		t.cases += l.cases
		t.solves += l.solves
		t.converged += l.converged
		t.refused += l.refused
		t.singular += l.singular
		for f, n := range l.faults {
			t.faults[f] += n
		}
		t.known += l.known
		t.within += l.within
		t.seconds += l.seconds
		t.slowest = max(t.slowest, l.slowest)
	}
	return t
}

// Faults returns the number of faults.
func (r *Report) Faults() (n int) {
	for _, c := range r.total().faults {
		n += c
	}
	return n
}

// Print writes the table.
func (r *Report) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 2, 8, 2, ' ', tabwriter.AlignRight)
	head := []string{"class", "cases", "solves", "converged", "singular", "refused"}
	for _, f := range Faults {
		head = append(head, string(f))
	}
	fmt.Fprintln(t, strings.Join(append(head, "seconds", "slowest"), "\t")+"\t")
	for _, name := range r.order {
		if l := r.rows[name]; l.cases > 0 {
			l.print(t, name)
		}
	}
	all := r.total()
	all.print(t, "all")
	if err := t.Flush(); err != nil {
		return err
	}
	if all.known > 0 {
		_, err := fmt.Fprintf(w, "claimed digits within two of the true ones: %.0f of %.0f\n", all.within, all.known)
		return err
	}
	return nil
}

func (l *line) print(w io.Writer, name string) {
	words := []string{name}
	for _, n := range []int{l.cases, l.solves, l.converged, l.singular, l.refused} {
		words = append(words, fmt.Sprint(n))
	}
	for _, f := range Faults {
		words = append(words, fmt.Sprint(l.faults[f]))
	}
	words = append(words, fmt.Sprintf("%.1f", l.seconds), fmt.Sprintf("%.2f", l.slowest))
	fmt.Fprintln(w, strings.Join(words, "\t")+"\t")
}
