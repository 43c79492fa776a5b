// Package mpsolve solves sparse linear systems A x = b, and verifies every x: "converged" means that the backward error,
// recomputed from A, x and b as given, is at most the tolerance.
//
//	A, err := mpsolve.ReadFile("matrix.mtx")
//	x, err := mpsolve.Solve(ctx, A, b, solve.Options{})
//
// By default the method, the preconditioner and the precision in which the matrix is stored are chosen for the matrix.
// Package solve has the options and results, package csr the matrices.
package mpsolve

import (
	"context"
	"time"

	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Solve solves A x = b. An x that has not converged is returned with a *solve.NotConvergedError, which has the whole Result.
// Whoever solves with A more than once is faster with a Solver.
func Solve(ctx context.Context, a *csr.Matrix, b []float64, opt solve.Options) (x []float64, err error) {
	s, err := New(ctx, a, opt)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	r, err := s.Solve(ctx, b, nil)
	if err != nil {
		return nil, err
	}
	return r.X, r.Err()
}

// Judge gives the verdict of Solve on an x from anywhere, by opt.Stop and opt.Tol. The Result has the errors of x and the
// Reason, which is krylov.Running for an x that is simply not accurate enough. Digits are not estimated.
func Judge(a *csr.Matrix, x, b []float64, opt solve.Options) (solve.Result, error) {
	return solver.Judge(a, x, b, opt)
}

// A Solver solves systems with one matrix. What it has found out for one right-hand side serves the next ones. It is for one
// goroutine at a time.
type Solver struct{ solver *solver.Solver }

// New examines the matrix, and chooses and prepares what it is solved with. The matrix must stay as it is. Close ends the Solver.
func New(ctx context.Context, a *csr.Matrix, opt solve.Options) (*Solver, error) {
	s, err := solver.New(ctx, a, opt)
	if err != nil {
		return nil, err
	}
	return &Solver{s}, nil
}

// Solve solves A x = b, from the guess x0 unless that is nil. An x that has not converged is no error: see Result.Err.
func (s *Solver) Solve(ctx context.Context, b, x0 []float64) (solve.Result, error) {
	return s.solver.Solve(ctx, b, x0)
}

// SolveMany solves for several right-hand sides, side by side, from the guesses x0 unless these are nil.
func (s *Solver) SolveMany(ctx context.Context, b, x0 [][]float64) ([]solve.Result, error) {
	return s.solver.SolveMany(ctx, b, x0)
}

// Update takes over new values of the nonzeros, in the order of the matrix, such as those of the next time step. What depends
// on the pattern alone is kept, and with Options.Updates what a preconditioner can use again.
func (s *Solver) Update(ctx context.Context, values []float64) error {
	return s.solver.Update(ctx, values)
}

// UpdateMatrix is Update with the values of a matrix of the same pattern.
func (s *Solver) UpdateMatrix(ctx context.Context, a *csr.Matrix) error {
	return s.solver.UpdateMatrix(ctx, a)
}

// Setup is how long New took, or the last Update.
func (s *Solver) Setup() time.Duration { return s.solver.Setup }

// Chosen is what the Solver begins with: a Result without x.
func (s *Solver) Chosen() solve.Result { return s.solver.Chosen() }

// Close ends the threads and releases the memory of a device. Closing again does nothing.
func (s *Solver) Close() { s.solver.Close() }

// ReadFile reads a real sparse matrix. The content of the file tells its format: Matrix Market, .mpx, PETSc, SciPy (.npz), MATLAB,
// Harwell-Boeing or Rutherford-Boeing; it may be compressed by gzip or bzip2.
func ReadFile(name string) (*csr.Matrix, error) {
	return matrixio.ReadFile(context.Background(), name)
}

// ReadVector reads a real vector from a file of any of these formats, or of NumPy (.npy).
func ReadVector(name string) ([]float64, error) {
	return matrixio.ReadVector(context.Background(), name)
}
