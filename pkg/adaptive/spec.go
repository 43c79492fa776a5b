package adaptive

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/formats"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Set is the set of formats in which the elements of a matrix are stored.
type Set struct {
	Name    string
	Formats []formats.Format // from the widest to the narrowest
	Uniform bool             // one format for all elements; none is dropped
	Keeps   bool             // no element is dropped, as with Spec.NoDrop
}

// Criterion determines T in epsilon T, the absolute error allowed for an element.
type Criterion string

const (
	// NW bounds the normwise backward error: T = ||A||_inf.
	NW = Criterion(packed.NW)
	// CW bounds the row-wise error and, for x of constant magnitude, the componentwise error: T_i = sum_j |a_ij|.
	CW = Criterion(packed.CW)
	// Exact bounds the componentwise backward error of the product with one given x: the error allowed for a_ij is
	// epsilon sum_k |a_ik x_k| / |x_j|. It is for experiments.
	Exact = Criterion(packed.Exact)
)

// MinEpsilon is the smallest epsilon.
const MinEpsilon = packed.MinEpsilon

// Criteria lists the criteria that need no x.
var Criteria = []Criterion{NW, CW}

// LookupSet returns the set of that name; the name of a format stands for that
// format alone. Upper and lower case are alike.
func LookupSet(name string) (Set, error) {
	s, err := packed.LookupSet(name)
	return Set(s), err
}

// AFX fits the format of each element to the accuracy, Lossless has integers where they are exact and FP64 elsewhere, FP64 holds all
// elements in float64; see LookupSet for others.
var (
	AFX      = mustLookup("AFX")
	Lossless = mustLookup("exact")
	FP64     = mustLookup("FP64")
)

func mustLookup(name string) Set {
	s, err := LookupSet(name)
	if err != nil {
		panic(err)
	}
	return s
}

// lossless reports whether no element has an error in any layout.
func (s Set) lossless() bool { return packed.Set(s).Lossless() }

// Spec is how to store a matrix: formats, accuracy and layout.
type Spec struct {
	Set       Set
	Epsilon   float64   // target accuracy, 2^-53 <= Epsilon < 1
	Criterion Criterion // "": NW
	X         []float64 // of the criterion Exact

	// NoDrop keeps the elements below epsilon T, in the narrowest format that
	// has a code for them.
	NoDrop bool

	// GuardBits are extra bits for AFX: each halves its error.
	GuardBits int

	// PaperExact takes the intervals as printed in [Molina24], with T as it is and with truncation except for FP32 and
	// Minifloats; as there, prefixes of FP32 are cut from the value rounded to FP32. Without it, epsilon T is rounded
	// down to a power of two and values are rounded to nearest. It drops every element that is at most epsilon T,
	// diagonal and whole rows included. It is for reproduction only: the error of truncation may reach twice the bound.
	PaperExact bool

	// Layout is the order of the stored matrix in memory; see Layouts.
	Layout Layout

	// DD says that products are with double-double vectors, see Matrix.DD: LayoutAuto takes the layout that is fastest with
	// these vectors, and a layout without such products is a fault.
	DD bool

	// Narrow says that LayoutAuto takes FP64 in CSR only, which is no copy of the matrix, and not in SELL8 or BCRS4x1.
	Narrow bool

	// MaxBytes limits the bytes of a layout that is filled up with zeros, SELL8, BCRS4x1, ELL or Hybrid; 0: no limit.
	MaxBytes int64

	// Kernels is the name of the kernels that store and multiply; "": the default kernels of this processor.
	Kernels string

	// Model is the model by which LayoutAuto chooses; nil: ModelOf(Kernels).
	Model *Model

	// Whole describes the whole matrix if this one is a part of it: some of its rows, with columns that other parts may
	// have as well; nil: the matrix is not a part.
	Whole *Whole

	// StorageArithmetic multiplies and adds the elements of formats that are
	// heads of FP32 in FP32, as chapter 3 of [Molina24] does; otherwise all
	// arithmetic is FP64.
	StorageArithmetic bool
}

// quantization returns the spec for package packed.
func (s Spec) quantization() packed.Spec {
	q := packed.Spec{
		Set: packed.Set(s.Set), Epsilon: s.Epsilon, Criterion: packed.Criterion(s.Criterion), X: s.X,
		NoDrop: s.NoDrop || s.Set.Keeps, GuardBits: s.GuardBits, PaperExact: s.PaperExact, Kernels: kernels.Find(s.Kernels),
	}
	if s.Set.lossless() {
		q.Epsilon = packed.LosslessEpsilon
	}
	if w := s.Whole; w != nil {
		q.Norm, q.Diagonal = (*packed.Norm)(&w.Norm), w.Diagonal
	}
	return q
}

// String returns the set, the accuracy and the criterion.
func (s Spec) String() string { return s.quantization().String() }

// Validate reports every fault of the spec.
func (s Spec) Validate() error {
	q := s.quantization()
	faults := []error{q.Validate()}
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("adaptive: "+format, args...))
	}
	if s.Kernels != "" && q.Kernels == nil {
		fault("this processor has no kernels %q", s.Kernels)
	}
	row := s.Layout.row()
	switch {
	case !slices.Contains(Layouts, s.Layout):
		fault("unknown layout %q", s.Layout)
	case row == nil && s.DD && !q.Fixed() && !s.fp64():
		fault("formats %s have no products with double-double vectors; FP64 and AFX have", s.Set.Name)
	case row == nil:
		break
	case s.DD && !row.dd:
		fault("layout %s has no products with double-double vectors", s.Layout)
	case row.afx && !q.Fixed():
		fault("layout %s needs AFX", s.Layout)
	case row.lower && s.Criterion != NW && s.Criterion != "":
		fault("layout %s needs the criterion %s: with %s a_ij and a_ji are stored differently", s.Layout, NW, s.Criterion)
	case row.lower && q.NoDrop:
		fault("layout %s does not keep elements below epsilon T", s.Layout)
	}
	return errors.Join(faults...)
}

// fp64 reports whether the only format is FP64.
func (s Spec) fp64() bool { return s.Set.Uniform && s.Set.Name == "FP64" }

// Tolerances returns theta_i for every row of m, the absolute error that elements of row
// i may carry where m is stored as s says; see Matrix.Tolerance.
func Tolerances(m *csr.Matrix, s Spec, pool *parallel.Pool) ([]float64, error) {
	t, err := packed.NewTolerances(m, s.quantization(), csr.Panels(m), pool)
	if err != nil {
		return nil, err
	}
	theta := make([]float64, m.Rows)
	for i := range theta {
		theta[i] = t.Tolerance(i)
	}
	return theta, nil
}
