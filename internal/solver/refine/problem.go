package refine

import (
	"github.com/mpsolve/mpsolve/internal/mp"
	"github.com/mpsolve/mpsolve/internal/solver/attempt"
	"github.com/mpsolve/mpsolve/internal/solver/choice"
)

// Problem is a system and what refines its solutions.
type Problem struct {
	choice.System
	Refiner  Refiner         // nil: closed
	Stored   func()          // called when the method's matrix is stored; nil: no one waits for that
	Resumes  bool            // the first solve goes on from a checkpoint
	Carried  attempt.Carried // from one Update to the next
	Multiple *mp.Matrix      // given, for residuals of multiple precision; nil: none were asked for yet
	LowerB   [][]float64     // parts of the right-hand side beside that of Solve
}
