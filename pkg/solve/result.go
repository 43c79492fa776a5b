package solve

import (
	"fmt"
	"time"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// Result is the outcome of a solve with one right-hand side.
type Result struct {
	X       []float64
	XLow    []float64 // X + XLow is x in double-double, see Options.Vectors; nil: X is x
	Precise *Precise  // x with more digits than X holds; X is this x rounded; nil: none was asked for

	Reason   krylov.Reason // why the solve ended; Err makes an error of it
	Advice   string        // one line on what to do about the Reason, empty when converged
	Cautions []string      // lines with what the Reason does not say

	Errors       verify.Errors        // of X, measured by package verify
	LeastSquares *verify.LeastSquares // of X, if A is not square
	Digits       Digits               // of X
	Evidence     *Evidence            // evidence that the system has no solution; nil: none was looked for or found
	Unknowns     []int                // of a null vector of A, or nearly one, from 0, if they are few, A is Singular, and Evidence names no Rows
	NullSpace    NullSpaceResult      // about the null space of a singular matrix

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
	Bytes   int64           // memory of the matrix, indices included
}

// Work is what a solve did.
type Work struct {
	Method     string    // the last one used
	Attempts   []Attempt // methods and preconditioners tried, in order
	Outer      int       // refinement steps
	Iterations int       // of the inner method, in all
	SpMVs      int       // products with A, in all
	Time       TimeByPhase
}

// TimeByPhase is the time of a solve by its phases. The remainder is vector work and scaling. Precond is the time of applying
// preconditioners, and of setting up those that followed the first.
type TimeByPhase struct {
	Total, SpMV, Precond, Orthogonalization, Verify time.Duration
	Digits                                          time.Duration // estimating digits and improving x; overlaps the other phases
}

// PrecondResult describes the last preconditioner used, and the applications of all.
type PrecondResult struct {
	Kind         precond.Kind
	Text         string // with its main parameters; "none"
	Epsilon      float64
	Cost         precond.Cost
	Setup        time.Duration
	Applications int           // number of applications of all preconditioners
	Elapsed      time.Duration // time of these applications
	Launches     int           // kernel launches of an application on a device, which then holds Cost.Bytes; 0: on the host
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

// Err returns nil if the solve converged, and a *NotConvergedError otherwise.
func (r Result) Err() error {
	if r.Reason.Converged() {
		return nil
	}
	return &NotConvergedError{r}
}

// An Attempt is the attempt of a solve with one fallback, a method with a preconditioner, and its outcome.
type Attempt struct {
	Method     string
	Vectors    VectorKind // in use: neither VectorsAuto nor VectorsDQ
	Precond    string     // with its main parameters; "none"
	Reason     string     // why the attempt ended
	Iterations int
	Work       float64       // multiplications of the set-up and of iterations
	Setup      time.Duration // of the preconditioner; 0: it was set up for an earlier solve
	Solve      time.Duration
}

// Evidence is a combination y of the equations that shows that A x = b has no solution:
// where y^T A = 0 and y^T b != 0, no x can satisfy y^T A x = y^T b. In float64 y^T A is
// zero to rounding.
type Evidence struct {
	Y        []float64 // the combination
	Null     float64   // max_j |y^T A|_j / (|y|^T |A|)_j
	Product  float64   // |y^T b| / |y|^T |b|
	Smallest float64   // no x with an exact residual of zero has a smaller ||x||_inf
	Rows     []int     // the equations that y combines, from 0, if they are few; nil: they are many
}
