package main

import (
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/mpsolve/mpsolve/internal/collection"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// vectorKinds are compared.
var vectorKinds = []solve.VectorKind{solve.VectorsDouble, solve.VectorsDD, solve.VectorsAuto, solve.VectorsDQ}

// brief is the seconds up to which a solve is repeated.
const brief = 2

// measureVectors compares kinds of vectors with what the rules choose.
func measureVectors(o options) (table.Writer, error) {
	return o.compareVectors(func(*csr.Matrix) solve.Options { return solve.Options{} })
}

// measureVectorsAlone compares them without a preconditioner: conjugate gradients if A is symmetric with a diagonal of one
// sign, and BiCG.
func measureVectorsAlone(o options) (table.Writer, error) {
	return o.compareVectors(func(m *csr.Matrix) solve.Options {
		opt := solve.Options{Method: solve.BiCG, Precond: solve.Precond{Kind: precond.None}, MaxIter: maxIter}
		pool := parallel.New(0)
		defer pool.Close()
		if f := csr.Examine(m, pool); f.Symmetric && f.DiagonalSign() != 0 {
			opt.Method = solve.CG
		}
		return opt
	})
}

// compareVectors solves every real square matrix with each kind of vectors, interleaved; the fastest of some counts. The last
// column is the time of auto relative to the better of double and dd.
func (o options) compareVectors(with func(*csr.Matrix) solve.Options) (table.Writer, error) {
	t := table.NewWriter()
	header := table.Row{"matrix"}
	for _, kind := range vectorKinds {
		header = append(header, string(kind)+": result", "iterations", "s")
	}
	t.AppendHeader(append(header, "auto, × the better"))
	count, solved, ratios := 0, map[solve.VectorKind]int{}, []float64(nil)
	err := o.real(func(_ collection.Source, p problem) error {
		best, opt := map[solve.VectorKind]outcome{}, with(p.m)
		for round := range repeats {
			for _, kind := range vectorKinds {
				opt.Vectors = solve.Vectors{Kind: kind}
				if last, again := best[kind]; again && (!last.ok() || last.total() > brief) {
					continue
				}
				if s := o.solve(p, opt); round == 0 || s.total() < best[kind].total() {
					best[kind] = s
				}
			}
		}
		count++
		row := table.Row{p.name}
		for _, kind := range vectorKinds {
			s := best[kind]
			if s.ok() {
				solved[kind]++
			}
			row = append(row, verdict(s), s.result.Iterations, seconds(s))
		}
		double, dd, auto := best[solve.VectorsDouble], best[solve.VectorsDD], best[solve.VectorsAuto]
		ratio := ""
		if better := min(timeOf(double), timeOf(dd)); auto.ok() && better < never {
			ratios = append(ratios, auto.total()/better)
			ratio = fmt.Sprintf("%.2f", auto.total()/better)
		}
		t.AppendRow(append(row, ratio))
		return nil
	})
	last := table.Row{fmt.Sprintf("**solved, of %d**", count)}
	for _, kind := range vectorKinds {
		last = append(last, fmt.Sprintf("**%d**", solved[kind]), "", "")
	}
	middle, largest := spread(ratios)
	t.AppendRow(append(last, fmt.Sprintf("median %s, most %s", middle, largest)))
	return t, err
}

// never is longer than any solve.
const never = 1e9

// timeOf is the seconds of a solve that has converged.
func timeOf(o outcome) float64 {
	if !o.ok() {
		return never
	}
	return o.total()
}
