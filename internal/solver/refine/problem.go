package refine

import (
	"github.com/mpsolve/mpsolve/internal/mp"
	"github.com/mpsolve/mpsolve/internal/solver/attempt"
	"github.com/mpsolve/mpsolve/internal/solver/choice"
)

// Problem is a system with the refinement of its solutions.
type Problem struct {
	choice.System
	Refiner  Refiner         // nil: closed
	Stored   func()          // called when the method's matrix has been stored; nil: nothing is called
	Resumes  bool            // the first solve goes on from a checkpoint
	Carried  attempt.Carried // the preconditioner carried from one Update to the next
	Multiple *mp.Matrix      // the matrix as given, for residuals of multiple precision; nil: not made yet
	LowerB   [][]float64     // lower parts of the right-hand side of SolveParts
}
