package solve

import (
	"fmt"
	"time"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// Result is the outcome of one right-hand side.
type Result struct {
	X       []float64
	XLow    []float64 // X + XLow is x in double-double; nil: X is all there is, see Options.Vectors
	Precise *Precise  // x with more digits than X holds, if these were asked for; X is that x rounded

	Reason   krylov.Reason // why the solve ended; Err makes an error of it
	Advice   string        // one line on what to do about the Reason, empty when converged
	Cautions []string      // what the Reason does not say, a line each

	Errors       verify.Errors        // of X, measured by package verify
	LeastSquares *verify.LeastSquares // of X, if A is not square
	Digits       Digits               // of X
	Evidence     *Evidence            // that the system has no solution; nil: none was looked for or found
	NullSpace    NullSpaceResult      // of a singular matrix

	Vectors Vectors // as requested
	Precond PrecondResult
	Stored
	Work
}

// Stored describes the matrix that the method multiplied with last.
type Stored struct {
	Storage Storage
	Formats []string        // in use
	Layout  adaptive.Layout // "" on a device, over ranks, and where no matrix is stored
	Stats   adaptive.Stats  // zero for plain FP64 CSR
	Bytes   int64           // that the matrix takes, indices included
}

// Work is what a solve did.
type Work struct {
	Method     string    // the last one used
	Block      int       // the most right-hand sides that block CG solved for together with this one, this included; 0: it was not used
	Attempts   []Attempt // methods and preconditioners tried, in order
	Outer      int       // refinement steps
	Iterations int       // of the inner method, in all
	SpMVs      int       // products with A, in all
	Time       TimeByPhase
}

// TimeByPhase is where the time of one right-hand side went; what the parts do
// not cover is vector work and scaling. Precond is applying preconditioners and
// setting up those that took over on the way.
type TimeByPhase struct {
	Total, SpMV, Precond, Orthogonalization, Verify time.Duration
	Digits                                          time.Duration // estimating and improving them; not a part of the rest but across it
}

// PrecondResult is what the last preconditioner used took, and all of them did.
type PrecondResult struct {
	Kind         precond.Kind
	Text         string // with its main parameters; "none"
	Epsilon      float64
	Cost         precond.Cost
	Setup        time.Duration
	Applications int           // of all that were used
	Elapsed      time.Duration // of these
	Launches     int           // of kernels in an application on a device, which then has Cost.Bytes; 0: it is on the host
}

// NotConvergedError is the error of a solve that ended without a solution to the tolerance.
type NotConvergedError struct {
	Result Result // X is the best approximation found, Reason says why the solve ended and Advice what to do about it
}

func (e *NotConvergedError) Error() string {
	text := fmt.Sprintf("solve: %v after %d iterations", e.Result.Reason, e.Result.Iterations)
	if e.Result.Advice != "" {
		text += "; " + e.Result.Advice
	}
	return text
}

// Err is nil if the solve converged, and a *NotConvergedError otherwise.
func (r Result) Err() error {
	if r.Reason.Converged() {
		return nil
	}
	return &NotConvergedError{r}
}
