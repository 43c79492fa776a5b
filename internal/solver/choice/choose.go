package choice

import (
	"fmt"
	"strings"

	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// ChooseMethod picks the method by the rules of Auto and logs why.
func (s *System) ChooseMethod() {
	s.Method = s.Opt.Method
	f := s.Facts
	switch {
	case s.Method != solve.Auto:
		s.Say("method %s: requested", s.Method)
	case f.Symmetric && f.DiagonalSign() != 0 && s.Opt.Precond.Kind == solve.PrecondAuto && s.Tiny() && s.Job == nil && s.Overweighs():
		s.Method = solve.GMRES
		s.Say("method gmres: the matrix is symmetric, but the square of an element is not below the product of its diagonal elements")
	case f.Symmetric && f.DiagonalSign() > 0:
		s.Method = solve.CG
		s.Say("method cg: the matrix is symmetric with a positive diagonal")
	case f.Symmetric && f.DiagonalSign() < 0:
		s.Method = solve.CG
		s.Say("method cg on -A: the matrix is symmetric with a negative diagonal")
	case f.Symmetric:
		s.Method = solve.GMRES
		s.Say("method gmres: the matrix is symmetric, but its diagonal is not of one sign")
	default:
		s.Method = solve.GMRES
		s.Say("method gmres: the matrix is not symmetric")
	}
}

// ChooseScaling picks the scaling and logs why.
func (s *System) ChooseScaling() (err error) {
	if s.defers() {
		s.Scale = solve.ScaleNone
		s.Scaled = &backend.ScaledMatrix{Scaling: csr.NoScaling(s.M), M: s.M, Sign: 1, Pool: s.Pool, Job: s.Job, None: true}
		s.Scaled.Later = func() csr.Scaling {
			s.Scale = solve.ScaleBoth
			s.Say("scaling both: another preconditioner than the diagonal follows (powers of two, exact)")
			both, _ := s.Source().Scaling(solve.ScaleBoth, s.Facts.Symmetric)
			return both
		}
		s.Say("scaling none: the diagonal as a preconditioner makes up for it; it waits for another one")
		return nil
	}
	s.Scale = s.Opt.Scale
	why := "requested"
	if s.Scale == solve.ScaleAuto {
		if s.Facts.Symmetric {
			s.Scale, why = solve.ScaleSym, "keeps the matrix symmetric"
		} else {
			s.Scale, why = solve.ScaleBoth, "balances rows and columns"
		}
	}
	scaled := &backend.ScaledMatrix{M: s.M, Sign: 1, Pool: s.Pool, Job: s.Job}
	if s.Method == solve.CG && s.Facts.DiagonalSign() < 0 {
		scaled.Sign = -1
	}
	scaled.Scaling, err = s.Source().Scaling(s.Scale, s.Facts.Symmetric)
	// Only scaling with the same powers for rows and columns can, if A is not symmetric.
	if err == nil && s.Scale == solve.ScaleSym && !s.Facts.Symmetric && s.Source().Overflows(scaled.Scaling) {
		return rules.Invalid("scaling sym takes entries of this matrix beyond the range of float64, since it is not symmetric; scaling both does not")
	}
	if e, ok := s.Source().Uniform(scaled.Scaling); ok && s.Opt.Scale == solve.ScaleAuto && -rules.SameScale <= e && e <= rules.SameScale { // not worth a copy
		scaled.Scaling = csr.NoScaling(s.M)
	}
	if err == nil && s.Scale != solve.ScaleNone && scaled.Identity() {
		why += "; nothing to do"
	}
	s.Say("scaling %s: %s (powers of two, exact)", s.Scale, why)
	s.Scaled = scaled
	return err
}

// flexible reports whether the preconditioner may iterate, see precond.Varies.
func (s *System) flexible() bool {
	p := s.Opt.Precond
	auto := p.Kind == solve.PrecondAuto && s.Rows() >= rules.SparseRows
	if d, _ := precond.Lookup(p.Kind); d.Iterates || auto && s.backends() == onHost && s.twoFields() {
		return true
	}
	return p.KCycle && s.Opt.Device == nil && (p.Kind == precond.AMG || auto)
}

// Reorder brings the matrix into the requested order, memory permitting.
func (s *System) Reorder() (err error) {
	if s.Opt.Reorder == solve.ReorderAuto && s.CheckMemory() != nil {
		s.Say("reorder none: too little memory")
		s.Opt.Reorder = solve.ReorderNone
	}
	if err := s.CheckMemory(); err != nil {
		return err
	}
	s.Sums = nil
	if s.Order, err = features.FindOrder(s.Opt.Reorder, s.Given, s.Pool); err != nil {
		return err
	}
	if s.Order.Order == rules.ReorderNodes && s.CheckMemory() != nil {
		s.Order = features.Ordering{Order: solve.ReorderNone, Before: s.Order.Before, After: s.Order.Before, Elapsed: s.Order.Elapsed, Why: "too little memory to bring the unknowns of nodes side by side"}
	}
	s.M = s.Order.Apply(s.Given, s.Pool)
	if rules.AsksForOrder(s.Opt.Reorder) || s.Order.Permutation != nil || s.Order.Why != "" {
		s.Say("%s", s.Order.Line())
	}
	s.Opt.Reorder = s.Order.Order
	return nil
}

// System is a matrix with the choices that the options and the rules make for it.
type System struct {
	features.Matrix
	Method solve.Method // chosen first
	Scale  solve.Scale  // chosen

	Opt      solve.Options
	Ordinary bool // no special kind of matrix is looked for
	Scaled   *backend.ScaledMatrix
	Compared *DeviceChoice
	Found    features.Once[[]Fallback] // the list of fallbacks
	Weighed  features.Once[Workload]
	Needed   needed                               // memory of the preconditioner set up last
	Kept     *precond.Kept                        // what preconditioners keep of the pattern for Update; nil: nothing
	Layouts  map[backend.StoredAs]adaptive.Layout // layouts kept for Update; nil: none
	Sharing  int                                  // number of solves that share the memory for growing cycles of GMRES; 0: one
}

// LeavesAll reports whether the options leave open how to solve, so that a matrix of a special kind may be solved in its own way.
func (s *System) LeavesAll() bool {
	return !s.Ordinary && s.Opt.Method == solve.Auto && s.Opt.Precond.Kind == solve.PrecondAuto && s.Opt.Scale == solve.ScaleAuto && !rules.AsksForOrder(s.Opt.Reorder) &&
		s.Opt.Device == nil && !s.Opt.NoRefine && s.Opt.InnerTol == 0 && len(s.Opt.Storage.Set.Formats) == 0 && s.Opt.Storage.Epsilon == 0
}

// defers reports whether scaling waits until another preconditioner follows the diagonal. For an unsymmetric matrix the diagonal as a
// preconditioner undoes the scaling of columns, and makes up for the scaling of rows unless these are very different. Computing the
// scaling and copying the matrix take as long as tens of iterations.
func (s *System) defers() bool {
	f := s.Facts
	if s.Opt.Scale != solve.ScaleAuto || f.Symmetric || s.Opt.Device != nil || !s.Large() || f.MinAbs < rules.Unscaled || f.MaxAbs > 1/rules.Unscaled {
		return false
	}
	if first := s.Fallbacks()[0]; !first.ProbeRun || first.Kind != precond.Jacobi { // the list does not depend on the scaling
		return false
	}
	least, most := s.ExtremeSums()
	return most <= rules.Unbalanced*least
}

// Say logs a decision.
func (s *System) Say(format string, args ...any) { s.Opt.Log(fmt.Sprintf(format, args...)) }

// KeepsSymmetry reports whether the scaled matrix is its own transpose.
func (s *System) KeepsSymmetry() bool {
	return s.Facts.Symmetric && (s.Opt.Scale == solve.ScaleAuto || s.Opt.Scale == solve.ScaleSym || s.Opt.Scale == solve.ScaleNone)
}

// Suits reports whether the method can be used with a kind of preconditioner. Where the method needs its transpose, the preconditioner
// must be symmetric, or its transpose must be the preconditioner of A^T.
func (s *System) Suits(kind precond.Kind) bool {
	if !rules.Transposes(s.Method) || kind == precond.None {
		return true
	}
	d, _ := precond.Lookup(kind)
	return d.Transposes || s.KeepsSymmetry() && !d.Iterates && (d.Definite || d.Symmetric || kind == precond.AMG && !s.Opt.Precond.KCycle)
}

// CheckTranspose returns an error if the method needs the transpose of a requested preconditioner that has none.
func (s *System) CheckTranspose() error {
	if kind := s.Opt.Precond.Kind; kind == solve.PrecondAuto || s.Suits(kind) {
		return nil
	}
	var suit []string
	for _, kind := range precond.Kinds() {
		if s.Suits(kind) {
			suit = append(suit, string(kind))
		}
	}
	return rules.Invalid("method %s needs the transpose of the preconditioner, which %s has not for this matrix; these have: %s",
		s.Method, s.Opt.Precond.Kind, strings.Join(suit, ", "))
}

// Parts returns the parts of the matrix as given: the matrix itself, and its lower parts.
func (s *System) Parts() []*csr.Matrix { return append([]*csr.Matrix{s.Given}, s.Opt.Lower...) }
