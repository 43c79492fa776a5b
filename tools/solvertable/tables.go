package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/mpsolve/mpsolve/internal/collection"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

const (
	everything = math.MaxInt
	small      = 1_000_000 // nonzeros of the matrices that all kinds are tried on
	reduction  = 1e-8      // of ||r||/||b||, for large problems
)

// measureMatrices compares no preconditioner with the default.
func measureMatrices(s source) (string, error) {
	t := table.NewWriter()
	t.AppendHeader(table.Row{"matrix", "n", "without: result", "iterations", "s", "default: method", "result", "iterations", "s"})
	solved := [2]int{}
	count := 0
	err := s.real(everything, func(p problem) error {
		none := s.solve(p, solve.Options{Precond: solve.Precond{Kind: precond.None}})
		auto := s.solve(p, solve.Options{})
		count++
		for k, o := range []outcome{none, auto} {
			if o.ok() {
				solved[k]++
			}
		}
		t.AppendRow(table.Row{
			p.name, p.m.Rows, verdict(none), none.result.Iterations, seconds(none),
			auto.result.Method + " + " + string(auto.result.Precond.Kind), verdict(auto), auto.result.Iterations, seconds(auto),
		})
		return nil
	})
	t.AppendRow(table.Row{fmt.Sprintf("**solved, of %d**", count), "", fmt.Sprintf("**%d**", solved[0]), "", "", "", fmt.Sprintf("**%d**", solved[1]), "", ""})
	return t.RenderMarkdown(), err
}

func verdict(o outcome) string {
	switch {
	case o.err != nil:
		return "**" + o.err.Error() + "**"
	case o.ok():
		return fmt.Sprintf("%.0e", o.result.Errors.Row)
	}
	return fmt.Sprintf("**%s**, %.0e", o.result.Reason, o.result.Errors.Row)
}

func seconds(o outcome) string {
	if o.err != nil {
		return ""
	}
	return fmt.Sprintf("%.3f", o.total())
}

// kinds are all but none.
func kinds() []precond.Kind { return precond.Kinds()[1:] }

// measureKinds tries every kind on the matrices that are not large.
func measureKinds(s source) (string, error) {
	t := table.NewWriter()
	header := table.Row{"matrix", "none"}
	for _, k := range kinds() {
		header = append(header, k)
	}
	t.AppendHeader(header)
	err := s.real(small, func(p problem) error {
		row := table.Row{p.name}
		for _, k := range append([]precond.Kind{precond.None}, kinds()...) {
			o := s.solve(p, solve.Options{Precond: solve.Precond{Kind: k}, MaxIter: 20000})
			switch {
			case o.err != nil:
				row = append(row, "–")
			case !o.ok():
				row = append(row, "✗")
			default:
				row = append(row, o.result.Iterations)
			}
		}
		t.AppendRow(row)
		return nil
	})
	return t.RenderMarkdown(), err
}

// measureGrowth follows multigrid from 1e4 unknowns up.
func measureGrowth(s source) (string, error) {
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
			p, err := generated(series.kind, generate.Params{"n": n, "decades": series.decades})
			if err != nil {
				return "", err
			}
			o := s.solve(p, toReduction(precond.AMG, 0))
			if !o.ok() {
				return "", fmt.Errorf("%s: %v, %v", p.name, o.result.Reason, o.err)
			}
			if first == 0 {
				first = o.result.Iterations
			}
			t.AppendRow(table.Row{
				fmt.Sprintf("%s, %g decades", series.kind, series.decades), p.m.Rows, p.m.NNZ(), o.result.Iterations,
				fmt.Sprintf("%.2f", float64(o.result.Iterations)/float64(first)),
				fmt.Sprintf("%.3f", o.setup.Seconds()), fmt.Sprintf("%.3f", o.total()-o.setup.Seconds()),
			})
		}
	}
	return t.RenderMarkdown(), nil
}

