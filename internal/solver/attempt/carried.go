package attempt

import "github.com/mpsolve/mpsolve/internal/solver/choice"

// Carried is a preconditioner of the values of an earlier system, and what it costs.
type Carried struct {
	Ready  map[choice.Variant]*Preconditioner[vector, scalar] // nil: it is of these values
	Usual  int                                                // iterations of a solve with the values that it was made for; 0: not known
	Debt   float64                                            // multiplications of iterations beyond these
	Solves int                                                // since the last Update
	Took   int                                                // their iterations
	Other  bool                                               // it does not suit: the scaling is another one
}

// Solved counts a solve.
func (c *Carried) Solved(iterations int) {
	c.Solves++
	c.Took += iterations
}
