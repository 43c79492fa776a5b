// Package mpsolve solves sparse linear systems A x = b, and verifies every x: "converged" means that the backward error,
// recomputed from A, x and b as given, is at most the tolerance.
//
//	A, err := mpsolve.ReadFile("matrix.mtx")
//	x, err := mpsolve.Solve(ctx, A, b, solve.Options{})
//
// By default the solver chooses the method, the preconditioner and the precision in which it stores the matrix. Package solve has the
// options and results, package csr the matrices. A [Solver] solves several systems with one matrix, or with new values of it:
//
//	s, err := mpsolve.New(ctx, A, solve.Options{
//		Method:  solve.CG,
//		Precond: solve.Precond{Kind: precond.AMG},
//		Storage: solve.Storage{Set: adaptive.AFX, Epsilon: 0x1p-24},
//		Updates: true,
//	})
//	r, err := s.Solve(ctx, b, nil) // r.Err() is nil if it converged
//	err = s.Update(ctx, values)
//	r, err = s.Solve(ctx, b, r.X)
package mpsolve

import (
	"context"
	"io"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/internal/solver/checkpoint"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Solve solves A x = b. If the solve does not converge, the error is a *solve.NotConvergedError with the whole Result, and x is the best
// found. For several solves with A, a Solver is faster.
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

// Judge returns the verdict of Solve on an x from any source, by opt.Stop and opt.Tol. The Result has the errors of x and the
// Reason, which is krylov.Running if x is merely not accurate enough. Judge does not estimate digits.
func Judge(a *csr.Matrix, x, b []float64, opt solve.Options) (solve.Result, error) {
	return solver.Judge(a, x, b, opt)
}

// A Solver solves systems with one matrix, for any number of right-hand sides. It sets up preconditioners once. Only one goroutine at a
// time may use it.
type Solver struct{ solver *solver.Solver }

// New examines the matrix, chooses method, preconditioner and storage, and sets them up. The matrix must stay unchanged while the
// Solver is in use. Close ends the Solver.
func New(ctx context.Context, a *csr.Matrix, opt solve.Options) (*Solver, error) {
	s, err := solver.New(ctx, a, opt)
	if err != nil {
		return nil, err
	}
	return &Solver{s}, nil
}

// Solve solves A x = b, from the guess x0 unless it is nil. b and x0 have as many elements as the matrix has rows. A solve that does
// not converge returns no error; Result.Err makes one.
func (s *Solver) Solve(ctx context.Context, b, x0 []float64) (solve.Result, error) {
	return s.solver.Solve(ctx, b, x0)
}

// SolveMany solves for several right-hand sides side by side, from the guesses x0. x0 and each guess may be nil.
func (s *Solver) SolveMany(ctx context.Context, b, x0 [][]float64) ([]solve.Result, error) {
	return s.solver.SolveMany(ctx, b, x0)
}

// SolveVecTo solves A x = b for vectors of gonum and stores x in dst, like mat.Cholesky.SolveVecTo. An empty dst is resized; dst may
// be b. The error is a *solve.NotConvergedError if the solve does not converge.
func (s *Solver) SolveVecTo(dst *mat.VecDense, b mat.Vector) error {
	return s.solver.SolveVecTo(dst, b)
}

// Update gives the matrix new values, in the order of its nonzeros, such as those of the next time step. It keeps everything that depends
// on the pattern alone, and with Options.Updates the parts of the preconditioner that can be reused.
func (s *Solver) Update(ctx context.Context, values []float64) error {
	return s.solver.Update(ctx, values)
}

// UpdateMatrix is Update with the values of a, whose nonzeros are all in the pattern; others of the pattern are zero.
func (s *Solver) UpdateMatrix(ctx context.Context, a *csr.Matrix) error {
	return s.solver.UpdateMatrix(ctx, a)
}

// Setup returns the time that New took, or the last Update.
func (s *Solver) Setup() time.Duration { return s.solver.Setup }

// Chosen returns a Result without x, with the method, preconditioner and storage that a solve begins with.
func (s *Solver) Chosen() solve.Result { return s.solver.Chosen() }

// Close ends the threads and releases the memory on a device. Closing again does nothing.
func (s *Solver) Close() { s.solver.Close() }

// ReadCheckpoint reads a checkpoint that Options.Checkpoint.Save has written, for Options.Checkpoint.Resume. The error is a
// *solve.CheckpointError if the checkpoint is damaged.
func ReadCheckpoint(r io.Reader) (solve.Checkpoint, error) { return checkpoint.Read(r) }

// ReadFile reads a real sparse matrix. It recognises the format by the content of the file: Matrix Market, .mpx, PETSc, SciPy (.npz),
// MATLAB, Harwell-Boeing, Rutherford-Boeing or hypre. The file may be compressed by gzip or bzip2.
func ReadFile(name string) (*csr.Matrix, error) {
	return matrixio.ReadFile(context.Background(), name)
}

// ReadVector reads a real vector from a file of any of these formats, or of NumPy (.npy).
func ReadVector(name string) ([]float64, error) {
	return matrixio.ReadVector(context.Background(), name)
}
