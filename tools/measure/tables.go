package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/big"
	"os"
	"time"

	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// options are the flags.
type options struct {
	dir    string
	only   string // name of the one matrix to measure; "": all
	page   string // to write into
	part   string // of the page; "": all
	figure string // to write
	record string // file of the records of vectors and defaults; "": none
	limit  time.Duration
	budget time.Duration // of vectors and defaults; 0: no limit

	threads   int  // of defaults; 0: all
	processor bool // defaults are timed by processor time
}

// tables maps the arguments to the defaults of their flags.
var tables = map[string]struct {
	page  string
	limit time.Duration
	write func(options) error
}{
	"matrices":  {"docs/matrices.md", 5 * time.Minute, writeMatrices},
	"solvers":   {"", 2 * time.Minute, writeSolvers},
	"precision": {"docs/measured.md", 0, writePrecision},
	"rule":      {"docs/precision.md", 0, writeRule},
	"layouts":   {"", 0, func(options) error { return writeLayouts(os.Stdin, os.Stdout) }},
}

// tablesMain measures with the test matrices and writes tables into the documentation:
//
//	tables [flags] matrices    every matrix through mpsolve solve: docs/matrices.md
//	tables [flags] solvers     the gain of preconditioners, see solverTables
//	tables [flags] precision   storage in adaptive precision: docs/measured.md
//	tables rule                the figure of docs/precision.md, and its numbers on standard output
//	tables layouts             speeds of layouts, from JSON on standard input to JSON on
//	                           standard output: pkg/adaptive/testdata/layouts.jsonl
//
// The Makefile has a target for each. The folder of matrices holds INDEX.tsv with the columns name, file, field and
// shape.
func tablesMain() {
	var o options
	flag.StringVar(&o.dir, "dir", "../shared/matrices", "`folder` with the matrices and INDEX.tsv")
	flag.StringVar(&o.only, "only", "", "`name` of the one matrix to measure; empty: all")
	flag.StringVar(&o.page, "page", "", "`file` to write into instead of the page of the table")
	flag.StringVar(&o.part, "part", "", "`table` of solvers: matrices, kinds, growth, precision, large, vectors, defaults or \"vectors alone\"; empty: all")
	flag.StringVar(&o.figure, "figure", "docs/precision-formats.svg", "`file` of the figure of precision")
	flag.DurationVar(&o.limit, "limit", 0, "time limit of a solve; 0: 5m for matrices, 2m for solvers")
	flag.StringVar(&o.record, "record", "", "`file` of JSON lines that vectors and defaults put each matrix into, and do not measure those in it again")
	flag.DurationVar(&o.budget, "budget", 0, "vectors and defaults begin no matrix after so long; 0: no limit")
	flag.IntVar(&o.threads, "threads", 0, "threads of defaults; 0: all processors")
	flag.BoolVar(&o.processor, "processor-time", false, "defaults are timed by the processors' time of the process, on a machine that others use")
	flag.Parse()
	t, ok := tables[flag.Arg(0)]
	err := errors.New("want one of matrices, solvers, precision, rule, layouts")
	if ok && flag.NArg() == 1 {
		o.page, o.limit = cmp.Or(o.page, t.page), cmp.Or(o.limit, t.limit)
		err = t.write(o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tables:", err)
		os.Exit(1)
	}
}

// checkBits is the precision of the check: products of float64 are exact in 106 bits; the rest is for sums whose
// terms differ in magnitude.
const checkBits = 512

// checkRow returns the row-wise backward error of x,
//
//	max_i |b - A x|_i / (T_i ||x||_inf + |b_i|),  T_i = sum_j |a_ij|,
//
// computed by this definition with math/big.
func checkRow(p problem, x []float64) float64 {
	normX := 0.0
	for _, v := range x {
		if v-v != 0 {
			return math.Inf(1)
		}
		normX = math.Max(normX, math.Abs(v))
	}
	number := func() *big.Float { return new(big.Float).SetPrec(checkBits) }
	xs := make([]big.Float, len(x))
	for j, v := range x {
		xs[j].SetFloat64(v)
	}
	worst, a, product, r, t := 0.0, number(), number(), number(), number()
	for i := range p.m.Rows {
		r.SetFloat64(p.b[i])
		t.SetFloat64(0)
		cols, vals := p.m.Row(i)
		for k, j := range cols {
			r.Sub(r, product.Mul(a.SetFloat64(vals[k]), &xs[j]))
			t.Add(t, a.Abs(a))
		}
		t.Mul(t, a.SetFloat64(normX))
		t.Add(t, a.SetFloat64(math.Abs(p.b[i])))
		if r.Sign() != 0 {
			eta, _ := r.Quo(r.Abs(r), t).Float64()
			worst = math.Max(worst, eta)
		}
	}
	return worst
}

// problem is a system with a default right-hand side.
type problem struct {
	name string
	m    *csr.Matrix
	b    []float64
	null [][]float64 // near-null space, nil for the default
}

func newProblem(name string, m *csr.Matrix) problem {
	b, _ := generate.DefaultRHS(m)
	return problem{name: name, m: m, b: b}
}

func tablesRead(s matrixio.Source) (problem, error) {
	m, _, err := s.Read(context.Background(), matrixmarket.Options{})
	if err != nil {
		return problem{}, err
	}
	return newProblem(s.Name, m), nil
}

// each calls do for each matrix that is to be measured.
func (o options) each(matrices []matrixio.Source, do func(matrixio.Source, problem) error) error {
	for _, s := range matrices {
		if o.only != "" && s.Name != o.only {
			continue
		}
		p, err := tablesRead(s)
		if err != nil {
			return err
		}
		if err := do(s, p); err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	return nil
}

// real calls do for every real square matrix of the collection.
func (o options) real(do func(matrixio.Source, problem) error) error {
	matrices, err := matrixio.RealSquare(o.dir)
	if err != nil {
		return err
	}
	return o.each(matrices, do)
}

// named calls do for the matrices with these names.
func (o options) named(names []string, do func(matrixio.Source, problem) error) error {
	var matrices []matrixio.Source
	for _, name := range names {
		matrices = append(matrices, matrixio.Named(o.dir, name))
	}
	return o.each(matrices, do)
}

// tablesGenerated makes a problem; elasticity gets its rigid-body modes.
func tablesGenerated(kind string, params generate.Params) (problem, error) {
	m, err := generate.Generate(kind, params)
	if err != nil {
		return problem{}, err
	}
	p := newProblem(fmt.Sprintf("%s n=%g", kind, params["n"]), m)
	if kind == "elasticity3d" {
		k, _ := generate.Find(kind)
		count, dim, columns, err := k.Coordinates(params)
		if err != nil {
			return p, err
		}
		nodes := make([]float64, len(columns))
		for i, v := range columns {
			nodes[i%count*dim+i/count] = v
		}
		p.null, err = precond.RigidBodyModes(dim, nodes)
		return p, err
	}
	return p, nil
}

// tablesOutcome is the result of one solve.
type tablesOutcome struct {
	err    error // of the set-up
	setup  time.Duration
	result solve.Result
}

func (o tablesOutcome) ok() bool { return o.err == nil && o.result.Reason.Converged() }

// total returns the time of set-up and solve, without verification.
func (o tablesOutcome) total() float64 {
	return (o.setup + o.result.Time.Total - o.result.Time.Verify).Seconds()
}

func (o options) solve(p problem, opt solve.Options) tablesOutcome {
	opt.Precond.NearNull, opt.Digits = p.null, solve.NoDigits
	solver, err := solver.New(context.Background(), p.m, opt)
	if err != nil {
		return tablesOutcome{err: err}
	}
	defer solver.Close()
	ctx, cancel := context.WithTimeout(context.Background(), o.limit)
	defer cancel()
	r, err := solver.Solve(ctx, p.b, nil)
	result := tablesOutcome{err, solver.Setup, r}
	fmt.Fprintf(os.Stderr, "%-34s %-10s %-8v %-28s %6d iterations %8.3f s\n", p.name, opt.Precond.Kind, opt.Vectors, r.Reason, r.Iterations, result.total())
	return result
}
