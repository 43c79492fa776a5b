// Package dossier puts everything measured so far on one page: each experiment with
// its tables and figures, what was published beside what was measured, the claims
// of the papers with verdicts, and what was not measured and why.
package dossier

import (
	"bytes"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mpsolve/mpsolve/examples/experiments"
	"github.com/mpsolve/mpsolve/internal/claims"
	"github.com/mpsolve/mpsolve/internal/exhibit"
	"github.com/mpsolve/mpsolve/internal/machine"
	"github.com/mpsolve/mpsolve/internal/records"
)

// Dossier is the content of the page.
type Dossier struct {
	Environments []Environment
	Claims       []claims.Outcome
	Experiments  []Experiment
}

// Environment is one that measurements were made in.
type Environment struct {
	machine.Environment
	Measurements int
	First, Last  time.Time
}

// Experiment is one with its exhibits.
type Experiment struct {
	experiments.Experiment
	Lacking  []string // what was not measured, and why
	Exhibits []Exhibit
}

// Exhibit is a table, with what was published, and a figure.
type Exhibit struct {
	Sheet, Published *exhibit.Sheet // Published is nil if nothing was
	Figure           template.HTML  // SVG; "" if there is none
	FigureFile       string         // its name beside the page
}

// ClaimsByPaper are the claims by the key of their paper.
func (d Dossier) ClaimsByPaper() map[string][]claims.Outcome {
	papers := map[string][]claims.Outcome{}
	for _, c := range d.Claims {
		papers[c.Paper] = append(papers[c.Paper], c)
	}
	return papers
}

// Lacking says in words what an experiment lacks.
type Lacking func(e experiments.Experiment) ([]string, error)

// New puts the page together from completed experiments.
func New(list []experiments.Experiment, measured []records.Record, lacking Lacking) (Dossier, error) {
	d := Dossier{Environments: environments(measured), Claims: claims.Check(measured)}
	for _, e := range list {
		part := Experiment{Experiment: e}
		var err error
		if part.Lacking, err = lacking(e); err != nil {
			return d, err
		}
		for _, v := range e.Views {
			t := exhibit.Pivot(e, v, measured)
			if !t.Measured() {
				continue
			}
			x, err := newExhibit(&t)
			if err != nil {
				return d, fmt.Errorf("%s: view %s: %w", e.ID, v.Name, err)
			}
			part.Exhibits = append(part.Exhibits, x)
		}
		d.Experiments = append(d.Experiments, part)
	}
	return d, nil
}

func newExhibit(t *exhibit.Table) (x Exhibit, err error) {
	sheet := t.Sheet()
	x.Sheet = &sheet
	if published := exhibit.Compare(t); len(published.Body) > 0 {
		x.Published = &published
	}
	if t.View.Figure == nil {
		return x, nil
	}
	var svg bytes.Buffer
	if err := exhibit.Draw(t, *t.View.Figure, &svg, exhibit.SVG); err != nil {
		return x, err
	}
	text := svg.String()
	if _, element, ok := strings.Cut(text, "<svg"); ok {
		text = "<svg" + element // without the preamble of a file
	}
	x.Figure, x.FigureFile = template.HTML(text), sheet.Name+"."+exhibit.SVG
	return x, nil
}

// environments lists those of the records, the most used first.
func environments(list []records.Record) []Environment {
	found := map[machine.Environment]*Environment{}
	for _, r := range list {
		e := found[r.Environment]
		if e == nil {
			e = &Environment{Environment: r.Environment, First: r.Time, Last: r.Time}
			found[r.Environment] = e
		}
		e.Measurements++
		if r.Time.Before(e.First) {
			e.First = r.Time
		}
		if r.Time.After(e.Last) {
			e.Last = r.Time
		}
	}
	return slices.SortedFunc(func(yield func(Environment) bool) {
		for e := range maps.Values(found) {
			if !yield(*e) {
				return
			}
		}
	}, func(a, b Environment) int {
		if a.Measurements != b.Measurements {
			return b.Measurements - a.Measurements
		}
		return a.First.Compare(b.First)
	})
}
