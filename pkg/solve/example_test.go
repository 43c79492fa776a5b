package solve_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
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
	s, err := solve.New(context.Background(), b.Build(), solve.Options{
		Storage: solve.Storage{Layout: adaptive.Bucketed}, // the same on every machine
		Precond: solve.Precond{Kind: precond.None},
		Log:     func(line string) { fmt.Println(line) },
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
	// scaling both: balances rows and columns (powers of two, exact)
	// precond none: requested
	// precision AFX at epsilon 2^-24, cw: 35.83 bytes per nonzero instead of 17.33, indices included; 0.00 % dropped
	// layout bucketed CSR (the layout of the papers); slower than FP64 CSR if rows are short (--formats FP64)
	// format AFX24              3 nonzeros  50.0 %         100 bytes
	// format AFX32              3 nonzeros  50.0 %         103 bytes
	// converged [1.000 1.000 1.000] <nil>
}

// A system that lives in gonum, with several right-hand sides.
func ExampleSolver_Solve() {
	m, err := csr.FromMat(mat.NewSymDense(2, []float64{4, 1, 1, 3}))
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := solve.New(context.Background(), m, solve.Options{Tol: 1e-12})
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
	s, err := solve.New(context.Background(), m, solve.Options{Tol: 1e-12})
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
