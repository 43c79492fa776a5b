package solve

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// VectorKind names the arithmetic of the vectors of a solve.
type VectorKind string

// The kinds of vectors.
const (
	VectorsDouble VectorKind = "double" // float64
	VectorsDD     VectorKind = "dd"     // double-double, 106 bits, see package dd
	VectorsAuto   VectorKind = "auto"   // float64, and double-double in corrections once float64 cannot go on
	VectorsDQ     VectorKind = "dq"     // float64, then double-double, by DQ-SWITCH
)

// VectorKinds lists all kinds of vectors.
var VectorKinds = []VectorKind{VectorsDouble, VectorsDD, VectorsAuto, VectorsDQ}

// Vectors says which arithmetic the vectors of the method are in; the zero value is VectorsDouble. The matrix and the
// preconditioner stay as they are.
type Vectors struct {
	Kind VectorKind

	// Of VectorsDQ: the method goes on in double-double once the deviation of its last Window residual norms,
	//
	//	v = 1/Window sum ((nrm(i) - nrm(1)) / nrm(1))^2,
	//
	// is below Deviation (DD-AVX, DQ-SWITCH).
	Window    int     // 0: DefaultWindow
	Deviation float64 // 0: DefaultDeviation
}

// Parameters of DQ-SWITCH as published.
const (
	DefaultWindow    = 100
	DefaultDeviation = 1e-2

	maxWindow = 1 << 20
)

// ParseVectors is the inverse of Vectors.String: a kind, for VectorsDQ followed by :WINDOW,DEVIATION or not.
func ParseVectors(text string) (v Vectors, err error) {
	kind, parameters, has := strings.Cut(text, ":")
	v.Kind = VectorKind(kind)
	if has {
		window, deviation, two := strings.Cut(parameters, ",")
		var errWindow, errDeviation error
		v.Window, errWindow = strconv.Atoi(window)
		v.Deviation, errDeviation = strconv.ParseFloat(deviation, 64)
		if v.Kind != VectorsDQ || !two || errWindow != nil || errDeviation != nil || v.Window == 0 || v.Deviation == 0 {
			return Vectors{}, errVectors(text)
		}
	}
	if kind == "" || v.validate() != nil {
		return Vectors{}, errVectors(text)
	}
	return v, nil
}

func errVectors(text string) error {
	return fmt.Errorf("vectors %q: want double, dd, auto, or dq:WINDOW,DEVIATION with 2 to %d residual norms and a deviation above 0", text, maxWindow)
}

func (v Vectors) String() string {
	switch v = v.WithDefaults(); v.Kind {
	case VectorsDQ:
		return fmt.Sprintf("%s:%d,%g", v.Kind, v.Window, v.Deviation)
	default:
		return string(v.Kind)
	}
}

func (v Vectors) WithDefaults() Vectors {
	if v.Kind == "" {
		v.Kind = VectorsDouble
	}
	if v.Kind == VectorsDQ && v.Window == 0 {
		v.Window = DefaultWindow
	}
	if v.Kind == VectorsDQ && v.Deviation == 0 {
		v.Deviation = DefaultDeviation
	}
	return v
}

// Plain reports whether all vectors are float64.
func (v Vectors) Plain() bool { return v.Kind == "" || v.Kind == VectorsDouble }

func (v Vectors) validate() error {
	d := v.WithDefaults()
	switch {
	case !oneOf(v.Kind, VectorKinds):
		return fmt.Errorf("solve: unknown vectors %q", v.Kind)
	case v.Kind != VectorsDQ && (v.Window != 0 || v.Deviation != 0):
		return fmt.Errorf("solve: a window and a deviation are for vectors %s", VectorsDQ)
	case v.Kind == VectorsDQ && (d.Window < 2 || d.Window > maxWindow || !(d.Deviation > 0 && d.Deviation <= math.MaxFloat64)):
		return fmt.Errorf("solve: vectors %v: want 2 to %d residual norms and a deviation above 0", v, maxWindow)
	}
	return nil
}

// checkVectors reports what vectors that are not float64 cannot be combined with.
func (o Options) checkVectors() error {
	if o.NoRefine && (o.Vectors.Kind == VectorsAuto || o.Vectors.Kind == VectorsDQ) {
		return fmt.Errorf("solve: vectors %v change from one refinement step to the next, and need refinement", o.Vectors)
	}
	if !o.Vectors.Plain() && o.Basis != "" {
		return fmt.Errorf("solve: a basis in %s is of vectors double, not %v", o.Basis, o.Vectors)
	}
	if !o.Vectors.Plain() && (o.Checkpoint.Save != nil || o.Checkpoint.Resume != nil) {
		return fmt.Errorf("solve: there are no checkpoints of vectors %v", o.Vectors)
	}
	return nil
}
