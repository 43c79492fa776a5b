package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/mpsolve/mpsolve/lab"
)

// FormatSearch is the output of `mpsolve formats`.
type FormatSearch struct {
	Version  string        `json:"version"`
	File     string        `json:"file"`
	RHS      string        `json:"rhs"`
	Method   string        `json:"method"`
	Precond  string        `json:"precond"`
	Tol      float64       `json:"tolerance"`
	Digits   float64       `json:"digits,omitempty"`
	Slower   float64       `json:"slower"`
	Limit    int           `json:"max_iterations"` // limit for a trial
	Parts    []FormatPart  `json:"parts"`
	Trials   []FormatTrial `json:"trials"`
	Minimal  int           `json:"minimal"` // index of the trial that delta debugging found; -1: none passes
	Best     int           `json:"best"`    // index of the trial that moves the fewest bytes; -1: none passes
	Complete bool          `json:"complete"`
	Command  string        `json:"command,omitempty"`
	Remark   string        `json:"remark,omitempty"` // what the command cannot express
}

// FormatPart is a part of a solve that has a format of its own.
type FormatPart struct {
	Name   string `json:"name"`
	Values int64  `json:"values"`
}

// FormatTrial is a solve with one format for each part.
type FormatTrial struct {
	Formats    []string `json:"formats"`
	Bytes      int64    `json:"bytes"`
	Moved      int64    `json:"moved_bytes"`
	Iterations int      `json:"iterations"`
	Steps      int      `json:"steps"`
	Error      Number   `json:"backward_error"`
	Digits     Number   `json:"digits"`
	Passes     bool     `json:"passes"`
	Why        string   `json:"why,omitempty"`
}

// Fill takes over the result of a search.
func (f *FormatSearch) Fill(r lab.Result) {
	f.Minimal, f.Best, f.Limit, f.Complete = r.Minimal, r.Best, r.Limit, r.Complete
	f.Parts, f.Trials = []FormatPart{}, []FormatTrial{}
	for _, p := range r.Parts {
		f.Parts = append(f.Parts, FormatPart{p.Name, p.Values})
	}
	for _, t := range r.Trials {
		f.Trials = append(f.Trials, FormatTrial{t.Formats, t.Bytes, t.Moved, t.Iterations, t.Steps, Number(t.Error), Number(t.Digits), t.Passes, t.Why})
	}
}

// WriteText writes parts, trials and the result as text.
func (f *FormatSearch) WriteText(w io.Writer) {
	for k, p := range f.Parts {
		Line(w, fmt.Sprintf("part %d", k+1), "%s, %d values", p.Name, p.Values)
	}
	f.table(w)
	if f.Best < 0 {
		Line(w, "result", "nothing to search: FP64 in all parts does not meet the criterion (%s)", f.Trials[0].Why)
		return
	}
	first, best := f.Trials[0], f.Trials[f.Best]
	rest := "none of its parts alone can have the next format"
	if !f.Complete {
		rest = "the search ended at its limit of solves"
	}
	Line(w, "narrowest", "trial %d: %s; %s", f.Minimal+1, strings.Join(f.Trials[f.Minimal].Formats, " "), rest)
	Line(w, "cheapest", "trial %d moves %s in %s, %.2f times the %s that FP64 moves in %d; %s in all", f.Best+1, bytes(best.Moved),
		english.Plural(best.Iterations, "iteration", ""), float64(best.Moved)/float64(first.Moved), bytes(first.Moved), first.Iterations,
		english.Plural(len(f.Trials), "solve", ""))
	for k, p := range f.Parts {
		Line(w, best.Formats[k], "%s", p.Name)
	}
	if f.Command != "" {
		Line(w, "command", "%s", f.Command)
	}
	if f.Remark != "" {
		Line(w, "remark", "%s", f.Remark)
	}
}

// table writes the table of the trials.
func (f *FormatSearch) table(w io.Writer) {
	header := []any{"trial"}
	for k := range f.Parts {
		header = append(header, fmt.Sprintf("part %d", k+1))
	}
	header = append(header, "stored", "moved", "iterations", "error")
	digits := f.Digits > 0
	if digits {
		header = append(header, "digits")
	}
	t := newTable(w, append(header, "verdict")...)
	t.words(len(header) + 1)
	var reasons []string
	failed := map[string][]string{}
	for k, r := range f.Trials {
		row := table.Row{k + 1}
		for _, name := range r.Formats {
			row = append(row, name)
		}
		row = append(row, bytes(r.Bytes), bytes(r.Moved), r.Iterations, fmt.Sprintf("%.1e", float64(r.Error)))
		switch {
		case digits && math.IsNaN(float64(r.Digits)):
			row = append(row, "")
		case digits:
			row = append(row, fmt.Sprintf("%.1f", float64(r.Digits)))
		}
		verdict := "passes"
		if !r.Passes {
			verdict = "fails"
			if failed[r.Why] == nil {
				reasons = append(reasons, r.Why)
			}
			failed[r.Why] = append(failed[r.Why], strconv.Itoa(k+1))
		}
		t.AppendRow(append(row, verdict))
	}
	fmt.Fprintln(w)
	t.Render()
	fmt.Fprintln(w)
	for _, why := range reasons {
		Line(w, "fails", "%s: %s %s", why, english.PluralWord(len(failed[why]), "trial", ""), strings.Join(failed[why], ", "))
	}
}
