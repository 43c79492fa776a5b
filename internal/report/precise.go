package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Precise is what is known about an x in multiple precision, see solve.Precise.
type Precise struct {
	Asked    int           `json:"asked"`
	Believed int           `json:"believed"`
	Proved   int           `json:"proved"`   // digits that a bound proves; 0: there is no bound
	Elements int           `json:"elements"` // number of elements with the digits asked for
	Error    Power         `json:"error"`
	Bound    Power         `json:"bound"`
	Bits     int           `json:"bits"` // of x
	Steps    []PreciseStep `json:"steps"`
	Seconds  float64       `json:"seconds"`

	BackwardError PreciseBackwardError `json:"backward_error"`
	Residual      Power                `json:"relative_residual"`
	ResidualBits  int                  `json:"residual_bits"` // precision in which the errors were computed
}

// PreciseBackwardError holds the backward errors of package verify.
type PreciseBackwardError struct {
	Row           Power `json:"row"`
	Normwise      Power `json:"normwise"`
	Componentwise Power `json:"componentwise"`
}

// PreciseStep is a refinement step in multiple precision. The first one stands for the solve in float64.
type PreciseStep struct {
	Seconds    float64 `json:"seconds"` // since the solve began
	Digits     Number  `json:"digits"`  // estimated
	Change     Power   `json:"change"`  // ||d|| / ||x||
	Residual   Power   `json:"residual"`
	Iterations int     `json:"iterations"`
}

// Power is the decimal logarithm of a number, which may be too small for float64. In JSON it is the number itself, or null if
// that is not known.
type Power float64

// String returns the number with two digits.
func (p Power) String() string {
	switch v := float64(p); {
	case math.IsInf(v, -1):
		return "0"
	case math.IsNaN(v), math.IsInf(v, 1):
		return "?"
	default:
		e := math.Floor(v)
		m := math.Round(10*math.Pow(10, v-e)) / 10
		if m >= 10 {
			m, e = m/10, e+1
		}
		return fmt.Sprintf("%.1fe%+03d", m, int(e))
	}
}

// MarshalJSON implements json.Marshaler.
func (p Power) MarshalJSON() ([]byte, error) {
	if text := p.String(); text != "?" {
		return []byte(text), nil
	}
	return []byte("null"), nil
}

// precise returns the report of an x in multiple precision; nil without one.
func precise(p *solve.Precise) *Precise {
	if p == nil {
		return nil
	}
	r := &Precise{
		Asked: p.Asked, Believed: p.Believed, Proved: p.Proved, Elements: p.Elements, Error: Power(p.Error), Bound: Power(p.Bound),
		Bits: p.Bits, Steps: []PreciseStep{}, Seconds: p.Time.Seconds(),
		BackwardError: PreciseBackwardError{Power(p.Errors.Row), Power(p.Errors.Normwise), Power(p.Errors.Componentwise)},
		Residual:      Power(p.Errors.RelativeResidual), ResidualBits: p.Errors.Bits,
	}
	for _, s := range p.Steps {
		r.Steps = append(r.Steps, PreciseStep{s.Time.Seconds(), Number(max(0, -s.Error)), Power(s.Change), Power(s.Residual), s.Iterations})
	}
	return r
}

// write writes the lines of the text report.
func (p *Precise) write(w io.Writer) {
	if p == nil {
		return
	}
	proved := "; no bound proves that"
	if p.Proved > 0 {
		proved = fmt.Sprintf("; a bound proves %d", p.Proved)
	}
	Line(w, "precise", "%d digits asked for, about %d of x believed%s; %s the digits asked for", p.Asked, p.Believed, proved,
		english.Plural(p.Elements, "element has", "elements have"))
	Line(w, "", "x in %d bits, %s in %.3f s; digits after each %s", p.Bits, english.Plural(len(p.Steps)-1, "step", ""), p.Seconds, p.digits())
	Line(w, "", "in %d bits row-wise %v, normwise %v, componentwise %v, ||r||/||b|| %v", p.ResidualBits,
		p.BackwardError.Row, p.BackwardError.Normwise, p.BackwardError.Componentwise, p.Residual)
}

// digits lists the number of digits after each step.
func (p *Precise) digits() string {
	var list []string
	for _, s := range p.Steps {
		list = append(list, strconv.FormatFloat(math.Floor(float64(s.Digits)), 'f', 0, 64))
	}
	return strings.Join(list, " ")
}
