package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/mpsolve/mpsolve/internal/cli"
	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// solved is a row of the table.
type solved struct {
	report report.Report
	etaRow float64 // by checkRow
}

// writeMatrices solves every real square matrix with the default flags of `mpsolve solve` and checks each x
// independently.
func writeMatrices(o options) error {
	t := table.NewWriter()
	t.AppendHeader(table.Row{
		"matrix", "n", "nonzeros", "symmetric", "method", "preconditioner", "matrix in", "preconditioner in", "result", "η_row", "iterations", "SpMVs", "seconds",
	})
	var last report.Report
	var wrong error
	count, converged, falsely := 0, 0, 0
	err := o.real(func(f matrixio.Source, p problem) error {
		s, err := solveDefault(f.Path, p, o.limit)
		if err != nil {
			return err
		}
		r := s.report
		fmt.Fprintf(os.Stderr, "%-34s %-8s %-20s %.1e %8.2f s\n", f.Name, r.Method, r.Reason, s.etaRow, r.Seconds.Total)
		last = r
		count++
		if r.Converged {
			converged++
			if !(s.etaRow <= r.Tolerance) {
				falsely++
				wrong = errors.Join(wrong, fmt.Errorf("%s: reported as converged, but the row-wise error is %g", f.Name, s.etaRow))
			}
		}
		symmetric := "no"
		if r.Matrix.Symmetric {
			symmetric = "yes"
		}
		t.AppendRow(table.Row{
			f.Name, r.Matrix.Rows, r.Matrix.NNZ, symmetric, r.Method, r.Preconditioner.Kind,
			reduced(float64(r.Bytes.Stored), float64(r.Bytes.FP64CSR), len(r.Stored) > 0),
			reduced(float64(r.Preconditioner.Bytes), float64(r.Preconditioner.FP64Bytes), r.Preconditioner.Bytes < r.Preconditioner.FP64Bytes), r.Reason,
			fmt.Sprintf("%.1e", s.etaRow), r.InnerIterations, r.SpMVs, fmt.Sprintf("%.2f", r.Seconds.Total),
		})
		return nil
	})
	if err != nil {
		return err
	}
	text := fmt.Sprintf(`# Real matrices with default flags

Written by `+"`make table`"+`: every real square matrix of the collection, solved by
`+"`mpsolve solve`"+` with default flags and a limit of %v. η_row is the row-wise
backward error of the written x, recomputed from its definition with math/big
(%d bits), independently of the solver. "In" is the precision at the end: FP64, or the bytes relative to FP64, indices and work vectors included. Of %d matrices %d are reported as
converged, %d of them wrongly. Version %s, %s, %d threads.

%s
`, o.limit, checkBits, count, converged, falsely, last.Version, runtime.GOARCH, last.Threads, t.RenderMarkdown())
	return errors.Join(os.WriteFile(o.page, []byte(text), 0o644), wrong)
}

// reduced returns bytes relative to those in FP64; "FP64" where nothing is below FP64.
func reduced(bytes, fp64 float64, below bool) string {
	if !below {
		return "FP64"
	}
	return fmt.Sprintf("%.2f", bytes/fp64)
}

// solveDefault runs `mpsolve solve` on a file and checks its x.
func solveDefault(path string, p problem, limit time.Duration) (solved, error) {
	file, err := os.CreateTemp("", "x-*.mtx")
	if err != nil {
		return solved{}, err
	}
	defer os.Remove(file.Name())
	if err := file.Close(); err != nil {
		return solved{}, err
	}
	var out, errOut bytes.Buffer
	code := cli.Main([]string{"solve", path, "--json", "--output", file.Name(), "--max-time", limit.String()}, nil, &out, &errOut)
	var s solved
	if err := json.Unmarshal(out.Bytes(), &s.report); err != nil {
		return s, fmt.Errorf("exit code %d, %s", code, errOut.String())
	}
	x, err := matrixmarket.ReadFile(context.Background(), file.Name(), matrixmarket.Options{})
	if err != nil {
		return s, err
	}
	s.etaRow = checkRow(p, x.Dense)
	return s, nil
}

// tuningSlower is lab.TuneOptions.Slower of the measurements.
const tuningSlower = 2

// measureDefaults compares the default flags with the fastest flags that a search finds, for every real square
// matrix.
func measureDefaults(o options) (table.Writer, error) {
	matrices, err := matrixio.RealSquare(o.dir)
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
		err := o.each([]matrixio.Source{s}, func(_ matrixio.Source, p problem) error {
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

// tune runs a search for a matrix.
func (o options) tune(p problem) (t report.Tune, err error) {
	opt := lab.TuneOptions{Solve: solve.Options{Limits: solve.Limits{Threads: o.threads}}, Budget: o.limit, Slower: tuningSlower}
	if o.processor {
		opt.Clock = processorTime
	}
	start := time.Now()
	r, err := lab.TuneSearch(context.Background(), p.m, p.b, opt)
	t = report.Tune{File: p.name, Rows: p.m.Rows, Nonzeros: p.m.NNZ(), Threads: o.threads}
	t.Fill(r, time.Since(start))
	if r.Best >= 0 {
		fmt.Fprintf(os.Stderr, "%-34s %8.4f s, defaults %8.4f s, %5.2f times; %v\n",
			p.name, t.Trials[t.Best].Total, t.Trials[0].Total, float64(t.Gain), t.Trials[t.Best].Flags)
	}
	return t, err
}

// tuned returns the recorded searches.
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

// appendLine appends v to a file of JSON lines; file "" means none.
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

// tableOfDefaults sorts the largest ratios first.
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
	middle, largest := tablesSpread(gains)
	t.AppendRow(table.Row{fmt.Sprintf("**%d matrices**", len(list)), "", "", "", "", "", "", fmt.Sprintf("median %s, most %s", middle, largest)})
	return t
}
