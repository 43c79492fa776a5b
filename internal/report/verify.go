package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// Verification is the output of `mpsolve verify`; docs/verify.schema.json describes the JSON. With several right-hand sides,
// Verdict is the verdict on the first x that is not a solution, with the largest errors.
type Verification struct {
	SchemaVersion int       `json:"schema_version"`
	Version       string    `json:"version"` // of mpsolve
	File          string    `json:"file"`
	Rows          int       `json:"rows"`
	Cols          int       `json:"cols"`
	Complex       bool      `json:"complex"`
	RHS           string    `json:"rhs"`
	Solution      string    `json:"solution"` // the file of x
	Stop          string    `json:"stop"`
	Tolerance     float64   `json:"tolerance"`
	Verdict       Verdict   `json:"verdict"`
	Solutions     []Verdict `json:"solutions"` // one for each right-hand side
}

// VerificationVersion is the version of the JSON form. A change that old readers would not understand raises it.
const VerificationVersion = 1

// Verdict is the verdict on one x.
type Verdict struct {
	Converged        bool          `json:"converged"`
	Reason           string        `json:"reason"`
	Advice           string        `json:"advice,omitempty"`
	BackwardError    BackwardError `json:"backward_error"`
	RelativeResidual Number        `json:"relative_residual"`
	LeastSquares     *LeastSquares `json:"least_squares,omitempty"` // errors, if the matrix is not square
	Agreement        *Agreement    `json:"agreement,omitempty"`     // nil: not asked for
	why              krylov.Reason
}

// Agreement compares x with mpsolve's own solution y.
type Agreement struct {
	Difference Number `json:"difference"` // ||x - y||_inf / ||y||_inf; null: there is no y
	Error      Number `json:"error"`      // estimate of the error of x: Difference plus the error of y; null: not known
	Digits     int    `json:"digits"`     // digits of x that Error leaves
	Text       string `json:"text"`
}

// NewAgreement compares x with the result of a solve for the same right-hand side.
func NewAgreement(x []float64, y solve.Result) *Agreement {
	a := &Agreement{Difference: Number(math.NaN()), Error: Number(math.NaN())}
	switch {
	case !y.Reason.Converged():
		a.Text = fmt.Sprintf("not known: the solve to compare with ended with %v", y.Reason)
		return a
	case y.NullSpace.Dim > 0:
		a.Text = "not compared: A is singular, and solutions differ by its null vectors"
		return a
	}
	difference, size := 0.0, 0.0
	for i, v := range y.X {
		difference, size = max(difference, math.Abs(x[i]-v)), max(size, math.Abs(v))
	}
	if difference > 0 {
		difference /= size
	}
	a.Difference = Number(difference)
	switch d := y.Digits; d.State {
	case solve.DigitsBelieved, solve.DigitsEstimated:
		a.Error = Number(difference + d.Error)
		a.Digits = min(solve.MaxDigits, max(0, int(-math.Log10(float64(a.Error)))))
		its := strings.NewReplacer(" of x", " digits", "--digits", "solve --digits").Replace(digits(d).Brief())
		a.Text = fmt.Sprintf("%d of x: it differs by %.1e from a solution with %s", a.Digits, difference, its)
	case "":
		a.Text = fmt.Sprintf("not estimated: x differs by %.1e from a solution whose digits are not known", difference)
	default:
		a.Text = fmt.Sprintf("x differs by %.1e from a solution, but %s", difference, digits(d).Brief())
	}
	return a
}

// Add adds the verdict on one more x.
func (v *Verification) Add(r solve.Result, a *Agreement) {
	e := r.Errors
	one := Verdict{
		Converged: r.Reason.Converged(), Reason: r.Reason.String(), Advice: Flags(r.Advice), why: r.Reason,
		BackwardError:    BackwardError{Number(e.Row), Number(e.Normwise), Number(e.Componentwise)},
		RelativeResidual: Number(e.RelativeResidual), LeastSquares: leastSquares(r.LeastSquares), Agreement: a,
	}
	if r.Reason == krylov.Running {
		one.Reason = "not accurate enough"
	}
	v.Solutions = append(v.Solutions, one)
	if len(v.Solutions) == 1 {
		v.Verdict = one
		return
	}
	all := &v.Verdict
	largest := worst(e, verify.Errors{
		Row: float64(all.BackwardError.Row), Normwise: float64(all.BackwardError.Normwise),
		Componentwise: float64(all.BackwardError.Componentwise), RelativeResidual: float64(all.RelativeResidual),
	})
	if all.Converged && !one.Converged {
		*all = one
	} else if a != nil && a.Digits < all.Agreement.Digits {
		all.Agreement = a
	}
	all.BackwardError = BackwardError{Number(largest.Row), Number(largest.Normwise), Number(largest.Componentwise)}
	all.RelativeResidual = Number(largest.RelativeResidual)
}

// WriteText writes the verdict as text; quiet: without the errors behind it.
func (v *Verification) WriteText(w io.Writer, quiet bool) {
	if quiet {
		fmt.Fprintln(w, v.text(v.Verdict))
		return
	}
	if len(v.Solutions) > 1 {
		for k, one := range v.Solutions {
			Line(w, fmt.Sprintf("x %d", k+1), "%s", v.text(one))
		}
	}
	Line(w, "result", "%s", v.text(v.Verdict))
	e := v.Verdict.BackwardError
	Line(w, "errors", "row-wise %.2e, normwise %.2e, componentwise %.2e, ||r||/||b|| %.2e", e.Row, e.Normwise, e.Componentwise, v.Verdict.RelativeResidual)
	if l := v.Verdict.LeastSquares; l != nil {
		Line(w, "orthogonal", "largest cosine of the residual and a column %.2e, ||A'r||/(||A|| ||r||) %.2e", l.Columns, l.Normal)
	}
	if a := v.Verdict.Agreement; a != nil {
		Line(w, "digits", "%s", a.Text)
	}
}

// text returns a verdict in one line, in the words of solve.
func (v *Verification) text(one Verdict) string {
	r := Report{Stop: v.Stop, Tolerance: v.Tolerance}
	return r.Verdict(Outcome{
		Converged: one.Converged, Reason: one.Reason, Advice: one.Advice, BackwardError: one.BackwardError,
		RelativeResidual: one.RelativeResidual, LeastSquares: one.LeastSquares, Why: one.why,
	})
}
