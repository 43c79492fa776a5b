package precond

// MultigridOptions are the parameters of AMG; the zero value is useful.
type MultigridOptions struct {
	NearNull [][]float64 // vectors that A nearly annihilates, each of n elements; none: constants, one for each unknown of a node
	KCycle   bool        // K-cycle, which makes it another map each time, instead of V-cycle
}
