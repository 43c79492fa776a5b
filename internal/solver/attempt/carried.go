package attempt

import "github.com/mpsolve/mpsolve/internal/solver/choice"

// Carried is a preconditioner that was made for the values of an earlier system, and the account of its cost.
type Carried struct {
	Ready  map[choice.Variant]*Preconditioner[vector, scalar] // nil: the preconditioner is made for the present values
	Usual  int                                                // iterations of a solve with the values that it was made for; 0: not known
	Debt   float64                                            // multiplications of the iterations beyond Usual
	Solves int                                                // solves since the last Update
	Took   int                                                // iterations of these solves
	Other  bool                                               // the preconditioner does not suit, since the scaling has changed
}

// Solved counts a solve.
func (c *Carried) Solved(iterations int) {
	c.Solves++
	c.Took += iterations
}
