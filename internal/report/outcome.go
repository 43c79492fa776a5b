package report

import (
	"fmt"
	"io"

	"github.com/dustin/go-humanize/english"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// Outcome is the outcome of one solve, or of all of them together.
type Outcome struct {
	Converged        bool          `json:"converged"`
	Reason           string        `json:"reason"`
	Advice           string        `json:"advice,omitempty"`
	OuterIterations  int           `json:"outer_iterations"`
	InnerIterations  int           `json:"inner_iterations"`
	SpMVs            int           `json:"spmv_count"`
	BackwardError    BackwardError `json:"backward_error"`
	RelativeResidual Number        `json:"relative_residual"`

	Digits   Digits    `json:"digits"`
	Precise  *Precise  `json:"precise,omitempty"`  // of an x in multiple precision
	Evidence *Evidence `json:"evidence,omitempty"` // that there is no solution
	Unknowns []int     `json:"unknowns,omitempty"` // from 1, of a null vector of A, or nearly one
	Cautions []string  `json:"cautions,omitempty"`

	NullSpace *NullSpace `json:"null_space,omitempty"` // of a singular matrix

	LeastSquares *LeastSquares `json:"least_squares,omitempty"` // errors, if the matrix is not square

	Why      krylov.Reason `json:"-"`        // Reason is its name
	Attempts []Attempt     `json:"attempts"` // methods and preconditioners tried, in order
}

// BackwardError holds the backward errors of package verify.
type BackwardError struct {
	Row           Number `json:"row"`
	Normwise      Number `json:"normwise"`
	Componentwise Number `json:"componentwise"`
}

// Digits is what is known about the digits of x, see solve.Digits. Unknown numbers are null.
type Digits struct {
	State      string `json:"state"` // "not estimated", "believed", "estimated", "none", "not confirmed"
	Believed   int    `json:"believed"`
	Error      Number `json:"error"`
	Step       Number `json:"step"`
	Probe      Number `json:"probe"`
	Condition  Number `json:"condition"`
	Iterations int    `json:"iterations"`
}

// NullSpace describes the null space that a solve used, see solve.NullSpaceResult.
type NullSpace struct {
	Dimension int    `json:"dimension"`
	Residual  Number `json:"residual"`
	Component Number `json:"component"`
}

func nullSpace(n solve.NullSpaceResult) *NullSpace {
	if n.Dim == 0 {
		return nil
	}
	return &NullSpace{n.Dim, Number(n.Residual), Number(n.Component)}
}

// LeastSquares holds the errors of x as a least-squares solution, see verify.LeastSquares.
type LeastSquares struct {
	Columns Number `json:"columns"`
	Normal  Number `json:"normal"`
}

func leastSquares(e *verify.LeastSquares) *LeastSquares {
	if e == nil {
		return nil
	}
	return &LeastSquares{Number(e.Columns), Number(e.Normal)}
}

// Evidence shows that a system has no solution, see solve.Evidence.
type Evidence struct {
	Null     Number  `json:"null"`
	Product  Number  `json:"product"`
	Smallest Number  `json:"smallest"`
	Rows     []int   `json:"rows,omitempty"`  // from 1
	Lines    []int64 `json:"lines,omitempty"` // of the file, the first of each of the Rows, from 1
}

func evidence(v *solve.Evidence) *Evidence {
	if v == nil {
		return nil
	}
	e := &Evidence{Null: Number(v.Null), Product: Number(v.Product), Smallest: Number(v.Smallest)}
	e.Rows = fromOne(v.Rows)
	return e
}

// fromOne returns numbers of rows or unknowns as users count them.
func fromOne(places []int) (numbers []int) {
	for _, i := range places {
		numbers = append(numbers, i+1)
	}
	return numbers
}

func digits(d solve.Digits) Digits {
	state := string(d.State)
	if d.State == "" {
		state = "not estimated"
	}
	return Digits{
		State: state, Believed: d.Believed, Error: Number(d.Error), Step: Number(d.Step), Probe: Number(d.Probe),
		Condition: Number(d.Condition), Iterations: d.Iterations,
	}
}

// rank orders states and numbers of digits. Of several x the least rank counts.
func (d Digits) rank() int {
	switch d.State {
	case "none":
		return -2
	case "not confirmed":
		return -1
	case "not estimated":
		return solve.MaxPreciseDigits + 1
	}
	return d.Believed
}

func outcome(s solve.Result) Outcome {
	o := Outcome{
		Converged: s.Reason.Converged(), Reason: s.Reason.String(), Advice: Flags(s.Advice),
		Digits: digits(s.Digits), Precise: precise(s.Precise), Evidence: evidence(s.Evidence), Unknowns: fromOne(s.Unknowns), Cautions: s.Cautions,
		NullSpace: nullSpace(s.NullSpace), LeastSquares: leastSquares(s.LeastSquares),
		OuterIterations: s.Outer, InnerIterations: s.Iterations, SpMVs: s.SpMVs, Why: s.Reason,
	}
	o.setErrors(s.Errors)
	o.Attempts = attempts(s)
	return o
}

func (o *Outcome) setErrors(e verify.Errors) {
	o.BackwardError = BackwardError{Number(e.Row), Number(e.Normwise), Number(e.Componentwise)}
	o.RelativeResidual = Number(e.RelativeResidual)
}

func (o *Outcome) errors() verify.Errors {
	e := o.BackwardError
	return verify.Errors{
		Row: float64(e.Row), Normwise: float64(e.Normwise),
		Componentwise: float64(e.Componentwise), RelativeResidual: float64(o.RelativeResidual),
	}
}

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

// Text describes the attempt and why it ended.
func (a Attempt) Text() string {
	return fmt.Sprintf("%s%s, %s: %s", a.Method, with(a.Preconditioner), english.Plural(a.Iterations, "iteration", ""), a.Reason)
}

// AttemptsOverTime writes a table of attempts with the seconds, of set-ups and iterations, at which each begins and ends.
func AttemptsOverTime(w io.Writer, list []Attempt) {
	t := newTable(w, "from (s)", "to (s)", "attempt")
	t.words(3)
	at := 0.0
	for _, a := range list {
		end := at + a.SecondsSetup + a.SecondsSolve
		t.AppendRow(table.Row{fmt.Sprintf("%.3f", at), fmt.Sprintf("%.3f", end), a.Text()})
		at = end
	}
	t.Render()
}
