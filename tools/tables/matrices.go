package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/mpsolve/mpsolve/internal/cli"
	"github.com/mpsolve/mpsolve/internal/collection"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// solved is a row of the table.
type solved struct {
	report report.Report
	etaRow float64 // by checkRow
}

// writeMatrices solves every real square matrix with the default flags of `mpsolve
// solve` and checks each x with code of its own.
func writeMatrices(o options) error {
	t := table.NewWriter()
	t.AppendHeader(table.Row{
		"matrix", "n", "nonzeros", "symmetric", "method", "result", "η_row", "iterations", "SpMVs", "seconds",
	})
	var last report.Report
	var wrong error
	count, converged, falsely := 0, 0, 0
	err := o.real(func(f collection.Source, p problem) error {
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
			f.Name, r.Matrix.Rows, r.Matrix.NNZ, symmetric, r.Method, r.Reason,
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
(%d bits), independently of the solver. Of %d matrices %d are reported as
converged, %d of them wrongly. Version %s, %s, %d threads.

%s
`, o.limit, checkBits, count, converged, falsely, last.Version, runtime.GOARCH, last.Threads, t.RenderMarkdown())
	return errors.Join(os.WriteFile(o.page, []byte(text), 0o644), wrong)
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
