package solve

import (
	"context"
	"fmt"
	"time"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// Solver is a matrix made ready to be solved with, for any number of
// right-hand sides one after the other.
type Solver struct {
	Facts   csr.Facts
	Method  Method // chosen first
	Scale   Scale  // chosen
	Order   Ordering
	Setup   time.Duration
	Threads int

	given      *csr.Matrix // what the verdict is about
	m          *csr.Matrix // the same in the order chosen
	opt        Options
	pool       *linop.Pool
	exact      *linop.Timed[vector, scalar] // of m, with accurate residuals
	scaled     *linop.Timed[vector, scalar]
	measure    *measure
	correction *correction
	refinement *krylov.Refinement[vector, scalar]
}

// Result is the outcome of one right-hand side.
type Result struct {
	X      []float64
	Reason krylov.Reason
	Errors verify.Errors // of X, measured by package verify

	Method     string   // the last one used
	Storage    Storage  // the last one used
	Formats    []string // of its matrix
	Precond    PrecondResult
	Bytes      int64 // that this takes, indices included
	Outer      int   // refinement steps
	Iterations int   // of the inner method, in all
	SpMVs      int   // products with A, in all

	Time TimeByPhase
}

// TimeByPhase is where the time of one right-hand side went; what the parts do
// not cover is vector work and scaling. Precond is applying preconditioners and
// setting up those that took over on the way.
type TimeByPhase struct {
	Total, SpMV, Precond, Orthogonalization, Verify time.Duration
}

// PrecondResult is what the last preconditioner used took, and all of them did.
type PrecondResult struct {
	Kind         precond.Kind
	Text         string // with its main parameters; "none"
	Epsilon      float64
	Cost         precond.Cost
	Setup        time.Duration
	Applications int           // of all that were used
	Elapsed      time.Duration // of these
}

// New prepares to solve with m, which must stay as it is while the Solver is in
// use. Close ends its threads.
func New(m *csr.Matrix, opt Options) (*Solver, error) {
	start := time.Now()
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	if m.Rows != m.Cols {
		return nil, invalid("the matrix is %d x %d; only square systems can be solved", m.Rows, m.Cols)
	}
	if m.Rows == 0 {
		return nil, invalid("the matrix is empty")
	}
	for k, v := range opt.Precond.NearNull {
		if err := CheckVector(fmt.Sprintf("near-null vector %d", k+1), v, m.Rows); err != nil {
			return nil, err
		}
	}
	opt = opt.withDefaults(m.Rows)
	s := &Solver{given: m, m: m, opt: opt, pool: linop.NewPool(opt.Threads)}
	s.Threads = s.pool.Threads()
	if err := s.setUp(); err != nil {
		s.Close()
		return nil, err
	}
	s.Setup = time.Since(start)
	return s, nil
}

// setUp looks at the matrix, chooses and builds.
func (s *Solver) setUp() error {
	s.Facts = csr.Examine(s.m, s.pool)
	if err := solvable(s.Facts); err != nil {
		return err
	}
	s.chooseMethod()
	if err := s.reorder(); err != nil {
		return err
	}
	return s.build()
}

// Close ends the threads.
func (s *Solver) Close() { s.pool.Close() }

// solvable reports why a matrix cannot be solved with, if it cannot.
func solvable(f csr.Facts) error {
	switch {
	case f.NonFinite > 0:
		return invalid("the matrix has %d entries that are NaN or Inf, the first in row %d, column %d",
			f.NonFinite, f.FirstNonFinite.Row+1, f.FirstNonFinite.Col+1)
	case f.EmptyRow >= 0:
		return invalid("the matrix is singular: row %d has no nonzero", f.EmptyRow+1)
	case f.EmptyCol >= 0:
		return invalid("the matrix is singular: column %d has no nonzero", f.EmptyCol+1)
	}
	return nil
}

// build makes operators, scaling, methods and work vectors.
func (s *Solver) build() error {
	scaling, sign, err := s.chooseScaling()
	if err != nil {
		return err
	}
	scaled := s.scaledMatrix(scaling, sign)
	candidates := s.candidates()
	matrix, err := store(scaled, s.storage(candidates[0].kind), s.pool)
	if err != nil {
		return s.Order.InputError(err)
	}
	for _, line := range matrix.lines() {
		s.say("%s", line)
	}
	s.exact = &linop.Timed[vector, scalar]{Operator: linop.Accurate{CSR: linop.NewCSR(s.m, s.pool)}}
	s.scaled = &linop.Timed[vector, scalar]{Operator: matrix}

	space := linop.NewHost(s.m.Rows, s.pool)
	s.measure = newMeasure(s.m, s.opt.Stop, s.pool)
	s.refinement = krylov.NewRefinement[vector, scalar](space)
	if s.opt.NoRefine {
		s.refinement.MaxSteps = 1
	}
	s.correction = &correction{
		scaling: scaling, sign: sign,
		first: matrix.storage, matrix: matrix, scaled: s.scaled, measure: s.measure, innerTol: s.opt.InnerTol, log: s.opt.Log,
		made: map[candidate]*preconditioner{},
		loop: newLoop(s.m.Rows, s.pool),
		rhs:  space.New(), z: space.New(), fullX: space.New(), fullR: space.New(),
	}
	c := s.correction
	c.store = func(t Storage) (stored, error) { return store(s.scaledMatrix(scaling, sign), t, s.pool) }
	c.precondition = func(try candidate) (*preconditioner, error) {
		if scaled == nil { // only while setting up is it at hand
			return s.precondition(try, s.scaledMatrix(scaling, sign), scaling, c.matrix)
		}
		return s.precondition(try, scaled, scaling, c.matrix)
	}
	c.attempts = s.attempts(space, candidates)
	err = c.enter(0)
	scaled = nil
	if err != nil && s.opt.Precond.Kind != PrecondAuto {
		return s.Order.InputError(fmt.Errorf("preconditioner %w", err))
	}
	return err
}

// storage is how the method's matrix is stored at first. With a preconditioner few
// iterations are left, and a refinement step that starts the method anew costs more
// than the digits that save it.
func (s *Solver) storage(kind precond.Kind) Storage {
	t := s.opt.Storage
	if t.Epsilon == 0 && kind != precond.None {
		t.Epsilon = PreconditionedEpsilon
	}
	return t.withDefaults(s.Facts.Symmetric, s.opt.NoRefine)
}

// scaledMatrix is s D_r A D_c.
func (s *Solver) scaledMatrix(scaling csr.Scaling, sign float64) *csr.Matrix {
	if scaling.Identity() && sign > 0 {
		return s.m
	}
	m := scaling.Apply(s.m, s.pool)
	if sign < 0 {
		m.Negate(s.pool)
	}
	return m
}

// tighter keeps the tolerance of the solve so much below the one of the verdict
// that rounding in the measure cannot make them disagree.
const tighter = 1 - 0x1p-30

// Solve solves A x = b from the guess x0, or from zero if it is nil. Both have
// as many elements as the matrix has rows and are left alone.
func (s *Solver) Solve(ctx context.Context, b, x0 []float64) (Result, error) {
	if err := CheckVector("right-hand side", b, s.m.Rows); err != nil {
		return Result{}, err
	}
	x := make([]float64, s.m.Rows)
	if x0 != nil {
		if err := CheckVector("initial guess", x0, s.m.Rows); err != nil {
			return Result{}, err
		}
		copy(x, x0)
	}
	start := time.Now()
	spmvs, spmvTime := s.products()
	applied, precondTime := s.correction.applications()
	settingUp := s.correction.settingUp
	px, pb := s.Order.forth(x), s.Order.forth(b)
	s.measure.begin(pb)
	if err := s.correction.begin(); err != nil {
		return Result{}, err
	}
	solved := s.refinement.Solve(ctx, s.exact, s.correction, px, pb, krylov.Options[vector]{
		Tol: s.opt.Tol * tighter, MaxIter: s.opt.MaxIter, Guess: x0 != nil,
		Measure: s.measure.of, Monitor: s.opt.Monitor,
	})
	x = s.Order.back(px)
	verifying := time.Now()
	errs, err := verify.Compute(s.given, x, b, s.pool)
	if err != nil {
		return Result{}, err
	}
	if e := s.opt.Stop.pick(errs); solved.Reason.Converged() && !(e <= s.opt.Tol) {
		solved.Reason = krylov.Drift
	} else if e <= s.opt.Tol && !solved.Reason.Converged() {
		solved.Reason = krylov.Converged
	}
	if solved.Reason == krylov.Converged && errs.RelativeResidual >= 1 {
		solved.Reason = krylov.Singular
	}
	count, elapsed := s.products()
	precond := s.correction.precondResult(s.opt.Precond.Epsilon)
	nowApplied, nowTime := s.correction.applications()
	precond.Applications, precond.Elapsed = nowApplied-applied, nowTime-precondTime
	return Result{
		X: x, Reason: solved.Reason, Errors: errs,
		Method: s.correction.attempt().method.Name(), Precond: precond,
		Storage: s.correction.matrix.storage, Formats: s.correction.matrix.formats(), Bytes: s.correction.matrix.bytes,
		Outer: solved.Outer, Iterations: solved.Iterations, SpMVs: count - spmvs,
		Time: TimeByPhase{
			Total: time.Since(start), SpMV: elapsed - spmvTime, Precond: precond.Elapsed + s.correction.settingUp - settingUp,
			Orthogonalization: solved.Orthogonalization, Verify: time.Since(verifying),
		},
	}, nil
}

func (s *Solver) products() (count int, elapsed time.Duration) {
	return s.exact.Count + s.scaled.Count, s.exact.Elapsed + s.scaled.Elapsed
}

// CheckVector reports as an InputError that a vector for a matrix of n rows, named
// in words, is of another length or has an element that is NaN or Inf.
func CheckVector(what string, v []float64, n int) error {
	if len(v) != n {
		return invalid("the %s has %d elements, the matrix %d rows", what, len(v), n)
	}
	for i, e := range v {
		if e-e != 0 {
			return invalid("element %d of the %s is %v", i+1, what, e)
		}
	}
	return nil
}

// say tells a decision.
func (s *Solver) say(format string, args ...any) { s.opt.Log(fmt.Sprintf(format, args...)) }
