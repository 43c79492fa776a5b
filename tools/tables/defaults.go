package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/mpsolve/mpsolve/internal/collection"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/tune"
)

// tuningSlower is tune.Options.Slower of the measurements.
const tuningSlower = 2

// measureDefaults compares the default flags with the fastest that a search finds, for every real square matrix.
func measureDefaults(o options) (table.Writer, error) {
	matrices, err := collection.RealSquare(o.dir)
	if err != nil {
		return nil, err
	}
	done, err := o.tuned()
	if err != nil {
		return nil, err
	}
	start := time.Now()
	sortBySize(matrices)
	for _, s := range matrices {
		if _, ok := done[s.Name]; ok || o.budget > 0 && time.Since(start) > o.budget {
			continue
		}
		err := o.each([]collection.Source{s}, func(_ collection.Source, p problem) error {
			t, err := o.tune(p)
			done[p.name] = t
			return errors.Join(err, appendLine(o.record, t))
		})
		if err != nil {
			return nil, err
		}
	}
	return tableOfDefaults(done), nil
}

// tune searches for a matrix.
func (o options) tune(p problem) (t report.Tune, err error) {
	opt := tune.Options{Solve: solve.Options{Threads: o.threads}, Budget: o.limit, Slower: tuningSlower}
	if o.processor {
		opt.Clock = processorTime
	}
	start := time.Now()
	r, err := tune.Search(context.Background(), p.m, p.b, opt)
	t = report.Tune{File: p.name, Rows: p.m.Rows, Nonzeros: p.m.NNZ(), Threads: o.threads}
	t.Fill(r, time.Since(start))
	if r.Best >= 0 {
		fmt.Fprintf(os.Stderr, "%-34s %8.4f s, defaults %8.4f s, %5.2f times; %v\n",
			p.name, t.Trials[t.Best].Total, t.Trials[0].Total, float64(t.Gain), t.Trials[t.Best].Flags)
	}
	return t, err
}

// tuned returns what is on record.
func (o options) tuned() (map[string]report.Tune, error) {
	done := map[string]report.Tune{}
	f, err := os.Open(o.record)
	if o.record == "" || errors.Is(err, fs.ErrNotExist) {
		return done, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for from := json.NewDecoder(f); ; {
		var t report.Tune
		if err := from.Decode(&t); errors.Is(err, io.EOF) {
			return done, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", o.record, err)
		}
		done[t.File] = t
	}
}

// appendLine appends v to a file of JSON lines; "": none.
func appendLine(file string, v any) error {
	if file == "" {
		return nil
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(json.NewEncoder(f).Encode(v), f.Close())
}

// tableOfDefaults has the largest ratios first.
func tableOfDefaults(done map[string]report.Tune) table.Writer {
	var list []report.Tune
	for _, t := range done {
		if t.Gain >= 1 {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b report.Tune) int { return cmp.Or(cmp.Compare(b.Gain, a.Gain), cmp.Compare(a.File, b.File)) })
	t := table.NewWriter()
	t.AppendHeader(table.Row{"matrix", "defaults", "iterations", "s", "fastest found", "iterations", "s", "defaults, × the fastest"})
	var gains []float64
	for _, r := range list {
		gains = append(gains, float64(r.Gain))
		first, best := r.Trials[0], r.Trials[r.Best]
		t.AppendRow(table.Row{
			r.File, first.Method + " + " + first.Precond, first.Iterations, fmt.Sprintf("%.4f", first.Total),
			best.Flags, best.Iterations, fmt.Sprintf("%.4f", best.Total), fmt.Sprintf("%.2f", float64(r.Gain)),
		})
	}
	middle, largest := spread(gains)
	t.AppendRow(table.Row{fmt.Sprintf("**%d matrices**", len(list)), "", "", "", "", "", "", fmt.Sprintf("median %s, most %s", middle, largest)})
	return t
}
