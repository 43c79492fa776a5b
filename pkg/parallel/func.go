package parallel

// Func makes a Job of a function. The conversion allocates, so inner loops
// keep a Job of their own.
type Func func(part int)

// Do calls f(part).
func (f Func) Do(part int) { f(part) }

// RunRanges calls do for every range of bounds: part k is bounds[k] to
// bounds[k+1]-1. A nil Pool does all of them itself.
func (p *Pool) RunRanges(bounds []int, do func(k, lo, hi int)) {
	p.Run(len(bounds)-1, Func(func(k int) { do(k, bounds[k], bounds[k+1]) }))
}
