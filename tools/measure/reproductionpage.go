package main

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/reproduce"
	"github.com/mpsolve/mpsolve/reproduce/records"
)

// figures lists the views that are shown, by experiment.
var figures = []struct{ id, view string }{
	{"thesis-fig-3.2", "normwise"},
	{"thesis-fig-3.3", "normwise"},
	{"thesis-fig-3.4", "fp64"},
	{"thesis-fig-3.6", "storage"},
	{"thesis-fig-3.9", "paper"},
	{"thesis-fig-4.5", "storage"},
	{"thesis-fig-4.6", "storage"},
	{"thesis-fig-4.7", "eps24"},
	{"agata-fig-5.1", "distances"},
	{"agata-fig-5.2", "energies"},
	{"accessor-fig-5", "paper"},
	{"accessor-fig-7-8", "error"},
}

// reproductionPageMain writes the measurements of `mpsolve reproduce`, the verdicts on the papers' claims and some
// figures into docs/reproduction-results.md, between its markers.
func reproductionPageMain() {
	measurements := flag.String("measurements", "reproduction/measurements.jsonl", "file of measurements")
	file := flag.String("page", "docs/reproduction-results.md", "page to write into")
	folder := flag.String("figures", "docs/reproduction", "folder for the figures, next to the page")
	flag.Parse()
	if err := writeReproduction(*measurements, *file, *folder); err != nil {
		fmt.Fprintln(os.Stderr, "reproductionpage:", err)
		os.Exit(1)
	}
}

func writeReproduction(measurements, file, folder string) error {
	store, err := records.Load(measurements)
	if err != nil {
		return err
	}
	list := store.Records()
	r, err := records.NewReport(nil, list, nil) // without experiments
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := r.EnvironmentsMarkdown(&b); err != nil {
		return err
	}
	b.WriteString("\n" + about(list) + "\n")
	if err := r.ClaimsMarkdown(&b); err != nil {
		return err
	}
	if err := draw(&b, list, file, folder); err != nil {
		return err
	}
	return records.ReplaceSection(file, "<!-- measured: make reproduction -->", "<!-- end of measured -->", b.String()+"\n")
}

// draw writes the figures, and their links into the page.
func draw(b *strings.Builder, list []records.Record, file, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	all, err := records.All()
	if err != nil {
		return err
	}
	for _, shown := range figures {
		e := all[slices.IndexFunc(all, func(e records.Experiment) bool { return e.ID == shown.id })]
		if e, err = reproduce.Complete(e, records.Cores(list)...); err != nil {
			return err
		}
		v := e.Views[slices.IndexFunc(e.Views, func(v records.View) bool { return v.Name == shown.view })]
		drawn := records.ChartOf(e, v, list)
		if drawn == nil {
			continue // not measured
		}
		name := e.ID + "-" + v.Name + "." + records.SVG
		if err := host.Write(filepath.Join(folder, name), func(w io.Writer) error { return drawn.Write(w, records.SVG) }); err != nil {
			return err
		}
		fmt.Fprintf(b, "\n%s of [%s], %s (`%s`):\n\n![%s](%s)\n", e.Source, e.Paper, lower(v.Title), e.ID, v.Title,
			filepath.ToSlash(filepath.Join(filepath.Base(folder), name)))
	}
	return nil
}

// about counts the records of quick runs and surrogates, and lists the real matrices.
func about(list []records.Record) string {
	quick, surrogates, names := 0, 0, map[string]bool{}
	for _, r := range list {
		if r.Quick {
			quick++
		}
		switch {
		case r.Matrix == nil:
		case r.Matrix.Surrogate:
			surrogates++
		default:
			names[r.Matrix.Name] = true
		}
	}
	matrices := "none"
	if len(names) > 0 {
		matrices = strings.Join(slices.Sorted(maps.Keys(names)), ", ")
	}
	return fmt.Sprintf("Of %d measurements %d are of quick runs, %d with surrogates. Real matrices: %s.\n", len(list), quick, surrogates, matrices)
}

// lower makes the first letter of a title lower case.
func lower(title string) string { return strings.ToLower(title[:1]) + title[1:] }
