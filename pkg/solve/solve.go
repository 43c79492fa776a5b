package solve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/dist"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/mp"
	"github.com/mpsolve/mpsolve/pkg/parallel"
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

	given   *csr.Matrix // what the verdict is about
	m       *csr.Matrix // the same in the order chosen
	scaled  *scaledMatrix
	opt     Options
	pool    *parallel.Pool
	refiner refiner     // nil: closed
	stored  func()      // called when the method's matrix is stored; nil: no one waits for that
	special special     // nil: an ordinary matrix
	lowerB  [][]float64 // parts of the right-hand side beside that of Solve
	looks   looks       // of m
	sums    []float64   // sum_j |a_ij| of each row of m; nil: not asked for yet

	multiple *mp.Matrix // given, for residuals of multiple precision; nil: none were asked for yet

	recorder *recorder // of checkpoints; nil: none
	answered []float64 // the last x, in the order chosen

	root dist.Comm // ranks whose first has the whole matrix; nil: there are no others
	job  *job      // ranks that share the matrix; nil: all of it is here
}

// special solves with a matrix of a special kind in its own way.
type special interface {
	solve(ctx context.Context, b, x0 []float64) (Result, error) // b is of the right length and finite
	close()
}

// Result is the outcome of one right-hand side.
type Result struct {
	X      []float64
	XLow   []float64 // X + XLow is x in double-double; nil: X is all there is, see Options.Vectors
	Reason krylov.Reason
	Errors verify.Errors // of X, measured by package verify

	LeastSquares *verify.LeastSquares // of X, if A is not square
	Advice       string               // one line on what to do about the Reason, empty when converged

	Digits   Digits    // of X
	Precise  *Precise  // x with more digits than X holds, if these were asked for; X is that rounded
	Evidence *Evidence // that the system has no solution; nil: none was looked for or found
	Cautions []string  // what the Reason does not say, a line each

	Method     string   // the last one used
	Vectors    Vectors  // as requested
	Storage    Storage  // the last one used
	Formats    []string // of its matrix
	Precond    PrecondResult
	Attempts   []Attempt // methods and preconditioners tried, in order
	Bytes      int64     // that this takes, indices included
	Outer      int       // refinement steps
	Iterations int       // of the inner method, in all
	SpMVs      int       // products with A, in all

	NullSpace NullSpaceResult // of a singular matrix

	Time TimeByPhase
}

// TimeByPhase is where the time of one right-hand side went; what the parts do
// not cover is vector work and scaling. Precond is applying preconditioners and
// setting up those that took over on the way.
type TimeByPhase struct {
	Total, SpMV, Precond, Orthogonalization, Verify time.Duration
	Digits                                          time.Duration // estimating and improving them; not a part of the rest but across it
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
	Launches     int           // of kernels in an application on a device, which then has Cost.Bytes; 0: it is on the host
}

// New prepares to solve with m, which must stay as it is while the Solver is in
// use. If the context ends before the matrix is examined, ordered, scaled and stored, that is
// an error. Then it interrupts setting up preconditioners; what was not set up follows in
// Solve. Close ends the threads.
func New(ctx context.Context, m *csr.Matrix, opt Options) (*Solver, error) {
	start := time.Now()
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	if err := m.Validate(); err == nil && m.Rows != m.Cols && opt.Method == LSQR && m.NNZ() > 0 {
		if !opt.Vectors.plain() {
			return nil, invalid("least squares are solved with vectors double, not %v", opt.Vectors)
		}
		return newLeastSquares(ctx, m, opt.withDefaults(max(m.Rows, m.Cols)))
	}
	if err := checkMatrix(m); err != nil {
		return nil, err
	}
	for _, part := range opt.Lower {
		if part.Rows != m.Rows || part.Cols != m.Cols {
			return nil, invalid("a lower part of %d x %d for a matrix of %d x %d", part.Rows, part.Cols, m.Rows, m.Cols)
		}
		if err := part.Validate(); err != nil {
			return nil, err
		}
	}
	for k, v := range opt.Precond.NearNull {
		if err := CheckVector(fmt.Sprintf("near-null vector %d", k+1), v, m.Rows); err != nil {
			return nil, err
		}
	}
	opt = opt.withDefaults(m.Rows)
	if c := opt.Checkpoint.Resume; c != nil {
		opt.Threads = cmp.Or(opt.Threads, c.Threads())
	}
	if !opt.ordinary {
		if s, err := newSingular(ctx, m, opt); s != nil || err != nil {
			return s, err
		}
	}
	s := &Solver{given: m, m: m, opt: opt, pool: parallel.New(opt.Threads)}
	s.Threads = s.pool.Threads()
	var err error
	if s.recorder, err = newRecorder(s); err == nil {
		err = s.setUp(ctx)
	}
	if err != nil {
		s.pool.Close()
		return nil, err
	}
	s.Setup = time.Since(start)
	return s, nil
}

