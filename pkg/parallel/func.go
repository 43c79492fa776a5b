package parallel

// Func is a function as a Job. The conversion allocates; inner loops should keep a
// Job instead.
type Func func(part int)

// Do calls f(part).
func (f Func) Do(part int) { f(part) }

// RunRanges calls do for every range of bounds: part k is bounds[k] to
// bounds[k+1]-1. With a nil Pool the caller runs all.
func (p *Pool) RunRanges(bounds []int, do func(k, lo, hi int)) {
	p.Run(len(bounds)-1, Func(func(k int) { do(k, bounds[k], bounds[k+1]) }))
}
