package rules

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/mp"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Parameters of DQ-SWITCH as published.
const (
	defaultWindow    = 100
	defaultDeviation = 1e-2

	maxWindow = 1 << 20
)

// ParseVectors is the inverse of VectorsText. It reads a kind, which :WINDOW,DEVIATION may follow for solve.VectorsDQ.
func ParseVectors(text string) (v solve.Vectors, err error) {
	kind, parameters, has := strings.Cut(text, ":")
	v.Kind = solve.VectorKind(kind)
	if has {
		window, deviation, two := strings.Cut(parameters, ",")
		var errWindow, errDeviation error
		v.Window, errWindow = strconv.Atoi(window)
		v.Deviation, errDeviation = strconv.ParseFloat(deviation, 64)
		if v.Kind != solve.VectorsDQ || !two || errWindow != nil || errDeviation != nil || v.Window == 0 || v.Deviation == 0 {
			return solve.Vectors{}, errVectors(text)
		}
	}
	if kind == "" || vectorsFault(v) != nil {
		return solve.Vectors{}, errVectors(text)
	}
	return v, nil
}

func errVectors(text string) error {
	plain := ""
	for _, k := range solve.VectorKinds {
		if k != solve.VectorsDQ {
			plain += string(k) + ", "
		}
	}
	return fmt.Errorf("vectors %q: want %sor %s:WINDOW,DEVIATION with 2 to %d residual norms and a deviation above 0", text, plain, solve.VectorsDQ, maxWindow)
}

// VectorsText describes vectors; ParseVectors reads it.
func VectorsText(v solve.Vectors) string {
	switch v = VectorsWithDefaults(v); v.Kind {
	case solve.VectorsDQ:
		return fmt.Sprintf("%s:%d,%g", v.Kind, v.Window, v.Deviation)
	default:
		return string(v.Kind)
	}
}

// VectorsWithDefaults fills in what vectors leave open.
func VectorsWithDefaults(v solve.Vectors) solve.Vectors {
	if v.Kind == "" {
		v.Kind = solve.VectorsDouble
	}
	if v.Kind == solve.VectorsDQ && v.Window == 0 {
		v.Window = defaultWindow
	}
	if v.Kind == solve.VectorsDQ && v.Deviation == 0 {
		v.Deviation = defaultDeviation
	}
	return v
}

// Float64Vectors reports whether all vectors are float64.
func Float64Vectors(v solve.Vectors) bool { return v.Kind == "" || v.Kind == solve.VectorsDouble }

// Widens reports whether double-double vectors may take over from float64.
func Widens(v solve.Vectors) bool { return v.Kind == solve.VectorsAuto || v.Kind == solve.VectorsDQ }

// FirstVectors returns the kind of the vectors that a solve begins with.
func FirstVectors(v solve.Vectors) solve.VectorKind {
	if v.Kind == "" || Widens(v) {
		return solve.VectorsDouble
	}
	return v.Kind
}

func vectorsFault(v solve.Vectors) error {
	d := VectorsWithDefaults(v)
	switch {
	case !oneOf(v.Kind, solve.VectorKinds):
		return fmt.Errorf("solve: unknown vectors %q", v.Kind)
	case v.Kind != solve.VectorsDQ && (v.Window != 0 || v.Deviation != 0):
		return fmt.Errorf("solve: a window and a deviation are for vectors %s", solve.VectorsDQ)
	case v.Kind == solve.VectorsDQ && (d.Window < 2 || d.Window > maxWindow || !(d.Deviation > 0 && d.Deviation <= math.MaxFloat64)):
		return fmt.Errorf("solve: vectors %v: want 2 to %d residual norms and a deviation above 0", VectorsText(v), maxWindow)
	}
	return nil
}

// vectorsConflict reports options that cannot be combined with vectors that are not float64.
func vectorsConflict(o solve.Options) error {
	if o.NoRefine && Widens(o.Vectors) {
		return fmt.Errorf("solve: vectors %v change from one refinement step to the next, and need refinement", VectorsText(o.Vectors))
	}
	if !Float64Vectors(o.Vectors) && o.Basis != "" {
		return fmt.Errorf("solve: a basis in %s is of vectors double, not %v", o.Basis, VectorsText(o.Vectors))
	}
	if !Float64Vectors(o.Vectors) && (o.Checkpoint.Save != nil || o.Checkpoint.Resume != nil) {
		return fmt.Errorf("solve: there are no checkpoints of vectors %v", VectorsText(o.Vectors))
	}
	return nil
}

const (
	// MinBits and MaxBits are the least and the largest number of bits of an x of multiple precision.
	MinBits = 106
	MaxBits = mp.MaxBits

	guardBits = 16 // that x has beyond its digits and the condition of A
	floatBits = 53 // of the significand of float64
)

// Roundoff is the unit roundoff of float64.
const Roundoff = 0x1p-53

// BitsPerDigit is log2 10.
var BitsPerDigit = math.Log2(10)

// DigitsOfBits returns the number of digits that numbers of so many bits hold.
func DigitsOfBits(bits int) int {
	return min(solve.MaxPreciseDigits, int(float64(bits-1)/BitsPerDigit))
}

// Precise reports whether x is to have more digits than float64 holds.
func Precise(o solve.Options) bool { return o.Digits > solve.MaxDigits }

// FloatDigits returns the number of digits for which the solve in float64 is to go on: 1 if Options.Digits is more than float64 holds.
func FloatDigits(o solve.Options) int {
	if Precise(o) {
		return 1
	}
	return o.Digits
}

// BitsFor returns the number of bits with which x can have the digits asked for, given the condition of A.
func BitsFor(o solve.Options, condition float64) int {
	return BitsBeyond(o, math.Log10(max(1, condition)))
}

// BitsBeyond is BitsFor for a condition of 10^decades.
func BitsBeyond(o solve.Options, decades float64) int {
	need := int(math.Ceil((float64(o.Digits)+max(0, decades))*BitsPerDigit)) + guardBits
	need = max(MinBits, o.Bits, need)
	return min(MaxBits, (need+kernels.LimbBits-1)/kernels.LimbBits*kernels.LimbBits)
}

// Parts returns the number of float64 that hold an element of A and b as accurately as the digits asked for need, unless the condition
// of A is above 2^53.
func Parts(o solve.Options) int { return (BitsFor(o, 1/Roundoff) + floatBits - 1) / floatBits }
