package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/reproduce/records"
)

// large is the number of nonzeros above which only few variants are solved with; with the others the matrix is stored
// and multiplied.
const large = 5_000_000

var (
	precisionMatrices = []string{"G3_circuit", "bcsstk15", "bcsstk19", "1138_bus", "memplus", "ScaleMicrogrid_Jacobian_N1000_01"}
	setNames          = []string{"AP2", "AP7", "AP7RE", "AP7REU", "AFX"}
	epsilons          = []string{"2^-53", "2^-37", "2^-24", "2^-16"}
)

// writePrecision measures the size and the cost of storage in adaptive precision, and draws the bytes of an element.
func writePrecision(o options) error {
	if err := tablesDraw(o.figure); err != nil {
		return err
	}
	var text strings.Builder
	err := o.named(precisionMatrices, func(_ matrixio.Source, p problem) error { return measureVariants(&text, p) })
	if err != nil {
		return err
	}
	return records.ReplaceSection(o.page, "<!-- measured: make precision-table -->", "<!-- end of measured -->", text.String())
}

// variant is one way to store a matrix, with its measurements.
type variant struct {
	storage    solve.Storage
	name       string
	epsilon    string // "" for a single format
	stats      adaptive.Stats
	error      float64
	perNonzero float64 // bytes
	solved     bool    // a solve was attempted
	result     solve.Result
}

// variants lists the variants that are measured for a matrix, FP64 first.
func variants() ([]variant, error) {
	list := []variant{{name: "FP64"}, {name: "FP32"}}
	for _, epsilon := range epsilons {
		for _, set := range setNames {
			list = append(list, variant{name: set, epsilon: epsilon})
		}
	}
	for k := range list {
		v := &list[k]
		set, err := adaptive.LookupSet(v.name)
		if err != nil {
			return nil, err
		}
		v.storage = solve.Storage{Set: set, Layout: adaptive.Bucketed}
		if v.epsilon != "" {
			if v.storage.Epsilon, err = packed.ParseEpsilon(v.epsilon); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// measureVariants stores, multiplies and solves with every variant.
func measureVariants(text *strings.Builder, p problem) error {
	list, err := variants()
	if err != nil {
		return err
	}
	m := p.m
	pool := parallel.New(0)
	defer pool.Close()
	symmetric := csr.Examine(m, pool).Symmetric
	scaled, err := scale(m, symmetric, pool)
	if err != nil {
		return err
	}
	x := generate.RandomVector(m.Cols, 1)
	b, y := make([]float64, m.Rows), make([]float64, m.Rows)
	m.MulVec(b, x)
	for k := range list {
		v := &list[k]
		a, err := adaptive.Build(scaled, rules.Spec(v.storage, symmetric), pool)
		if err != nil {
			return err
		}
		a.Apply(y, x)
		v.error = lab.MeasureProduct(scaled, x, y, pool).Row
		v.stats, v.perNonzero = a.Stats(), a.Stats().PerNonzero()
		if k == 0 {
			v.perNonzero = float64(m.Bytes()) / float64(v.stats.NNZ)
		}
		v.solved = m.NNZ() < large || v.epsilon == "" || v.name == "AFX" && v.epsilon != "2^-16"
		if v.solved {
			if err := v.solve(m, b); err != nil {
				return err
			}
		}
		fmt.Fprintf(os.Stderr, "%-12s %-7s %-6s %6.2f B/nz  error %.1e  %d iterations\n",
			p.name, v.name, v.epsilon, v.perNonzero, v.error, v.result.Iterations)
	}
	writeVariants(text, p, symmetric, list)
	return nil
}

// scale scales m as solve does by default.
func scale(m *csr.Matrix, symmetric bool, pool *parallel.Pool) (*csr.Matrix, error) {
	if !symmetric {
		return csr.BothScaling(m, pool).Apply(m, pool), nil
	}
	s, err := csr.SymmetricScaling(m, false, pool)
	return s.Apply(m, pool), err
}

func (v *variant) solve(m *csr.Matrix, b []float64) error {
	s, err := solver.New(context.Background(), m, solve.Options{Storage: v.storage, Accuracy: solve.Accuracy{Digits: solve.NoDigits}, Precond: solve.Precond{Kind: precond.None}})
	if err != nil {
		return err
	}
	defer s.Close()
	v.result, err = s.Solve(context.Background(), b, nil)
	return err
}

// equalIterations is the ratio to the iterations of FP64 that still counts as equal.
const equalIterations = 1.1

// writeVariants writes the measurements of one matrix: a row for each format set, columns by epsilon.
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

// cell returns bytes, error and iterations, with an arrow if the solve raised the precision.
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

// tablesDraw draws the bytes of an element a over its magnitude, for epsilon = 2^-53: the bytes that a adds to a row
// of norm 1 whose other element is 1 - a.
func tablesDraw(path string) error {
	pool := parallel.New(1)
	defer pool.Close()
	g := records.Chart{Kind: records.History, X: records.ChartAxis{Text: "log2( |a| / ||A|| )"}}
	panel := g.AddPanel(records.Panel{Title: "Bytes that an element takes (ε = 2^-53, NW)", Y: records.ChartAxis{Text: "bytes"}})
	m := &csr.Matrix{Rows: 1, Cols: 2, RowPtr: []int64{0, 2}, Col: []int32{0, 1}, Val: make([]float64, 2)}
	for k, name := range []string{"FP64", "AP7", "AP7RE", "AFX"} {
		set, err := adaptive.LookupSet(name)
		if err != nil {
			return err
		}
		for x := -60.0; x <= -0.05; x += 0.1 {
			bytes := 0.04 * float64(k) // separates equal lines
			for _, a := range []float64{math.Exp2(x), 0} {
				m.Val[0], m.Val[1] = 1-math.Exp2(x), a
				stats, err := adaptive.Predict(m, adaptive.Spec{Set: set, Epsilon: 0x1p-53}, pool)
				if err != nil {
					return err
				}
				for _, f := range stats.Formats {
					if taken := float64(f.Count * f.Format.Bytes); a != 0 {
						bytes += taken
					} else {
						bytes -= taken
					}
				}
			}
			g.Add(panel, name, x, bytes)
		}
	}
	return host.Write(path, func(w io.Writer) error { return g.Write(w, records.SVG) })
}
