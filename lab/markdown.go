package lab

import (
	"fmt"
	"strings"
)

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