// setUp looks at the matrix, chooses and builds.
func (s *Solver) setUp(ctx context.Context) error {
	err := s.until(ctx, func() error {
		s.Facts = csr.Examine(s.m, s.pool)
		return solvable(s.Facts)
	})
	if err != nil || s.recognise() {
		return err
	}
	return s.setUpOrdinary(ctx)
}

// setUpOrdinary chooses and builds for a matrix of no special kind.
func (s *Solver) setUpOrdinary(ctx context.Context) error {
	s.looks.ctx = ctx
	if err := s.until(ctx, func() error { return s.choose(ctx) }); err != nil {
		return err
	}
	s.scaled.pool = s.pool
	s.scaled.transposes, s.scaled.symmetric = s.Method.transposes(), s.keepsSymmetry()
	return s.build(ctx)
}

// until runs what works on the pool, which ends with the context, with its error.
func (s *Solver) until(ctx context.Context, run func() error) (err error) {
	pool := s.pool
	defer func() { s.pool = pool }()
	defer ended(ctx, &err)
	s.pool = pool.Until(ctx)
	return run()
}

// choose chooses method, place, order and scaling.
func (s *Solver) choose(ctx context.Context) error {
	s.chooseMethod()
	if err := s.checkTranspose(); err != nil {
		return err
	}
	if err := s.chooseDevice(); err != nil {
		return err
	}
	if err := s.reorder(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return errors.Join(s.chooseScaling(), ctx.Err())
}

// build makes what solves, at the place chosen.
func (s *Solver) build(ctx context.Context) (err error) {
	switch d := s.opt.Device; {
	case d != nil:
		var at *device
		if at, err = newDevice(s.m, d, s.pool); err == nil {
			s.refiner, err = newRefinement(ctx, s, at)
		}
	case s.opt.samples != nil:
		s.refiner, err = newRefinement(ctx, s, s.opt.samples(s.m, s.pool))
	default:
		defer ended(ctx, &err)
		pool := s.pool.Until(ctx)
		s.stored = pool.Forever
		at := newHost(s.m, pool).with(s.opt.Storage.Kernels)
		if s.opt.Vectors.Kind == VectorsDD {
			s.say("vectors double-double: requested; what the verdict judges is x rounded to float64")
			s.refiner, err = newRefinement(ctx, s, newHostDD(at))
			break
		}
		s.refiner, err = newRefinement(ctx, s, at)
	}
	return err
}

// ended is deferred by what uses a pool of Until(ctx): if a loop was interrupted, the error is
// that of the context.
func ended(ctx context.Context, err *error) {
	if r := recover(); r == parallel.ErrInterrupted {
		*err = ctx.Err()
	} else if r != nil {
		panic(r)
	}
}

// absSums returns the sums of magnitudes of the rows, which must stay as they are.
func (s *Solver) absSums() []float64 {
	switch {
	case s.sums != nil:
	case s.job != nil:
		s.sums = dist.RowSums(s.job.Matrix, s.pool)
	default:
		s.sums = s.m.RowSums(s.pool)
	}
	return s.sums
}

// extremeSums returns the least and the largest of absSums.
func (s *Solver) extremeSums() (least, most float64) {
	sums := s.absSums()
	if s.job != nil {
		return s.job.Extremes(sums)
	}
	return slices.Min(sums), slices.Max(sums)
}

// Device describes the device that is solved on, and the most of its memory, in bytes, that
// was taken at one time; on is false for the host.
func (s *Solver) Device() (info gpu.Info, bytes int64, on bool) {
	if s.opt.Device == nil {
		return info, 0, false
	}
	_, bytes = s.opt.Device.Bytes()
	return s.opt.Device.Info(), bytes, true
}

// Close ends the threads and releases what is on a device, which stays open. The Solver
// must not be used afterwards; closing it again does nothing.
func (s *Solver) Close() {
	if s.special != nil {
		s.special.close()
		s.special = nil
	}
	if s.refiner != nil {
		s.refiner.close()
		s.pool.Close()
		s.refiner = nil
	}
}

// tighter keeps the tolerance of the solve so much below the one of the verdict
// that rounding in the measure cannot make them disagree.
const tighter = 1 - 0x1p-30

// Solve solves A x = b from the guess x0, or from zero if it is nil. Both have
// as many elements as the matrix has rows and are left alone.
func (s *Solver) Solve(ctx context.Context, b, x0 []float64) (Result, error) {
	switch {
	case s.root != nil:
		return s.solveAtRoot(ctx, b, x0)
	case s.job != nil:
		return s.solveOverDomains(ctx, b, x0)
	}
	return s.solve(ctx, b, x0)
}

// SolveParts is Solve for a b that is the sum of its parts, of which the first is much larger than the others: what a
// file has beyond float64, for an x of multiple precision.
func (s *Solver) SolveParts(ctx context.Context, b [][]float64, x0 []float64) (Result, error) {
	for _, part := range b[1:] {
		if err := CheckVector("lower part of the right-hand side", part, s.m.Rows); err != nil {
			return Result{}, err
		}
	}
	if len(b) > 1 && (!s.opt.precise() || s.special != nil || s.root != nil || s.job != nil) {
		return Result{}, &InputError{Msg: fmt.Sprintf("a right-hand side of several parts is for more than %d digits of the x of a square matrix on one rank", MaxDigits)}
	}
	s.lowerB = b[1:]
	defer func() { s.lowerB = nil }()
	return s.Solve(ctx, b[0], x0)
}

// parts are those of the matrix as given.
func (s *Solver) parts() []*csr.Matrix { return append([]*csr.Matrix{s.given}, s.opt.Lower...) }

// solve is Solve on this rank.
func (s *Solver) solve(ctx context.Context, b, x0 []float64) (Result, error) {
	if err := CheckVector("right-hand side", b, s.m.Rows); err != nil {
		return Result{}, err
	}
	if s.special != nil {
		r, err := s.special.solve(ctx, b, x0)
		if s.opt.precise() && r.Reason == krylov.Converged {
			r.Reason, r.Advice = krylov.TooFewDigits, fmt.Sprintf("A is singular, so that x is one of many; try --digits %d", MaxDigits)
		}
		return r, err
	}
	x := make([]float64, s.m.Rows)
	if x0 != nil {
		if err := CheckVector("initial guess", x0, s.m.Rows); err != nil {
			return Result{}, err
		}
		copy(x, x0)
	}
	if done, ok, err := s.recorder.begin(ctx, b, x0); ok || err != nil {
		return done, err
	}
	r, err := s.answer(&answer{
		s: s, ctx: ctx, vectors: linop.NewHost(len(b), s.pool), x: s.Order.forth(x), b: s.Order.forth(b), given: b,
	}, x0 != nil)
	if err == nil {
		s.recorder.end(r)
	}
	return r, err
}

// answer solves, from the guess a.x or from zero.
func (s *Solver) answer(a *answer, guess bool) (Result, error) {
	start := time.Now()
	a.began = start
	before := s.recorder.since(s.refiner.usage().used())
	if err := a.solve(guess); err != nil {
		return Result{}, err
	}
	s.answered = a.x
	used := s.refiner.usage()
	now := used.used().minus(before)
	used.precond.Applications, used.precond.Elapsed = now.Applications, now.Preconditioning
	r := Result{
		X: s.Order.back(a.x), Reason: a.reason, Errors: a.Errors, Digits: a.digits, Precise: a.precise, Evidence: a.evidence,
		Method: used.method, Vectors: s.opt.Vectors, Precond: used.precond, Attempts: used.attempts,
		Storage: used.stored.storage, Formats: used.stored.formats(), Bytes: used.stored.bytes,
		Outer: a.solved.Outer, Iterations: a.solved.Iterations, SpMVs: now.Products,
		Time: TimeByPhase{
			Total: time.Since(start) + now.Total, SpMV: now.Multiplying,
			Precond:           now.Preconditioning + now.SettingUp,
			Orthogonalization: a.solved.Orthogonalization, Verify: a.verifying, Digits: a.estimating,
		},
	}
	if low := s.refiner.lower(a.x); low != nil {
		r.XLow = s.Order.back(low)
	}
	r.Advice, r.Cautions = a.advice(used), a.cautions()
	return r, nil
}

// say tells a decision.
func (s *Solver) say(format string, args ...any) { s.opt.Log(fmt.Sprintf(format, args...)) }
