package krylov

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Defaults of Options and of the methods.
const (
	DefaultTol     = 1e-10
	DefaultMaxIter = 20000
	DefaultRestart = 40

	// divergenceTol is the growth of ||r|| over its starting value at which a
	// method gives up. Residuals of BiCGStab, and of CG in the 2-norm, may
	// rise by many orders before they fall.
	divergenceTol = 1e10
)

// A Measure returns how far x is from solving the system, given r = b - A x.
// Smaller is better, and a method stops at Options.Tol. Backward errors are
// measures.
type Measure[V any] func(x, r V) float64

// Event is what a Monitor receives once per iteration, on an asynchronous space once per
// check.
type Event struct {
	RHS       int     // of several right-hand sides, from 0; the caller that solves for them sets it
	Outer     int     // refinement step, from 1; 0 outside refinement
	Iteration int     // iterations so far, over all refinement steps
	Residual  float64 // ||r|| / ||b|| by the recurrence of the method
	Estimate  float64 // what the measure is expected to be
	Measured  float64 // the measure of x at the start of the refinement step, from a recomputed residual; 0 outside refinement
	Restart   bool    // the first iteration of a cycle of GMRES other than the first cycle
}

// Progress is the state of a solve that Options.Watch judges.
type Progress struct {
	Iterations  int     // of this solve
	Projections int64   // see Result
	Least       float64 // what the measure is expected to be at the least residual so far
	Residual    float64 // ||r|| / ||b|| by the recurrence of the method
}

// A Monitor observes a solve: a progress line, a history file. It must not
// keep the solve waiting.
type Monitor func(Event)

// Options are common to all methods; the zero value is useful.
type Options[V any] struct {
	Tol     float64    // the measure to reach; 0: DefaultTol
	MaxIter int        // iterations in all; 0: DefaultMaxIter
	Measure Measure[V] // nil: ||r|| / ||b|| in the 2-norm
	Guess   bool       // x holds an initial guess; otherwise x starts at zero
	Monitor Monitor    // nil: none

	Precond  Preconditioner[V] // nil: none
	Flexible bool              // Precond is another map each time, as an iteration is; see CG and GMRES

	// Prompt: on an asynchronous space every step is judged at once. It is for steps that take much longer than waiting for
	// their scalars, such as steps with multigrid.
	Prompt bool

	// Agree is called by solves that share their vectors, as ranks do, where they might
	// come to different reasons: for the context and the limits, and when convergence is
	// judged. Each solve passes its own Reason, Running to go on, and all get the same Reason, so
	// that all leave the loop together. The Measure and inner products must have the same value for all.
	// nil: the solve is not shared.
	Agree func(Reason) Reason

	// Checkpoint takes states of the solve, from which Resume goes on. With it, the end of the context
	// ends the solve only where its state can be taken, after the state has been taken; nil: no
	// checkpoints. Asynchronous spaces take none.
	Checkpoint Checkpointer[V]

	// Snapshot, if not nil, is called between iterations with the current x, for GMRES with the x at the beginning of the cycle. It
	// must not change x.
	Snapshot func(x V)

	// Resume is the state that a solve of the same system by the same method with the same
	// options goes on from, see CheckState; nil: from x or zero.
	Resume *State[V]

	// Watch, if not nil, is asked after each iteration whether to go on: a Reason other than
	// Running ends the solve. Asked again after the same iteration, it must return the same Reason.
	Watch func(Progress) Reason

	// Gap, if not 0, is the number of iterations after which all methods but GMRES compare the residual r of their
	// recurrence with b - A x: the solve ends with Drift where ||(b - A x) - r|| > 0.1 ||b - A x||. A comparison takes a product
	// and, once, a vector. Methods on asynchronous spaces do not compare.
	Gap int

	// Replaces, if not 0, says that b replaces the residual at which the last solve by this
	// Method ended: x has been corrected by the solution of that solve, and b is its residual,
	// recomputed ([VorstYe00]) and multiplied by Replaces. CG on a synchronous space then goes
	// on in the direction of that solve, if it converged and b is about as large as the residual that it
	// replaces; other methods start anew, and so does a Guess. A and Precond must be the ones of the last solve.
	Replaces float64

	// LeastSquares, if not 0, is the ||A^T r|| / (||A|| ||r||) at which LSQR ends with the Reason
	// LeastSquares, ||A|| being estimated from below, by the recurrence; with a preconditioner A stands for
	// A M^-1. Other methods ignore it.
	LeastSquares float64

	// Unconfirmed saves all methods but GMRES the product that confirms
	// convergence: for callers that recompute the residual themselves.
	Unconfirmed bool
}

// validate returns an error that joins all faults of the options.
func (o Options[V]) validate() error {
	var faults []error
	if !(o.Tol >= 0 && o.Tol < 1) {
		faults = append(faults, fmt.Errorf("krylov: tolerance %g is not in [0, 1)", o.Tol))
	}
	if o.MaxIter < 0 {
		faults = append(faults, fmt.Errorf("krylov: iteration limit %d is negative", o.MaxIter))
	}
	return errors.Join(faults...)
}

func (o Options[V]) withDefaults() Options[V] {
	if o.Tol == 0 {
		o.Tol = DefaultTol
	}
	if o.MaxIter == 0 {
		o.MaxIter = DefaultMaxIter
	}
	return o
}

// Result is the outcome of a solve. Not converging is a Reason, not an error.
type Result struct {
	Reason     Reason
	Iterations int     // inner iterations in all
	Outer      int     // refinement steps
	Residual   float64 // ||r|| / ||b||, by the recurrence unless it was recomputed
	Measure    float64 // the last value of the measure, of the same r

	// Projections counts, for GMRES, the vectors of the basis to which new vectors were made
	// orthogonal. Each takes an inner product and an update.
	Projections       int64
	Orthogonalization time.Duration // spent in Gram-Schmidt

	Basis linop.BasisCounts // of GMRES with a Basis
}

// A Method solves A x = b. It keeps its work vectors from one solve to the
// next, so that solving again allocates nothing; use it from one goroutine at
// a time.
//
// The context is checked once per iteration. When a solve ends, for any Reason, x is the best
// or the latest approximation.
type Method[V any, S linop.Scalar[S]] interface {
	Name() string
	Solve(ctx context.Context, a linop.Operator[V, S], x, b V, opt Options[V]) Result
}
