package records

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
)

// Period says when the measurements were made.
func (r *Report) Period() string {
	if r.first.IsZero() {
		return ""
	}
	day := func(t time.Time) string { return t.UTC().Format(time.DateOnly) }
	if day(r.first) == day(r.last) {
		return day(r.first)
	}
	return day(r.first) + " to " + day(r.last)
}

// Machines describes the machines of the measurements, each once.
func (r *Report) Machines() (list []string) {
	for _, e := range r.Environments {
		text := fmt.Sprintf("%s, %s, %s of memory", e.Processor, english.Plural(e.Cores, "core", ""), size(e.MemoryBytes))
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// setPeriod fills in the first and the last time of measurements.
func (r *Report) setPeriod(measured []Record) {
	for _, m := range measured {
		if r.first.IsZero() || m.Time.Before(r.first) {
			r.first = m.Time
		}
		if m.Time.After(r.last) {
			r.last = m.Time
		}
	}
}

// commonAt is the number of experiments from which on a common lack is reported once for all of them.
const commonAt = 3

// gatherLacking moves what several experiments lack from the experiments to the report.
func (r *Report) gatherLacking() {
	in := map[string]int{}
	for _, s := range r.Experiments {
		for _, what := range s.Lacking {
			if in[what]++; in[what] == commonAt {
				r.Lacking = append(r.Lacking, common{What: what})
			}
		}
	}
	for i := range r.Lacking {
		c := &r.Lacking[i]
		for k := range r.Experiments {
			s := &r.Experiments[k]
			if slices.Contains(s.Lacking, c.What) {
				c.Of = append(c.Of, s.Experiment.ID)
				s.Lacking = slices.DeleteFunc(slices.Clone(s.Lacking), func(what string) bool { return what == c.What })
			}
		}
		c.All = len(c.Of) == len(r.Experiments)
	}
}

// common is something that several experiments lack.
type common struct {
	What string
	Of   []string // IDs
	All  bool     // of the experiments
}

// paperClaims holds the claims of one paper.
type paperClaims struct {
	Paper  string
	Claims []Outcome
}

// Papers returns the claims by paper, in the order of the report.
func (r *Report) Papers() (list []paperClaims) {
	for _, c := range r.Claims {
		i := slices.IndexFunc(list, func(p paperClaims) bool { return p.Paper == c.Paper })
		if i < 0 {
			i = len(list)
			list = append(list, paperClaims{Paper: c.Paper})
		}
		list[i].Claims = append(list[i].Claims, c)
	}
	return list
}

// experimentPage is the data of the page of an experiment.
type experimentPage struct {
	section
	Claims []Outcome // about it
}

func (r *Report) about(i int) experimentPage {
	return experimentPage{r.Experiments[i], r.ClaimsAbout(r.Experiments[i])}
}

// Measured returns the claims that have a verdict, or those that have none.
func (p paperClaims) Measured(yes bool) []Outcome {
	return slices.DeleteFunc(slices.Clone(p.Claims), func(c Outcome) bool { return (c.Verdict != NotMeasured) != yes })
}

// finding returns the claim that the first page begins with, judged by all measurements, also those with surrogates that were
// fitted to it; nil if it does not hold.
func finding(list []Record) *Outcome {
	list = preferFull(latest(list))
	for _, c := range claims() {
		if c.ID == "nw-fast-error" {
			if f := checks[c.Check[0]](list, c, c.Check[1:]); f.Verdict == Holds {
				return &Outcome{c, f}
			}
		}
	}
	return nil
}

// frontFigure is a figure of the first page, with its experiment.
type frontFigure struct {
	Of Experiment
	view
}

// mostFigures is the number of figures on the first page.
const mostFigures = 10

// Figures returns the figures of the first page, the first that were measured.
func (r *Report) Figures() (list []frontFigure) {
	for _, s := range r.Experiments {
		for _, v := range s.Views {
			if v.Front > 0 {
				list = append(list, frontFigure{s.Experiment, v})
			}
		}
	}
	slices.SortFunc(list, func(a, b frontFigure) int { return a.Front - b.Front })
	return list[:min(len(list), mostFigures)]
}

// ClaimsAbout returns the claims on what an experiment shows: of the same paper, with a figure, table, section,
// remark or slide in common.
func (r *Report) ClaimsAbout(s section) (list []Outcome) {
	shown := places(s.Source)
	for _, c := range r.Claims {
		if c.Paper == s.Paper && slices.ContainsFunc(places(c.Source), func(p string) bool { return slices.Contains(shown, p) }) {
			list = append(list, c)
		}
	}
	return list
}

var (
	placeList   = regexp.MustCompile(`(?i)\b(?:figures of )?(figure|table|section|remark|slide)s?( [0-9A][0-9.]*(?:(?:, | and | to )[0-9A][0-9.]*)*)`)
	placeNumber = regexp.MustCompile(`(to )?([0-9A][0-9.]*)`)
)

// places returns the figures, tables and so on that a source names: "figures 3.2 and 4.4" yields "figure 3.2" and
// "figure 4.4". If a claim names figures or tables, its sections only say where the text is.
func places(source string) (list []string) {
	exact := false
	for _, m := range placeList.FindAllStringSubmatch(source, -1) {
		kind := strings.ToLower(m[1])
		exact = exact || kind == "figure" || kind == "table"
		last := 0
		for _, n := range placeNumber.FindAllStringSubmatch(m[2], -1) {
			number, err := strconv.Atoi(n[2])
			if n[1] != "" && err == nil && last > 0 {
				for k := last + 1; k < number; k++ {
					list = append(list, fmt.Sprintf("%s %d", kind, k))
				}
			}
			last = number
			list = append(list, kind+" "+strings.TrimRight(n[2], "."))
		}
	}
	if exact {
		list = slices.DeleteFunc(list, func(p string) bool { return strings.HasPrefix(p, "section ") })
	}
	return list
}

// tally counts the claims by verdict, without verdicts that do not occur.
func tally(claims []Outcome) (list []verdictCount) {
	for _, v := range []Verdict{Holds, Partly, Fails, NotHere, NotMeasured} {
		n := 0
		for _, c := range claims {
			if c.Verdict == v {
				n++
			}
		}
		if n > 0 {
			list = append(list, verdictCount{v, n})
		}
	}
	return list
}

type verdictCount struct {
	Verdict Verdict
	Count   int
}

// Class returns the class of a verdict in the page's style sheet.
func (v Verdict) Class() string {
	switch v {
	case Holds:
		return "holds"
	case Partly:
		return "partly"
	case Fails:
		return "fails"
	}
	return "open"
}

// ReplaceSection replaces the text between two markers of a page.
func ReplaceSection(path, begin, end, text string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head, rest, ok := bytes.Cut(old, []byte(begin))
	_, tail, ok2 := bytes.Cut(rest, []byte(end))
	if !ok || !ok2 {
		return fmt.Errorf("%s lacks the markers %s and %s", path, begin, end)
	}
	return os.WriteFile(path, []byte(string(head)+begin+"\n\n"+text+end+string(tail)), 0o644)
}
