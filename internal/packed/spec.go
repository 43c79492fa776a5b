package packed

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/formats"
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
	case s.GuardBits < 0 || s.GuardBits > 0 && (!fixed || s.Set.Lossless()):
		fault("guard bits need AFX and must not be negative")
	case fixed && (s.GuardBits > maxFixedBits || s.unitBits()+s.GuardBits > maxFixedBits):
		fault("epsilon %g with %d guard bits takes more than %d bits", s.Epsilon, s.GuardBits, maxFixedBits)
	case fixed && s.NoDrop && s.GuardBits == 0 && !s.Set.Lossless():
		fault("AFX needs at least one guard bit to keep elements below epsilon T")
	}
	if s.PaperExact && s.Set.kind() == fixedPoint {
		fault("AFX is not in the papers, so it has no paper-exact form")
	}
	return errors.Join(faults...)
}

// String returns the set, the accuracy and the criterion.
func (s Spec) String() string {
	switch {
	case s.Set.Uniform:
		return "uniform " + s.Set.Name
	case s.Set.Lossless():
		return s.Set.Name
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

// Set is the set of formats in which the elements of a matrix are stored.
type Set struct {
	Name    string
	Formats []formats.Format // from the widest to the narrowest
	Uniform bool             // one format for all elements; none is dropped
	Keeps   bool             // no element is dropped, as with Spec.NoDrop
}

// The sets of [Molina24] (thesis sections 3.4 and 4.3) and AFX.
var sets = []Set{
	define("AP1", "FP64"),
	define("AP2", "FP64 FP32"),
	define("AP3", "FP64 FP32 BF16"),
	define("AP4", "FP64 RP48 FP32 RP16"),
	define("AP7", "FP64 RP56 RP48 RP40 FP32 RP24 RP16"),
	define("AP7RE", "FP64 RPRE48 RPRE40 RPRE32 FP32 RPRE16 RPRE8"),
	define("AP7REU", "FP64 RPREU48 RPREU40 RPREU32 FP32 RPREU16 RPREU8"),
	define("AFX", "FP32 AFX56 AFX48 AFX40 AFX32 AFX24 AFX16 AFX8"), // FP32 for elements that must not be dropped
}

// losslessSet has integers that are the elements of a row in units of the largest power of two that divides them all, and
// FP64 where they would be too wide.
var losslessSet = define("exact", "FP64 AFX56 AFX48 AFX40 AFX32 AFX24 AFX16 AFX8")

// Lossless reports whether every element is stored without an error in slots.
func (s Set) Lossless() bool {
	return s.kind() == fixedPoint && !s.Uniform && s.Formats[0].Name == "FP64"
}

// LosslessEpsilon is the epsilon of lossless sets, with which the unit of a row is its quantum.
const LosslessEpsilon = 0.5

func define(name, list string) Set {
	s := Set{Name: name}
	for _, f := range strings.Fields(list) {
		s.Formats = append(s.Formats, formats.MustLookup(f))
	}
	return s
}

// Sets lists the sets of several formats that depend on epsilon.
func Sets() []Set { return append([]Set(nil), sets...) }

// Names lists the names that LookupSet knows.
func Names() []string {
	var names []string
	for _, s := range append(sets, losslessSet) {
		names = append(names, s.Name)
	}
	for _, f := range formats.All() {
		names = append(names, f.Name)
	}
	return names
}

// LookupSet returns the set of that name. The name of a format stands for that format alone; a list such as
// FP64,FP32,FP16,drop or FP64+FP32+FP16+drop stands for the set of these formats, which drops elements below epsilon
// T if the list contains drop. Case does not matter. The error names all sets.
func LookupSet(name string) (Set, error) {
	if strings.ContainsAny(name, ",+") {
		return compose(name)
	}
	for _, s := range append(sets, losslessSet) {
		if strings.EqualFold(s.Name, name) {
			return s, nil
		}
	}
	if f, err := formats.Lookup(name); err == nil {
		return Set{Name: f.Name, Formats: []formats.Format{f}, Uniform: true}, nil
	}
	return Set{}, fmt.Errorf("unknown format or set %q; did you mean %s? There are %s", name, host.NearestWord(name, Names()), strings.Join(Names(), ", "))
}

// setKind is how a set assigns its elements to formats.
type setKind int

const (
	heads setKind = iota // floating-point formats without a reduced exponent
	relative
	fixedPoint
)

// kind returns the kind of the set's narrowest format.
func (s Set) kind() setKind {
	if len(s.Formats) == 0 {
		return heads
	}
	switch s.Formats[len(s.Formats)-1].Kind {
	case formats.Relative:
		return relative
	case formats.Fixed:
		return fixedPoint
	}
	return heads
}
