// Solvertable measures what preconditioners bring, and writes the tables of
// docs/solvers.md between its markers.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/mpsolve/mpsolve/internal/collection"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/tools/page"
)

const (
	begin = "<!-- measured: make solver-table, %s -->"
	end   = "<!-- end of measured, %s -->"
)

// parts are the tables.
var parts = []struct {
	name    string
	measure func(source) (string, error)
}{
	{"matrices", measureMatrices},
	{"kinds", measureKinds},
	{"growth", measureGrowth},
	{"precision", measurePrecision},
	{"large", measureLarge},
}

func main() {
	dir := flag.String("dir", "../shared/matrices", "folder with the matrices and INDEX.tsv")
	file := flag.String("page", "docs/solvers.md", "page to write into")
	part := flag.String("part", "", "matrices, kinds, growth, precision or large; empty: all")
	limit := flag.Duration("limit", 2*time.Minute, "time limit of a solve")
	flag.Parse()
	if err := run(source{*dir, *limit}, *file, *part); err != nil {
		fmt.Fprintln(os.Stderr, "solvertable:", err)
		os.Exit(1)
	}
}

func run(s source, file, only string) error {
	for _, p := range parts {
		if only != "" && only != p.name {
			continue
		}
		text, err := p.measure(s)
		if err != nil {
			return err
		}
		if err := page.Replace(file, fmt.Sprintf(begin, p.name), fmt.Sprintf(end, p.name), text+"\n\n"); err != nil {
			return err
		}
	}
	return nil
}

// source has the matrices.
type source struct {
	dir   string
	limit time.Duration
}

// problem is a system with b = A·ones.
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

// real calls do for every real square matrix of the collection with at most that
// many nonzeros.
func (s source) real(nonzeros int, do func(problem) error) error {
	entries, err := collection.RealSquare(s.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		p, err := read(e)
		if err != nil {
			return err
		}
		if p.m.NNZ() > nonzeros {
			continue
		}
		if err := do(p); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

func read(e collection.Source) (problem, error) {
	m, _, err := e.Read(context.Background(), matrixmarket.Options{})
	if err != nil {
		return problem{}, err
	}
	return newProblem(e.Name, m), nil
}

// generated makes a problem; elasticity gets its rigid-body modes.
func generated(kind string, params generate.Params) (problem, error) {
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

// outcome is what one solve took.
type outcome struct {
	err    error // of setting up
	setup  time.Duration
	result solve.Result
}

func (o outcome) ok() bool { return o.err == nil && o.result.Reason.Converged() }

// total is set-up and solve, verification left out.
func (o outcome) total() float64 {
	return (o.setup + o.result.Time.Total - o.result.Time.Verify).Seconds()
}

func (s source) solve(p problem, opt solve.Options) outcome {
	opt.Precond.NearNull = p.null
	solver, err := solve.New(context.Background(), p.m, opt)
	if err != nil {
		return outcome{err: err}
	}
	defer solver.Close()
	ctx, cancel := context.WithTimeout(context.Background(), s.limit)
	defer cancel()
	r, err := solver.Solve(ctx, p.b, nil)
	o := outcome{err, solver.Setup, r}
	fmt.Fprintf(os.Stderr, "%-34s %-10s %-28s %6d iterations %8.3f s\n", p.name, opt.Precond.Kind, r.Reason, r.Iterations, o.total())
	return o
}
