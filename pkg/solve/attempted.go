package solve

import "time"

// An Attempt is a visit to a rung of the ladder: a method with a preconditioner, and what came
// of it.
type Attempt struct {
	Method     string
	Vectors    VectorKind // VectorsDouble or VectorsDD
	Precond    string     // with its main parameters; "none"
	Reason     string     // why it ended
	Iterations int
	Work       float64       // multiplications of setting up and of iterations
	Setup      time.Duration // 0: it had been set up for a solve before
	Solve      time.Duration
}

// Continuing is what every line of Options.Log contains that tells of another method, preconditioner or precision during a solve.
const Continuing = "continuing with"

// MethodMemory is what a solve with a method takes at least, in bytes, as Options.MaxMemory counts it, Options.Held included.
type MethodMemory struct {
	Method         Method
	Alone          int64 // without a preconditioner
	Preconditioned int64 // with the one in use, setting it up included; 0: there is none
	Basis          int64 // of either, by which the basis of gmres may grow
}

// A Proposal is a method with a preconditioner that may suit a system.
type Proposal struct {
	Method   Method
	Precond  Precond // its Kind and, where it is not the default, its DropTol and Fill
	Fallback bool    // the rules would come to it
	Seconds  float64 // that it is expected to take by tables, roughly
}
