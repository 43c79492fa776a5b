package mpsolve_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/mpsolve/mpsolve"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Read a matrix, solve by conjugate gradients with multigrid and the matrix stored in AFX, take new values, and solve again.
func ExampleSolver() {
	ctx := context.Background()
	a, err := mpsolve.ReadFile("testdata/poisson3d_10.mtx.gz")
	if err != nil {
		log.Fatal(err)
	}
	storage := solve.Storage{Set: adaptive.AFX, Epsilon: 0x1p-24}
	s, err := mpsolve.New(ctx, a, solve.Options{Method: solve.CG, Precond: solve.Precond{Kind: precond.AMG}, Storage: storage, Updates: true})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	b, values := make([]float64, a.Rows), slices.Clone(a.Val)
	b[0] = 1
	for range 2 {
		r, err := s.Solve(ctx, b, nil)
		if err := errors.Join(err, r.Err()); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s with %s: %s, x[0] = %.3f\n", r.Method, r.Precond.Kind, r.Reason, r.X[0])
		floats.Scale(2, values)
		if err := s.Update(ctx, values); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// cg with amg: converged, x[0] = 0.247
	// cg with amg: converged, x[0] = 0.123
}

// One system: x, or an error that says why there is none.
func ExampleSolve() {
	a, err := mpsolve.ReadFile("testdata/poisson2d_20.mtx")
	if err != nil {
		log.Fatal(err)
	}
	b := make([]float64, a.Rows)
	b[0] = 1
	x, err := mpsolve.Solve(context.Background(), a, b, solve.Options{})
	fmt.Println(len(x), err)
	// Output: 400 <nil>
}
