package report

import "github.com/mpsolve/mpsolve/pkg/solve"

// Attempt is a method with a preconditioner that a solve tried, with its outcome.
type Attempt struct {
	Method          string  `json:"method"`
	Vectors         string  `json:"vectors"`        // double or dd
	Preconditioner  string  `json:"preconditioner"` // with its main parameters
	Reason          string  `json:"reason"`         // why the attempt ended
	Iterations      int     `json:"iterations"`
	Multiplications Number  `json:"multiplications"` // to set up and to iterate
	SecondsSetup    float64 `json:"seconds_setup"`
	SecondsSolve    float64 `json:"seconds_solve"`
}

// attempts returns the attempts of a solve, in order.
func attempts(s solve.Result) []Attempt {
	list := make([]Attempt, len(s.Attempts))
	for k, a := range s.Attempts {
		list[k] = Attempt{
			a.Method, string(a.Vectors), a.Precond, a.Reason, a.Iterations, Number(a.Work), a.Setup.Seconds(), a.Solve.Seconds(),
		}
	}
	return list
}
