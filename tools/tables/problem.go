package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/mpsolve/mpsolve/internal/collection"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

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

func read(s collection.Source) (problem, error) {
	m, _, err := s.Read(context.Background(), matrixmarket.Options{})
	if err != nil {
		return problem{}, err
	}
	return newProblem(s.Name, m), nil
}

// each calls do for every one of the matrices that is to be measured.
func (o options) each(matrices []collection.Source, do func(collection.Source, problem) error) error {
	for _, s := range matrices {
		if o.only != "" && s.Name != o.only {
			continue
		}
		p, err := read(s)
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
func (o options) real(do func(collection.Source, problem) error) error {
	matrices, err := collection.RealSquare(o.dir)
	if err != nil {
		return err
	}
	return o.each(matrices, do)
}

// named calls do for the matrices of these names.
func (o options) named(names []string, do func(collection.Source, problem) error) error {
	var matrices []collection.Source
	for _, name := range names {
		matrices = append(matrices, collection.Named(o.dir, name))
	}
	return o.each(matrices, do)
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

// outcome is the result of one solve.
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

func (o options) solve(p problem, opt solve.Options) outcome {
	opt.Precond.NearNull, opt.Digits = p.null, solve.NoDigits
	solver, err := solve.New(context.Background(), p.m, opt)
	if err != nil {
		return outcome{err: err}
	}
	defer solver.Close()
	ctx, cancel := context.WithTimeout(context.Background(), o.limit)
	defer cancel()
	r, err := solver.Solve(ctx, p.b, nil)
	result := outcome{err, solver.Setup, r}
	fmt.Fprintf(os.Stderr, "%-34s %-10s %-8v %-28s %6d iterations %8.3f s\n", p.name, opt.Precond.Kind, opt.Vectors, r.Reason, r.Iterations, result.total())
	return result
}
