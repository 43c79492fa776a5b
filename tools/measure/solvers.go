package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/reproduce/records"
)

const (
	small     = 1_000_000 // nonzeros of the matrices that all kinds are run on
	maxIter   = 20000     // of these matrices
	reduction = 1e-8      // of ||r||/||b||, for large problems
)

// solverTables lists the tables, with the pages that have them; "": standard output.
var solverTables = []struct {
	name, page string
	measure    func(options) (table.Writer, error)
}{
	{"matrices", "", measureMatrices},
	{"kinds", "docs/measured.md", measureKinds},
	{"growth", "docs/multigrid.md", measureGrowth},
	{"precision", "docs/measured.md", measurePrecision},
	{"large", "docs/measured.md", measureLarge},
	{"vectors", "", measureVectors},
	{"defaults", "", measureDefaults},
	{"vectors alone", "docs/measured.md", measureVectorsAlone},
}

// writeSolvers measures the gain of preconditioners.
func writeSolvers(o options) error {
	for _, t := range solverTables {
		if o.part != "" && o.part != t.name {
			continue
		}
		measured, err := t.measure(o)
		if err != nil {
			return err
		}
		page := cmp.Or(o.page, t.page)
		if page == "" {
			fmt.Println(measured.RenderMarkdown())
			continue
		}
		begin, end := fmt.Sprintf("<!-- measured: make solver-table, %s -->", t.name), fmt.Sprintf("<!-- end of measured, %s -->", t.name)
		if err := records.ReplaceSection(page, begin, end, measured.RenderMarkdown()+"\n\n"); err != nil {
			return err
		}
	}
	return nil
}

// small calls do for every real square matrix with at most that many nonzeros.
func (o options) small(do func(problem) error) error {
	return o.real(func(_ matrixio.Source, p problem) error {
		if p.m.NNZ() > small {
			return nil
		}
		return do(p)
	})
}

// measureMatrices compares no preconditioner with the default.
func measureMatrices(o options) (table.Writer, error) {
	t := table.NewWriter()
	t.AppendHeader(table.Row{"matrix", "n", "without: result", "iterations", "s", "default: method", "result", "iterations", "s"})
	solved := [2]int{}
	count := 0
	err := o.real(func(_ matrixio.Source, p problem) error {
		none := o.solve(p, solve.Options{Precond: solve.Precond{Kind: precond.None}})
		auto := o.solve(p, solve.Options{})
		count++
		for k, tried := range []tablesOutcome{none, auto} {
			if tried.ok() {
				solved[k]++
			}
		}
		t.AppendRow(table.Row{
			p.name, p.m.Rows, tablesVerdict(none), none.result.Iterations, seconds(none),
			auto.result.Method + " + " + string(auto.result.Precond.Kind), tablesVerdict(auto), auto.result.Iterations, seconds(auto),
		})
		return nil
	})
	t.AppendRow(table.Row{fmt.Sprintf("**solved, of %d**", count), "", fmt.Sprintf("**%d**", solved[0]), "", "", "", fmt.Sprintf("**%d**", solved[1]), "", ""})
	return t, err
}

func tablesVerdict(o tablesOutcome) string {
	switch {
	case o.err != nil:
		return "**" + o.err.Error() + "**"
	case o.ok():
		return fmt.Sprintf("%.0e", o.result.Errors.Row)
	}
	return fmt.Sprintf("**%s**, %.0e", o.result.Reason, o.result.Errors.Row)
}

func seconds(o tablesOutcome) string {
	if o.err != nil {
		return ""
	}
	return fmt.Sprintf("%.3f", o.total())
}

// kinds returns all kinds but none.
func kinds() []precond.Kind { return precond.Kinds()[1:] }

// measureKinds runs every kind on the matrices that are not large.
func measureKinds(o options) (table.Writer, error) {
	t := table.NewWriter()
	header := table.Row{"matrix", "none"}
	for _, k := range kinds() {
		header = append(header, k)
	}
	t.AppendHeader(header)
	err := o.small(func(p problem) error {
		row := table.Row{p.name}
		for _, k := range append([]precond.Kind{precond.None}, kinds()...) {
			tried := o.solve(p, solve.Options{Precond: solve.Precond{Kind: k}, Limits: solve.Limits{MaxIter: maxIter}})
			switch {
			case tried.err != nil:
				row = append(row, "–")
			case !tried.ok():
				row = append(row, "✗")
			default:
				row = append(row, tried.result.Iterations)
			}
		}
		t.AppendRow(row)
		return nil
	})
	return t, err
}

