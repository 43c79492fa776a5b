package main

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
)

// equalIterations is the ratio to the iterations of FP64 that counts as equal.
const equalIterations = 1.1

// writeVariants writes what was measured of one matrix: a row for each format set,
// columns by epsilon.
func writeVariants(text *strings.Builder, p problem, symmetric bool, list []variant) {
	fp64 := list[0]
	method, criterion := fp64.result.Method, "cw"
	if symmetric {
		criterion = "nw"
	}
	fmt.Fprintf(text, "**%s**: n = %d, %d nonzeros, %s, criterion %s; FP64 CSR takes %.2f bytes per nonzero and %d iterations.\n\n",
		p.name, p.m.Rows, fp64.stats.NNZ, strings.ToUpper(method), criterion, fp64.perNonzero, fp64.result.Iterations)
	t := table.NewWriter()
	header := table.Row{"bytes per nonzero · error · iterations"}
	for _, e := range epsilons {
		header = append(header, "ε = "+e)
	}
	t.AppendHeader(append(header, "bytes at equal iterations"))
	uniform := list[1]
	t.AppendRow(table.Row{"uniform FP32", "", "", uniform.cell(), "", equalBytes(fp64, []variant{uniform})})
	for _, set := range setNames {
		row := table.Row{set}
		var own []variant
		for _, v := range list {
			if v.name == set {
				row = append(row, v.cell())
				own = append(own, v)
			}
		}
		t.AppendRow(append(row, equalBytes(fp64, own)))
	}
	text.WriteString(t.RenderMarkdown())
	text.WriteString("\n\n")
}

// cell returns bytes, error and iterations, with an arrow if the solve raised the
// precision.
func (v variant) cell() string {
	iterations := "–"
	if v.solved {
		iterations = fmt.Sprint(v.result.Iterations)
		if v.raised() {
			iterations += " ↑"
		}
		if !v.result.Reason.Converged() {
			iterations += " (" + v.result.Reason.String() + ")"
		}
	}
	return fmt.Sprintf("%.2f · %.0e · %s", v.perNonzero, v.error, iterations)
}

// raised reports whether the solve ended with another storage.
func (v variant) raised() bool {
	return v.storage.Set.Name != v.result.Storage.Set.Name ||
		v.storage.Epsilon != 0 && v.storage.Epsilon != v.result.Storage.Epsilon
}

// equalBytes returns the least bytes per nonzero of a variant whose solve needs at
// most equalIterations times the iterations of FP64.
func equalBytes(fp64 variant, list []variant) string {
	best := "–"
	least := fp64.perNonzero
	for _, v := range list {
		if v.solved && v.result.Reason.Converged() && !v.raised() && v.perNonzero < least &&
			float64(v.result.Iterations) <= equalIterations*float64(fp64.result.Iterations) {
			least = v.perNonzero
			best = fmt.Sprintf("%.2f", least)
			if v.epsilon != "" {
				best += " (" + v.epsilon + ")"
			}
		}
	}
	return best
}
