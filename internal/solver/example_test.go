package solver_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/internal/solver/checkpoint"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Everything by default: method and scaling are chosen, and explained.
func ExampleNew() {
	b, err := csr.NewBuilder(3, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range 3 {
		for _, e := range []error{b.Add(i, i, 4), b.Add(i, (i+1)%3, -1)} {
			if e != nil {
				fmt.Println(e)
			}
		}
	}
	s, err := solver.New(context.Background(), b.Build(), solve.Options{
		Storage: solve.Storage{Layout: adaptive.Bucketed},
		// the same on every machine
		Precond:   solve.Precond{Kind: precond.None},
		Reporting: solve.Reporting{Log: func(line string) { fmt.Println(line) }},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	r, err := s.Solve(context.Background(), []float64{3, 3, 3}, nil)
	fmt.Printf("%v %.3f %v\n", r.Reason, r.X, err)
	// Output:
	// method gmres: the matrix is not symmetric
	// scaling both: balances rows and columns; nothing to do (powers of two, exact)
	// precond none: requested
	// epsilon 2^-24: many iterations are expected, for which bytes of products count most; refinement steps make up for it
	// precision AFX at epsilon 2^-24, nw: 18.83 bytes per nonzero instead of 17.33, indices included; 0.00 % dropped
	// layout bucketed CSR (the layout of the papers); slower than FP64 CSR if rows are short (Options.Storage.Set = FP64)
	// format AFX8               6 nonzeros 100.0 %         109 bytes
	// converged [1.000 1.000 1.000] <nil>
}

// A system that lives in gonum, with several right-hand sides.
func ExampleSolver_Solve() {
	m, err := csr.FromMat(mat.NewSymDense(2, []float64{4, 1, 1, 3}))
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := solver.New(context.Background(), m, solve.Options{Accuracy: solve.Accuracy{Tol: 1e-12}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	for _, b := range [][]float64{{1, 2}, {0, 0}, {5, 4}} {
		r, err := s.Solve(context.Background(), b, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v by %s: %.4f, small error: %v\n", r.Reason, r.Method, r.X, r.Errors.Row <= 1e-12)
	}
	// Output:
	// converged by cg: [0.0909 0.6364], small error: true
	// zero right-hand side by cg: [0.0000 0.0000], small error: true
	// converged by cg: [1.0000 1.0000], small error: true
}

// In gonum's style, with an error where the tolerance is not met.
func ExampleSolver_SolveVecTo() {
	m, err := csr.FromMat(mat.NewSymDense(2, []float64{4, 1, 1, 3}))
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := solver.New(context.Background(), m, solve.Options{Accuracy: solve.Accuracy{Tol: 1e-12}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	var x mat.VecDense
	err = s.SolveVecTo(&x, mat.NewVecDense(2, []float64{1, 2}))
	fmt.Printf("%.4f %v\n", x.RawVector().Data, err)
	// Output: [0.0909 0.6364] <nil>
}

// A solve that is interrupted, and another solve that goes on from there.
func ExampleCheckpoints() {
	const n = 200
	b, err := csr.NewBuilder(n, n)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range n {
		err = errors.Join(err, b.Add(i, i, 2))
		if i > 0 {
			err = errors.Join(err, b.Add(i, i-1, -1), b.Add(i-1, i, -1))
		}
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	matrix, rhs := b.Build(), make([]float64, n)
	rhs[0] = 1
	run := func(ctx context.Context, opt solve.Options) solve.Result {
		opt.Precond.Kind, opt.Digits = precond.None, solve.NoDigits
		s, err := solver.New(context.Background(), matrix, opt)
		if err != nil {
			fmt.Println(err)
			return solve.Result{}
		}
		defer s.Close()
		r, err := s.Solve(ctx, rhs, nil)
		if err != nil {
			fmt.Println(err)
		}
		return r
	}
	want := run(context.Background(), solve.Options{})

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var file bytes.Buffer
	r := run(ctx, solve.Options{
		Reporting: solve.Reporting{Monitor: func(e krylov.Event) {
			if e.Iteration == 100 {
				cancel()
			}
		}},
		Checkpoint: solve.Checkpoints{Save: func(c solve.Checkpoint) {
			if _, err := c.WriteTo(&file); err != nil {
				fmt.Println(err)
			}
		}},
	})
	fmt.Println(r.Reason, "after", r.Iterations, "iterations")

	checkpoint, err := checkpoint.Read(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	r = run(context.Background(), solve.Options{Checkpoint: solve.Checkpoints{Resume: checkpoint}})
	fmt.Println(r.Reason, slices.Equal(r.X, want.X), r.Iterations == want.Iterations)
	// Output:
	// interrupted after 100 iterations
	// converged true true
}
