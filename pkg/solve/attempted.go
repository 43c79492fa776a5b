package solve

import "time"

// An Attempt is the attempt of a solve with one fallback, a method with a preconditioner, and its outcome.
type Attempt struct {
	Method     string
	Vectors    VectorKind // VectorsDouble or VectorsDD
	Precond    string     // with its main parameters; "none"
	Reason     string     // why the attempt ended
	Iterations int
	Work       float64       // multiplications of the set-up and of iterations
	Setup      time.Duration // of the preconditioner; 0: it was set up for an earlier solve
	Solve      time.Duration
}
