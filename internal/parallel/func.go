package parallel

// Func makes a Job of a function. The conversion allocates, so inner loops
// keep a Job of their own.
type Func func(part int)

// Do calls f(part).
func (f Func) Do(part int) { f(part) }
