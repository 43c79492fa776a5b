package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/mpsolve/mpsolve/lab"
)

// Tune is the output of `mpsolve tune`.
type Tune struct {
	Version   string      `json:"version"`
	File      string      `json:"file"`
	Rows      int         `json:"rows"`
	Nonzeros  int         `json:"nonzeros"`
	RHS       string      `json:"rhs"`
	Stop      string      `json:"stop"`
	Tol       float64     `json:"tolerance"`
	Threads   int         `json:"threads,omitempty"` // requested
	Trials    []TuneTrial `json:"trials"`            // the first one is the defaults
	Best      int         `json:"best"`              // index of the trial to recommend: the defaults, unless another is significantly faster; -1: none passes
	Gain      Number      `json:"gain"`              // time of the defaults over time of the best trial; NaN: one of them does not pass
	Rival     lab.Pairing `json:"rival,omitzero"`    // the fastest other trial, if the defaults pass
	Complete  bool        `json:"complete"`          // there was time for all trials
	Seconds   float64     `json:"seconds"`
	Command   string      `json:"command,omitempty"` // command line with the best flags
	Learnt    string      `json:"learnt,omitempty"`  // file of what was learnt
	Processor string      `json:"processor"`
}

// TuneTrial is a solve with some settings.
type TuneTrial struct {
	Flags      string  `json:"flags"` // the flags that only this trial has
	Method     string  `json:"method"`
	Precond    string  `json:"preconditioner"`
	Precision  string  `json:"precision"`
	Layout     string  `json:"layout"`
	Iterations int     `json:"iterations"`
	SetUp      float64 `json:"setup_seconds"`
	Solve      float64 `json:"solve_seconds"`
	Total      float64 `json:"total_seconds"` // in the fastest run, without reading the matrix
	Error      Number  `json:"backward_error"`
	Runs       int     `json:"runs"`
	Passes     bool    `json:"passes"`
	Why        string  `json:"why,omitempty"`
}

// Fill takes over the result of a search.
func (t *Tune) Fill(r lab.TuneResult, took time.Duration) {
	t.Best, t.Gain, t.Rival, t.Complete, t.Seconds = r.Best, Number(r.Gain()), r.Rival, r.Complete, took.Seconds()
	t.Trials = []TuneTrial{}
	for _, o := range r.Trials {
		t.Trials = append(t.Trials, TuneTrial{
			o.Setting.String(), o.Method, o.Precond, o.Precision, string(o.Layout),
			o.Iterations, o.SetUp.Seconds(), o.Solve.Seconds(), o.Total.Seconds(), Number(o.Error), o.Runs, o.Passes, o.Why,
		})
	}
}

// WriteText writes trials and the result as text.
func (t *Tune) WriteText(w io.Writer) {
	t.table(w)
	switch {
	case len(t.Trials) == 0:
		Line(w, "result", "stopped before the first trial ended")
		return
	case t.Best < 0:
		Line(w, "result", "no trial converged (the defaults: %s)", t.Trials[0].Why)
		return
	}
	best := t.Trials[t.Best]
	switch {
	case t.Best == 0:
		Line(w, "best", "the defaults, %.3g s", best.Total)
	case t.Trials[0].Passes:
		Line(w, "best", "%s: %.3g s; the defaults %.3g s, %.2f times as long", best.Flags, best.Total, t.Trials[0].Total, float64(t.Gain))
	default:
		Line(w, "best", "%s: %.3g s; the defaults did not converge (%s)", best.Flags, best.Total, t.Trials[0].Why)
	}
	if p := t.Rival; p.Pairs > 1 {
		Line(w, "rival", "%s: %.2f times as fast as the defaults in %d pairs of runs (p = %.1g)", t.Trials[p.Trial].Flags, p.Gain, p.Pairs, p.P)
	} else if p.Trial > 0 {
		Line(w, "rival", "%s: %.3g s, but there was no time to run it and the defaults in turns (--budget)", t.Trials[p.Trial].Flags, t.Trials[p.Trial].Total)
	}
	tooSlow := 0
	for _, r := range t.Trials {
		if r.Why == lab.TooSlow {
			tooSlow++
		}
	}
	rest := "everything was tried"
	if !t.Complete {
		rest = "there is more to try (--budget)"
	}
	Line(w, "search", "%s in %.1f s, %d of them too slow to go on; %s", english.Plural(len(t.Trials), "trial", ""), t.Seconds, tooSlow, rest)
	Line(w, "command", "%s", t.Command)
	Line(w, "learnt", "%s", cmp.Or(t.Learnt, "nothing is kept (--learn)"))
}

// table writes the trials: the fastest first, with a mark, and those that do not pass last.
func (t *Tune) table(w io.Writer) {
	order := make([]int, len(t.Trials))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.Trials[a].Total, t.Trials[b].Total) })
	list := newTable(w, "method", "precond", "precision", "layout", "iterations", "set-up s", "solve s", "total s", "error", "")
	list.words(2, 3, 4, 10)
	list.spare(9, 6, 7, 5, 4, 10)
	var failed []int
	for _, k := range order {
		r, mark := t.Trials[k], ""
		switch {
		case r.Why == lab.TooSlow:
			continue
		case !r.Passes:
			failed = append(failed, k)
			continue
		case k == t.Best && k == 0:
			mark = "best: the defaults"
		case k == t.Best:
			mark = "best"
		case k == 0:
			mark = "the defaults"
		}
		list.AppendRow(table.Row{
			r.Method, short.Replace(r.Precond), short.Replace(r.Precision), r.Layout, r.Iterations, brief(r.SetUp), brief(r.Solve), brief(r.Total),
			fmt.Sprintf("%.1e", float64(r.Error)), mark,
		})
	}
	if list.Length() > 0 {
		list.Render()
		fmt.Fprintln(w)
	}
	for _, k := range failed {
		Line(w, "failed", "%s: %s, after %s s", t.Trials[k].Flags, t.Trials[k].Why, brief(t.Trials[k].Total))
	}
}

// short shortens settings by words that every cell of a column would repeat.
var short = strings.NewReplacer(" at epsilon ", " ", ", nw", "", ", drop ", " ")

// brief returns a number of seconds with three digits.
func brief(seconds float64) string { return fmt.Sprintf("%.3g", seconds) }

// Comment returns a few lines that say where the best flags come from.
func (t *Tune) Comment() string {
	text := fmt.Sprintf("mpsolve %s tune %s, n = %d, %d nonzeros, on %s\n", t.Version, t.File, t.Rows, t.Nonzeros, t.Processor)
	if t.Best >= 0 {
		text += fmt.Sprintf("%s s in all, %s with the defaults\n", brief(t.Trials[t.Best].Total), brief(t.Trials[0].Total))
	}
	return text
}
