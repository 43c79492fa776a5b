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

// Markdown returns the tables of docs/reliability.md: the systems, then the injected faults.
func (r *Report) Markdown(seed uint64) string {
	var text strings.Builder
	table := func(title string, classes []StressClass) {
		fmt.Fprintf(&text, "| %s | cases | solves | converged | no solution | refused | other ends | wrong |\n", title)
		text.WriteString("|---|--:|--:|--:|--:|--:|--:|--:|\n")
		for _, f := range classes {
			if l := r.rows[f.Name]; l != nil && l.cases > 0 {
				l.markdown(&text, fmt.Sprintf("%s (`%s`)", f.About, f.Name))
			}
		}
		text.WriteString("\n")
	}
	table("systems", systems)
	table("injected", injections)
	all := r.total()
	fmt.Fprintf(&text, "With seed %d: %d cases, %d solves or attempts, of which %s.\n\n", seed, all.cases, all.solves, all.wrongs())
	if all.known > 0 {
		fmt.Fprintf(&text, "Of %.0f solutions with claimed digits and a known exact solution, %.1f %% claim at least the true digits less two; %d claim more than one too many.\n\n",
			all.known, 100*all.within/all.known, all.faults[Overstated])
	}
	return text.String()
}

// markdown writes a row.
func (l *line) markdown(text *strings.Builder, title string) {
	wrong := 0
	for _, n := range l.faults {
		wrong += n
	}
	others := max(0, l.solves-l.converged-l.singular-l.refused)
	fmt.Fprintf(text, "| %s | %d | %d | %d | %d | %d | %d | %d |\n", title, l.cases, l.solves, l.converged, l.singular, l.refused, others, wrong)
}

// wrongs lists the counts of all faults in words.
func (l *line) wrongs() string {
	var words []string
	for _, f := range Faults {
		words = append(words, fmt.Sprintf("%d %s", l.faults[f], f.inWords()))
	}
	return strings.Join(words, ", ")
}

// inWords describes a fault.
func (f Fault) inWords() string {
	return map[Fault]string{
		FalseConverged: "falsely converged",
		Contradicted:   "converged although there is no solution",
		Denied:         "called inconsistent although there is a solution",
		Insane:         "converged with more than a tenth of b unexplained",
		Silent:         "silent about an x without a correct digit",
		Overstated:     "with more than a digit too many",
		Worse:          "worse than x = 0",
		Panicked:       "crashed",
		Late:           "late by more than half a second",
		Partial:        "left incomplete files",
		Odd:            "ended in an undocumented way",
	}[f]
}
