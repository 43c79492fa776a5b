package reproduce

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Labels that say how a matrix is stored.
const (
	formatsLabel    = "formats"
	epsilonLabel    = "epsilon"
	criterionLabel  = "criterion"
	roundingLabel   = "rounding"
	arithmeticLabel = "arithmetic"
	dropLabel       = "drop"
	layoutLabel     = "layout"
)

// storedLabels returns the labels of every kind that stores a matrix. The rounding "paper" is truncation, with the
// intervals as printed, for the sets of the papers; ours always rounds to nearest. The arithmetic "storage" is FP32
// for formats that are prefixes of FP32, as in chapter 3 of [Molina24].
func storedLabels() []label {
	return []label{
		{formatsLabel, "AP7", formatSets},
		{epsilonLabel, "2^-53", epsilons},
		{criterionLabel, "nw", oneOf("nw", "cw")},
		{roundingLabel, "paper", oneOf("paper", "own")},
		{arithmeticLabel, "fp64", oneOf("fp64", "storage")},
		{dropLabel, "yes", oneOf("yes", "no")},
		{layoutLabel, "auto", layouts}, // the papers' sets have only one
	}
}

var (
	formatSets = domain{"a set or a format of docs/precision-formats.md", func(w string) error {
		_, err := adaptive.LookupSet(w)
		return err
	}}
	epsilons = domain{"such as 2^-24 or 1e-7", func(w string) error {
		_, err := packed.ParseEpsilon(w)
		return err
	}}
	layouts = domain{"auto, or a layout of docs/storage.md", func(w string) error {
		if w == "auto" || w != "" && slices.Contains(adaptive.Layouts, adaptive.Layout(w)) {
			return nil
		}
		return fmt.Errorf("unknown layout %q", w)
	}}
	positive = domain{"a positive number", func(w string) error {
		if n, err := strconv.Atoi(w); err != nil || n < 1 {
			return fmt.Errorf("%q is not a positive number", w)
		}
		return nil
	}}
)

// threads returns the label of the number of threads; words are counted before the check.
func threads(value string) label {
	return label{threadsLabel, value, domain{"a positive number, all, or each from 1 to all", positive.check}}
}

// storedExists reports whether a combination exists: a format for all elements has the accuracy of its unit roundoff
// and is stored in one way only.
func storedExists(p point) bool {
	s, err := p.spec()
	if err != nil {
		return false
	}
	if s.Set.Name != "AFX" && s.Layout != adaptive.Bucketed {
		return false
	}
	if s.Set.Uniform {
		return s.Set.Formats[0].UnitRoundoff() == s.Epsilon && p[dropLabel] != "no"
	}
	return s.Validate() == nil
}

// uniform reports whether a point stores all elements in one format.
func (p point) uniform() bool {
	s, err := adaptive.LookupSet(p[formatsLabel])
	return err == nil && s.Uniform
}

// spec returns the storage that a point asks for.
func (p point) spec() (s adaptive.Spec, err error) {
	if s.Set, err = adaptive.LookupSet(p[formatsLabel]); err != nil {
		return s, err
	}
	if s.Epsilon, err = packed.ParseEpsilon(p[epsilonLabel]); err != nil {
		return s, err
	}
	if p[criterionLabel] != "none" {
		s.Criterion = adaptive.Criterion(p[criterionLabel])
	}
	s.NoDrop = p[dropLabel] == "no"
	if l := p[layoutLabel]; l != "" && l != "auto" {
		s.Layout = adaptive.Layout(l)
	}
	if s.Set.Name != "AFX" {
		if s.Layout == "" {
			s.Layout = adaptive.Bucketed
		}
		s.PaperExact = p[roundingLabel] == "paper"
		s.StorageArithmetic = p[arithmeticLabel] == "storage"
	}
	return s, nil
}

// store stores m for a product. AFX goes to slots where the automatic choice would be FP64, as for matrices
// that fit into the cache: the experiments ask for the effect of adaptive precision.
func store(m *csr.Matrix, spec adaptive.Spec, pool *parallel.Pool) (lab.Product, adaptive.Matrix, error) {
	product, a, err := lab.Store(m, spec, pool)
	if err == nil && a.Layout().FP64() {
		spec.Layout = adaptive.Slots
		product, a, err = lab.Store(m, spec, pool)
	}
	return product, a, err
}

// unitNorm scales m in place by the power of two that brings its norm to [1, 2), so that no format lacks the range.
// The papers scale by the norm.
func unitNorm(m *csr.Matrix, pool *parallel.Pool) {
	norm := 0.0
	for _, sum := range m.RowSums(pool) {
		norm = max(norm, sum)
	}
	if norm == 0 || math.IsInf(norm, 0) {
		return
	}
	shift := -math.Ilogb(norm)
	for k, v := range m.Val {
		m.Val[k] = math.Ldexp(v, shift)
	}
}