// toReduction are options as PETSc's users have them: ||r|| <= 1e-8 ||b||.
func toReduction(kind precond.Kind, epsilon float64) solve.Options {
	return solve.Options{Stop: solve.StopRel, Tol: reduction, Precond: solve.Precond{Kind: kind, Epsilon: epsilon}}
}

// measurePrecision compares reduced precision with FP64 on the matrices that are
// not large.
func measurePrecision(s source) (string, error) {
	iterations, bytes := map[precond.Kind][]float64{}, map[precond.Kind][]float64{}
	var all []float64
	compare := func(p problem) error {
		for _, k := range kinds() {
			opt := solve.Options{Precond: solve.Precond{Kind: k, Epsilon: adaptive.MinEpsilon}, MaxIter: 20000}
			fp64 := s.solve(p, opt)
			opt.Precond.Epsilon = 0
			reduced := s.solve(p, opt)
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
	if err := s.real(small, compare); err != nil {
		return "", err
	}
	t := table.NewWriter()
	t.AppendHeader(table.Row{"preconditioner", "matrices", "iterations, × FP64: median", "largest", "value bytes, × FP64: median", "largest"})
	for _, k := range kinds() {
		t.AppendRow(table.Row{k, len(iterations[k]), median(iterations[k]), largest(iterations[k]), median(bytes[k]), largest(bytes[k])})
	}
	t.AppendRow(table.Row{"**all**", len(all), "**" + median(all) + "**", largest(all), "", ""})
	return t.RenderMarkdown(), nil
}

func median(v []float64) string {
	if len(v) == 0 {
		return ""
	}
	slices.Sort(v)
	return fmt.Sprintf("%.3f", v[len(v)/2])
}

func largest(v []float64) string {
	if len(v) == 0 {
		return ""
	}
	return fmt.Sprintf("%.3f", slices.Max(v))
}

// repeats of each solve of a large problem; the fastest counts.
const repeats = 3

// measureLarge compares reduced precision with FP64 in time, in turns.
func measureLarge(s source) (string, error) {
	g3, err := read(collection.Named(s.dir, "G3_circuit"))
	if err != nil {
		return "", err
	}
	diffusion, err := generated("poisson3d", generate.Params{"n": 100, "decades": 4})
	if err != nil {
		return "", err
	}
	elastic, err := generated("elasticity3d", generate.Params{"n": 46})
	if err != nil {
		return "", err
	}
	t := table.NewWriter()
	t.AppendHeader(table.Row{
		"problem", "preconditioner", "FP64: iterations", "value MB", "MB", "s", "reduced: iterations", "value MB", "MB", "s", "× the time",
	})
	for _, p := range []problem{g3, diffusion, elastic} {
		for _, k := range []precond.Kind{precond.Jacobi, precond.BlockJacobi, precond.IC0, precond.Chebyshev, precond.FSAI, precond.AMG} {
			var best [2]outcome
			for r := range repeats {
				for e, epsilon := range []float64{adaptive.MinEpsilon, 0} {
					if o := s.solve(p, toReduction(k, epsilon)); r == 0 || o.ok() && o.total() < best[e].total() {
						best[e] = o
					}
				}
				if best[1].total() > 10 { // seconds: once is enough
					break
				}
			}
			row := table.Row{p.name, k}
			for _, o := range best {
				if !o.ok() {
					row = append(row, "–", "", "", "")
					continue
				}
				c := o.result.Precond.Cost
				row = append(row, o.result.Iterations, megabytes(c.ValueBytes), megabytes(c.Bytes), seconds(o))
			}
			ratio := ""
			if best[0].ok() && best[1].ok() {
				ratio = fmt.Sprintf("%.2f", best[1].total()/best[0].total())
			}
			t.AppendRow(append(row, ratio))
		}
	}
	return t.RenderMarkdown(), nil
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f", float64(n)/1e6) }