// measureGrowth measures multigrid from 1e4 unknowns up.
func measureGrowth(o options) (table.Writer, error) {
	t := table.NewWriter()
	t.AppendHeader(table.Row{"problem", "unknowns", "nonzeros", "iterations", "× those of the first", "set-up, s", "solve, s"})
	for _, series := range []struct {
		kind    string
		decades float64
		n       []float64
	}{
		{"poisson3d", 0, []float64{22, 46, 100}},
		{"poisson3d", 4, []float64{22, 46, 100}},
		{"elasticity3d", 0, []float64{15, 32, 46}},
		{"elasticity3d", 6, []float64{15, 32, 46}},
	} {
		first := 0
		for _, n := range series.n {
			p, err := tablesGenerated(series.kind, generate.Params{"n": n, "decades": series.decades})
			if err != nil {
				return nil, err
			}
			r := o.solve(p, toReduction(precond.AMG, 0))
			if !r.ok() {
				return nil, fmt.Errorf("%s: %v, %v", p.name, r.result.Reason, r.err)
			}
			if first == 0 {
				first = r.result.Iterations
			}
			t.AppendRow(table.Row{
				fmt.Sprintf("%s, %g decades", series.kind, series.decades), p.m.Rows, p.m.NNZ(), r.result.Iterations,
				fmt.Sprintf("%.2f", float64(r.result.Iterations)/float64(first)),
				fmt.Sprintf("%.3f", r.setup.Seconds()), fmt.Sprintf("%.3f", r.total()-r.setup.Seconds()),
			})
		}
	}
	return t, nil
}

// toReduction returns options with PETSc's usual criterion: ||r|| <= 1e-8 ||b||.
func toReduction(kind precond.Kind, epsilon float64) solve.Options {
	return solve.Options{Accuracy: solve.Accuracy{Stop: solve.StopRel, Tol: reduction}, Precond: solve.Precond{Kind: kind, Epsilon: epsilon}}
}

// measurePrecision compares reduced precision with FP64 on the matrices that are not large.
func measurePrecision(o options) (table.Writer, error) {
	iterations, bytes := map[precond.Kind][]float64{}, map[precond.Kind][]float64{}
	var all []float64
	compare := func(p problem) error {
		for _, k := range kinds() {
			opt := solve.Options{Precond: solve.Precond{Kind: k, Epsilon: adaptive.MinEpsilon}, Limits: solve.Limits{MaxIter: maxIter}}
			fp64 := o.solve(p, opt)
			opt.Precond.Epsilon = 0
			reduced := o.solve(p, opt)
			if !fp64.ok() || !reduced.ok() {
				continue
			}
			ratio := float64(reduced.result.Iterations) / float64(max(fp64.result.Iterations, 1))
			iterations[k], all = append(iterations[k], ratio), append(all, ratio)
			if c := fp64.result.Precond.Cost.ValueBytes; c > 0 {
				bytes[k] = append(bytes[k], float64(reduced.result.Precond.Cost.ValueBytes)/float64(c))
			}
		}
		return nil
	}
	if err := o.small(compare); err != nil {
		return nil, err
	}
	t := table.NewWriter()
	t.AppendHeader(table.Row{"preconditioner", "matrices", "iterations, × FP64: median", "largest", "value bytes, × FP64: median", "largest"})
	for _, k := range kinds() {
		middle, largest := tablesSpread(iterations[k])
		middleBytes, largestBytes := tablesSpread(bytes[k])
		t.AppendRow(table.Row{k, len(iterations[k]), middle, largest, middleBytes, largestBytes})
	}
	middle, largest := tablesSpread(all)
	t.AppendRow(table.Row{"**all**", len(all), "**" + middle + "**", largest, "", ""})
	return t, nil
}

// tablesSpread returns the median and the largest value for a table.
func tablesSpread(v []float64) (middle, largest string) {
	if len(v) == 0 {
		return "", ""
	}
	slices.Sort(v)
	return fmt.Sprintf("%.3f", v[len(v)/2]), fmt.Sprintf("%.3f", v[len(v)-1])
}

// repeats is the number of solves of a large problem; the fastest counts.
const repeats = 3

// measureLarge compares the times of reduced precision and FP64, interleaved.
func measureLarge(o options) (table.Writer, error) {
	g3, err := tablesRead(matrixio.Named(o.dir, "G3_circuit"))
	if err != nil {
		return nil, err
	}
	diffusion, err := tablesGenerated("poisson3d", generate.Params{"n": 100, "decades": 4})
	if err != nil {
		return nil, err
	}
	elastic, err := tablesGenerated("elasticity3d", generate.Params{"n": 46})
	if err != nil {
		return nil, err
	}
	t := table.NewWriter()
	t.AppendHeader(table.Row{
		"problem", "preconditioner", "FP64: iterations", "value MB", "MB", "s", "reduced: iterations", "value MB", "MB", "s", "× the time",
	})
	for _, p := range []problem{g3, diffusion, elastic} {
		for _, k := range []precond.Kind{precond.Jacobi, precond.BlockJacobi, precond.IC0, precond.Chebyshev, precond.FSAI, precond.AMG} {
			var best [2]tablesOutcome
			for r := range repeats {
				for e, epsilon := range []float64{adaptive.MinEpsilon, 0} {
					if s := o.solve(p, toReduction(k, epsilon)); r == 0 || s.ok() && s.total() < best[e].total() {
						best[e] = s
					}
				}
				if best[1].total() > 10 { // seconds
					break
				}
			}
			row := table.Row{p.name, k}
			for _, s := range best {
				if !s.ok() {
					row = append(row, "–", "", "", "")
					continue
				}
				c := s.result.Precond.Cost
				row = append(row, s.result.Iterations, megabytes(c.ValueBytes), megabytes(c.Bytes), seconds(s))
			}
			ratio := ""
			if best[0].ok() && best[1].ok() {
				ratio = fmt.Sprintf("%.2f", best[1].total()/best[0].total())
			}
			t.AppendRow(append(row, ratio))
		}
	}
	return t, nil
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f", float64(n)/1e6) }
