package solve

import (
	"time"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// Result is the outcome of one right-hand side.
type Result struct {
	X      []float64
	XLow   []float64 // X + XLow is x in double-double; nil: X is all there is, see Options.Vectors
	Reason krylov.Reason
	Errors verify.Errors // of X, measured by package verify

	LeastSquares *verify.LeastSquares // of X, if A is not square
	Advice       string               // one line on what to do about the Reason, empty when converged

	Digits   Digits    // of X
	Precise  *Precise  // x with more digits than X holds, if these were asked for; X is that rounded
	Evidence *Evidence // that the system has no solution; nil: none was looked for or found
	Cautions []string  // what the Reason does not say, a line each

	Method     string          // the last one used
	Block      int             // the most right-hand sides that block CG solved for together with this one, this included; 0: it was not used
	Vectors    Vectors         // as requested
	Storage    Storage         // the last one used
	Formats    []string        // of its matrix
	Layout     adaptive.Layout // of that; "" on a device, over ranks, and where none is stored
	Stats      adaptive.Stats  // of that; zero for plain FP64 CSR
	Precond    PrecondResult
	Attempts   []Attempt // methods and preconditioners tried, in order
	Bytes      int64     // that this takes, indices included
	Outer      int       // refinement steps
	Iterations int       // of the inner method, in all
	SpMVs      int       // products with A, in all

	NullSpace NullSpaceResult // of a singular matrix

	Time TimeByPhase
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
