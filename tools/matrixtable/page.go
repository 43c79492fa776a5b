package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
)

// page renders the table with a summary above it.
func page(rows []solved, maxTime time.Duration) string {
	t := table.NewWriter()
	t.AppendHeader(table.Row{
		"matrix", "n", "nonzeros", "symmetric", "method", "result", "η_row", "iterations", "SpMVs", "seconds",
	})
	good, wrong := 0, 0
	for _, s := range rows {
		r := s.report
		if s.falsely() {
			wrong++
		}
		if r.Converged {
			good++
		}
		symmetric := "no"
		if r.Matrix.Symmetric {
			symmetric = "yes"
		}
		t.AppendRow(table.Row{
			s.name, r.Matrix.Rows, r.Matrix.NNZ, symmetric, r.Method, r.Reason,
			fmt.Sprintf("%.1e", s.etaRow), r.InnerIterations, r.SpMVs, fmt.Sprintf("%.2f", r.Seconds.Total),
		})
	}
	var b strings.Builder
	fmt.Fprintf(&b, `# Real matrices at default flags

Written by `+"`make table`"+`: each real square matrix of the collection through
`+"`mpsolve solve`"+` with default flags and a limit of %v. η_row is the row-wise
backward error of the x that was written, recomputed from its definition with
math/big (%d bits), by code apart from the solver's. Of %d matrices %d end
converged, and %d of these wrongly. Version %s, %s, %d threads.

`, maxTime, checkBits, len(rows), good, wrong, rows[0].report.Version, runtime.GOARCH, rows[0].report.Threads)
	b.WriteString(t.RenderMarkdown())
	b.WriteString("\n")
	return b.String()
}
