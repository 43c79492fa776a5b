package krylov_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Conjugate gradients on a matrix that comes from gonum.
func ExampleNewCG() {
	m, err := csr.FromMat(mat.NewSymBandDense(4, 1, []float64{2, -1, 2, -1, 2, -1, 2, 0}))
	if err != nil {
		fmt.Println(err)
		return
	}
	pool := parallel.New(2)
	defer pool.Close()
	cg := krylov.NewCG[[]float64, linop.Float64](linop.NewHost(m.Rows, pool))

	x, b := make([]float64, 4), []float64{1, 0, 0, 1}
	r := cg.Solve(context.Background(), linop.NewCSR(m, pool), x, b, krylov.Options[[]float64]{Tol: 1e-12})
	fmt.Printf("%v after %d iterations: %.3f\n", r.Reason, r.Iterations, x)
	// Output: converged after 2 iterations: [1.000 1.000 1.000 1.000]
}

// A monitor follows the residual; the reason says how it ended.
func ExampleNewGMRES() {
	m, err := csr.FromMat(mat.NewDense(3, 3, []float64{4, 1, 0, 0, 3, 1, 1, 0, 2}))
	if err != nil {
		fmt.Println(err)
		return
	}
	pool := parallel.New(1)
	defer pool.Close()
	gmres := krylov.NewGMRES[[]float64, linop.Float64](linop.NewHost(3, pool), krylov.GMRESOptions{Restart: 3})

	x := make([]float64, 3)
	r := gmres.Solve(context.Background(), linop.NewCSR(m, pool), x, []float64{5, 4, 3}, krylov.Options[[]float64]{
		MaxIter: 2,
		Monitor: func(e krylov.Event) { fmt.Printf("%d: %.4f\n", e.Iteration, e.Residual) },
	})
	fmt.Printf("%v; %s\n", r.Reason, r.Reason.Advice())
	// Output:
	// 1: 0.1259
	// 2: 0.0506
	// iteration limit; allow more iterations (Options.MaxIter), or try another preconditioner (Options.Precond)
}
