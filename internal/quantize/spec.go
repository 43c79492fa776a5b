package quantize

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// Criterion determines T in epsilon T, the absolute error allowed for an element.
type Criterion string

const (
	// NW bounds the normwise backward error: T = ||A||_inf.
	NW Criterion = "nw"
	// CW bounds the row-wise error and, for x of constant magnitude, the componentwise error: T_i = sum_j |a_ij|.
	CW Criterion = "cw"
	// Exact bounds the componentwise backward error of the product with one given x: the error allowed for a_ij is
	// epsilon sum_k |a_ik x_k| / |x_j|. It is for experiments.
	Exact Criterion = "exact"
)

// Criteria lists the criteria that need no x.
var Criteria = []Criterion{NW, CW}

// Spec says how to quantise a matrix; the fields are those of adaptive.Spec.
type Spec struct {
	Set        Set
	Epsilon    float64   // target accuracy, 2^-53 <= Epsilon < 1
	Criterion  Criterion // "": NW
	X          []float64 // of the criterion Exact
	NoDrop     bool      // keep elements below epsilon T
	GuardBits  int       // of AFX
	PaperExact bool      // intervals and rounding as printed in [Molina24]

	// Norm is the T of NW, and of uniform sets, if the matrix is a part of another one: the largest norm that NewNorm
	// returns for all parts; nil: the norm of this matrix.
	Norm *Norm

	// Diagonal is the column of the diagonal element of row 0, for a matrix that is a part of another one; row i has
	// it i columns later.
	Diagonal int

	Kernels *kernels.Set // nil: the default ones of this processor
}

// MinEpsilon is the unit roundoff of FP64.
const MinEpsilon = 0x1p-53

// maxFixedBits is the number of bits of AFX besides the sign.
const maxFixedBits = 55

// Validate reports all faults of the spec.
func (s Spec) Validate() error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("quantize: "+format, args...))
	}
	if len(s.Set.Formats) == 0 {
		fault("no format set")
	}
	if !(s.Epsilon >= MinEpsilon && s.Epsilon < 1) {
		fault("epsilon %g is not in [2^-53, 1)", s.Epsilon)
		return errors.Join(faults...)
	}
	switch s.criterion() {
	case NW, CW:
	case Exact:
		if s.Set.kind() != heads {
			fault("the exact criterion needs a set of floating-point formats, not %s", s.Set.Name)
		}
	default:
		fault("unknown criterion %q", s.Criterion)
	}
	fixed := s.Fixed()
	switch {
	case s.GuardBits < 0 || s.GuardBits > 0 && !fixed:
		fault("guard bits need AFX and must not be negative")
	case fixed && (s.GuardBits > maxFixedBits || s.unitBits()+s.GuardBits > maxFixedBits):
		fault("epsilon %g with %d guard bits takes more than %d bits", s.Epsilon, s.GuardBits, maxFixedBits)
	case fixed && s.NoDrop && s.GuardBits == 0:
		fault("AFX needs at least one guard bit to keep elements below epsilon T")
	}
	if s.PaperExact && s.Set.kind() == fixedPoint {
		fault("AFX is not in the papers, so it has no paper-exact form")
	}
	return errors.Join(faults...)
}

// String returns the set, the accuracy and the criterion.
func (s Spec) String() string {
	if s.Set.Uniform {
		return "uniform " + s.Set.Name
	}
	text := fmt.Sprintf("%s at epsilon %s, %s", s.Set.Name, FormatEpsilon(s.Epsilon), s.criterion())
	if s.GuardBits > 0 {
		text += fmt.Sprintf(", %d guard bits", s.GuardBits)
	}
	return text
}

func (s Spec) criterion() Criterion {
	if s.Criterion == "" {
		return NW
	}
	return s.Criterion
}

// Fixed reports whether elements are stored in AFX.
func (s Spec) Fixed() bool { return s.Set.kind() == fixedPoint && !s.Set.Uniform }

// unitBits returns c with 2^-c <= epsilon < 2^(1-c).
func (s Spec) unitBits() int {
	_, e := math.Frexp(s.Epsilon)
	return 1 - e
}

// FormatEpsilon is the inverse of ParseEpsilon, to three digits: 1e-07 or 2^-24.
func FormatEpsilon(epsilon float64) string {
	if f, e := math.Frexp(epsilon); f == 0.5 {
		return fmt.Sprintf("2^%d", e-1)
	}
	return fmt.Sprintf("%.3g", epsilon)
}

// ParseEpsilon reads a target accuracy: 1e-7 or 2^-24.
func ParseEpsilon(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if power, ok := strings.CutPrefix(text, "2^"); ok {
		var e int
		e, err = strconv.Atoi(power)
		v = math.Ldexp(1, e)
	}
	if err != nil {
		return 0, fmt.Errorf("%q is not a number such as 1e-7 or 2^-24", text)
	}
	if !(v >= MinEpsilon && v < 1) {
		return 0, fmt.Errorf("%s is not in [2^-53, 1)", text)
	}
	return v, nil
}
