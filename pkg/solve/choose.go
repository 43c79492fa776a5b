package solve

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

const (
	// maxRestart is the length to which cycles of GMRES may grow by themselves,
	// memory permitting: a cycle costs 2 m^2 n flops in orthogonalisation.
	// Where twice that length spans the whole space, they may grow to n.
	maxRestart = 1280
	// basisMemory bounds the memory that a growing basis takes when no limit
	// was given.
	basisMemory = 2 << 30
)

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

// longestRestart is how far the cycles of GMRES may grow.
func (s *Solver) longestRestart() int {
	limit := int64(basisMemory)
	if s.opt.MaxMemory > 0 {
		limit = max(0, min(limit, s.opt.MaxMemory-s.memory()))
	}
	if d := s.opt.Device; d != nil && d.Info().Free > 0 {
		limit = max(0, min(limit, d.Info().Free-s.deviceMemory()))
	}
	if s.job != nil && s.opt.Device != nil { // of the rank with the least
		least := []int64{-limit}
		s.job.Comm.Max(least)
		limit = -least[0]
	}
	limit /= int64(max(1, s.sharing))
	vectors := limit / (8 * int64(s.rows()))
	if s.flexible() {
		vectors /= 2 // a step takes one of the basis and one of Z
	}
	if s.rows() <= 2*maxRestart {
		return int(min(vectors, int64(s.rows())))
	}
	return int(min(vectors, maxRestart))
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

// Vectors of n elements besides those of the method.
const (
	commonVectors  = 10 // x and b, and those of refinement, correction and measure
	reorderVectors = 2  // x and b, reordered
	digitsVectors  = 6  // weights, probe and steps
)

// storedBytes is what the method's matrix takes for a nonzero at most, its index
// included, besides the scaled FP64 values that it is made from.
const storedBytes = 12

// memory is what a solve takes at least, in bytes: the matrix as given, reordered
// if that may be, scaled and as the method has it, and vectors.
func (s *Solver) memory() int64 {
	n, nnz := int64(s.rows()), int64(s.nonzeros())
	given := csr.Bytes(n, nnz)
	vectors := int64(commonVectors) + s.methodVectors()
	if s.opt.Digits != NoDigits {
		vectors += digitsVectors
	}
	if s.opt.Precond.Kind != precond.None {
		vectors += 2 * int64(len(s.opt.Precond.NearNull)) // as given, and scaled
	}
	matrices := given + 8*nnz + storedBytes*nnz
	if s.Method.transposes() && !s.keepsSymmetry() {
		matrices += given + storedBytes*nnz
	}
	if s.opt.Reorder != ReorderNone {
		matrices += given + 4*n
		vectors += reorderVectors
	}
	if !s.opt.Vectors.plain() {
		vectors *= 2
	}
	return matrices + 8*n*vectors + s.preciseMemory()
}

// storageRoom is what the method's matrix may take where rows are filled up with zeros; 0: there is no limit.
func (s *Solver) storageRoom() int64 {
	if s.opt.MaxMemory == 0 {
		return 0
	}
	return max(1, s.opt.MaxMemory-s.memory()+storedBytes*int64(s.nonzeros()))
}

// methodVectors is the number of work vectors of the method, before cycles of GMRES grow; 0 where
// substitution takes its place.
func (s *Solver) methodVectors() int64 {
	kind, iterative := krylov.KindOf(string(s.Method))
	if !iterative {
		return 0
	}
	return int64(kind.Vectors(s.rows(), krylov.Use{
		MethodOptions:  krylov.MethodOptions{GMRES: krylov.GMRESOptions{Restart: s.opt.Restart, Basis: s.opt.Basis}, IDR: krylov.IDROptions{S: s.opt.IDR}},
		Preconditioned: s.opt.Precond.Kind != precond.None,
		Flexible:       s.flexible(),
	}))
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

func (s *Solver) checkMemory() error {
	if limit := s.opt.MaxMemory; limit > 0 && s.memory() > limit {
		return fmt.Errorf("%w: solving takes %s, the limit is %s",
			ErrMemory, humanize.Bytes(uint64(s.memory())), humanize.Bytes(uint64(limit)))
	}
	return nil
}
