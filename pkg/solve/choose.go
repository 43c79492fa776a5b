package solve

import (
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// maxRestart is the length to which cycles of GMRES may grow by themselves,
// memory permitting: a cycle costs 2 m^2 n flops in orthogonalisation.
// Where twice that length spans the whole space, they may grow to n.
const maxRestart = 1280

// chooseMethod picks the method by the rules of Auto and logs why.
func (s *Solver) chooseMethod() {
	s.Method = s.opt.Method
	f := s.Facts
	switch {
	case s.Method != Auto:
		s.say("method %s: requested", s.Method)
	case f.Symmetric && f.DiagonalSign() > 0:
		s.Method = CG
		s.say("method cg: the matrix is symmetric with a positive diagonal")
	case f.Symmetric && f.DiagonalSign() < 0:
		s.Method = CG
		s.say("method cg on -A: the matrix is symmetric with a negative diagonal")
	case f.Symmetric:
		s.Method = GMRES
		s.say("method gmres: the matrix is symmetric, but its diagonal is not of one sign")
	default:
		s.Method = GMRES
		s.say("method gmres: the matrix is not symmetric")
	}
}

// sameScale bounds the exponent of a power of two that all entries may be multiplied by or not.
const sameScale = 32

// chooseScaling picks the scaling and logs why.
func (s *Solver) chooseScaling() (err error) {
	if s.defers() {
		s.Scale = ScaleNone
		s.scaled = &scaledMatrix{Scaling: csr.NoScaling(s.m), m: s.m, sign: 1, pool: s.pool, job: s.job, none: true}
		s.scaled.later = func() csr.Scaling {
			s.Scale = ScaleBoth
			s.say("scaling both: another preconditioner than the diagonal follows (powers of two, exact)")
			both, _ := s.makeScaling(ScaleBoth)
			return both
		}
		s.say("scaling none: the diagonal as a preconditioner makes up for it; it waits for another one")
		return nil
	}
	s.Scale = s.opt.Scale
	why := "requested"
	if s.Scale == ScaleAuto {
		if s.Facts.Symmetric {
			s.Scale, why = ScaleSym, "keeps the matrix symmetric"
		} else {
			s.Scale, why = ScaleBoth, "balances rows and columns"
		}
	}
	scaled := &scaledMatrix{m: s.m, sign: 1, pool: s.pool, job: s.job}
	if s.Method == CG && s.Facts.DiagonalSign() < 0 {
		scaled.sign = -1
	}
	scaled.Scaling, err = s.makeScaling(s.Scale)
	// Only scaling with the same powers for rows and columns can, if A is not symmetric.
	if err == nil && s.Scale == ScaleSym && !s.Facts.Symmetric && s.overflows(scaled.Scaling) {
		return invalid("scaling sym takes entries of this matrix beyond the range of float64, since it is not symmetric; scaling both does not")
	}
	if e, ok := s.uniform(scaled.Scaling); ok && s.opt.Scale == ScaleAuto && -sameScale <= e && e <= sameScale { // which a copy would not be worth
		scaled.Scaling = csr.NoScaling(s.m)
	}
	if err == nil && s.Scale != ScaleNone && scaled.Identity() {
		why += "; nothing to do"
	}
	s.say("scaling %s: %s (powers of two, exact)", s.Scale, why)
	s.scaled = scaled
	return err
}

// flexible reports whether the preconditioner may iterate itself, see precond.Varies.
func (s *Solver) flexible() bool {
	p := s.opt.Precond
	auto := p.Kind == PrecondAuto && s.rows() >= sparseRows
	return p.KCycle && s.opt.Device == nil && (p.Kind == precond.AMG || auto)
}

// reorder brings the matrix into the requested order, memory permitting.
func (s *Solver) reorder() (err error) {
	if s.opt.Reorder == ReorderAuto && s.checkMemory() != nil {
		s.say("reorder none: too little memory")
		s.opt.Reorder = ReorderNone
	}
	if err := s.checkMemory(); err != nil {
		return err
	}
	s.sums = nil
	if s.m, s.Order, err = s.opt.Reorder.Apply(s.given, s.pool); err != nil {
		return err
	}
	if s.opt.Reorder != ReorderNone {
		s.say("%s", s.Order.Line())
	}
	s.opt.Reorder = s.Order.Order
	return nil
}
