package refine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// A Correction solves A d = r through the scaled system, by one method, preconditioner and precision after the other. It is the
// krylov.Corrector of refinement.
type Correction[V any, S linop.Scalar[S]] struct {
	At       backend.Backend[V, S]
	Exact    linop.Operator[V, S] // A as given
	Measure  *backend.Measure[V, S]
	Attempts *choice.Attempts[V, S]
	Prepare  func(context.Context, *csr.Matrix, choice.Variant, float64, int64, backend.Stored) (precond.Preconditioner, float64, error)
	Ctx      context.Context // of the solve in progress, which interrupts set-ups as well
	InnerTol float64
	Vectors  solve.Vectors // of the method
	Log      func(string)
	Beyond   bool // Problem.Beyond
	x        V    // what is corrected

	Hopeless func() bool                                      // Problem.Hopeless
	Repays   func(choice.Fallback) bool                       // System.Repays
	Suits    func(precond.Kind) (epsilon float64, why string) // System.EpsilonFor

	StoredSystem[V, S]
	course
	companion companion[V, S]
	shown[V]
	Shared
	Scratch[V]
}

// Scratch are the vectors that a correction works with.
type Scratch[V any] struct {
	Rhs, Z V // of the scaled system
	R      V // a residual, for the measure
}

// StoredSystem is the scaled matrix, as the methods multiply with it.
type StoredSystem[V any, S linop.Scalar[S]] struct {
	Scaled  *backend.ScaledMatrix
	Scaling backend.Scaling[V]
	Matrix  backend.Matrix[V, S] // the scaled matrix, in reduced precision
	First   solve.Storage        // storage that a solve begins with
	Chosen  bool                 // the rules choose epsilon
	Open    bool                 // the rules choose the storage
	Spared  bool                 // the matrix may stay in FP64 since storing it does not pay, see choice.System.Storage
	Timed   *backend.Timed[V, S] // the matrix, timed
}

// course is how the last correction went.
type course struct {
	Probe      *choice.Probe
	done       krylov.Result
	Slow       bool    // its probe ended it
	widen      bool    // it ended for double-double vectors
	indefinite bool    // it showed that the matrix is not definite
	settled    bool    // the current fallback stays: work after the solve is no attempt
	From       float64 // the measure of x before it
	Reached    float64 // the measure of x after it
	exponent   int     // of its scaling
}

// shown is what a solve shows of x on its way.
type shown[V any] struct {
	snapshot solve.Snapshots
	refining bool                     // the solve refines x, rather than estimating its digits
	Join     func(*krylov.Options[V]) // makes the next solve take checkpoints; nil: none are taken
}

// Shared is what a solve in lockstep shares with others.
type Shared struct {
	// Made returns a preconditioner that some solve has set up, or sets it up; nil: nothing is shared.
	Made func(v choice.Variant, budget float64, precision choice.Precision, none bool, setUp func() (precond.Preconditioner, float64, error)) (precond.Preconditioner, float64, error)
}

// Correct implements krylov.Corrector.
func (c *Correction[V, S]) Correct(ctx context.Context, d, r, x V, goal krylov.Goal) krylov.Result {
	if c.From, c.x = goal.From, x; c.Beyond && !c.settled {
		goal.To = max(goal.To, rules.Roundoff/2)
	}
	e := c.Scaling.Residual(c.Rhs, r)
	opt := krylov.Options[V]{
		Tol: goal.To, MaxIter: goal.MaxIter, Monitor: goal.Monitor, Agree: goal.Agree,
		Unconfirmed: true, // refinement recomputes the residual
	}
	floor := storageError[V, S]{c: c, x: x, sum: d, e: e, goal: goal.To}
	opt.Measure = func(z, rhs V) float64 {
		m, normX, normZ := c.Measure.OfCorrection(&c.Scaling, x, z, rhs, e, d, c.R)
		if m > goal.To && !c.Plain() && floor.reached(m, z, normX, normZ) {
			return goal.To // storage leaves no better correction
		}
		return m
	}
	if c.InnerTol > 0 {
		opt.Tol = max(opt.Tol, c.InnerTol*goal.From)
	}
	if kind, _ := krylov.KindOf(string(c.Attempts.Now().Method)); kind.Replaces {
		floor.early = rules.ReplaceAfter * goal.From
	}
	if goal.Further {
		opt.Replaces = math.Ldexp(1, c.exponent-e)
	}
	c.exponent = e
	if p := c.Attempts.Preconditioner(); p != nil {
		opt.Precond, opt.Flexible = c.precond(p), precond.Varies(p.Made)
		opt.Prompt = choice.FewIterations(c.Attempts.Now().Kind)
	}
	last := c.Probe
	c.Probe = c.Attempts.Watch(c.At.Dim(), goal.From, opt.Tol)
	if goal.Further && last != nil {
		c.Probe.GoOn(last, c.done)
	}
	if c.Join != nil {
		c.Join(&opt)
	}
	c.snapshots(&opt, x, e)
	c.watch(&opt)
	start := time.Now()
	method, err := c.method()
	if err != nil {
		return krylov.Result{Reason: krylov.Breakdown}
	}
	result := method.Solve(ctx, c.Timed, c.Z, c.Rhs, opt)
	if !c.settled {
		c.Attempts.Solved(result.Iterations, c.Probe.Work(result.Iterations, result.Projections), time.Since(start))
	}
	now, failed := c.Attempts.Now(), failing(result.Reason)
	if now.ProbeRun && failed || now.Method != solve.CG && result.Residual > 1 && (c.Probe.Gone || failed) {
		c.At.Zero(c.Z) // Z may follow a null vector; the Z of conjugate gradients is nearer to the solution than zero in any case
	}
	c.done = result
	c.Slow, c.indefinite = c.Probe.Gone, result.Reason == krylov.Indefinite && (c.Plain() || c.curved(d))
	c.Scaling.Correction(d, c.Z, e)
	return result
}

// method returns the method in use.
func (c *Correction[V, S]) method() (krylov.Method[V, S], error) {
	method, err := c.Attempts.Method()
	if wide, ok := method.(backend.Multiplying[V, S]); ok {
		wide.Multiplies(c.Matrix)
	}
	return method, err
}

// Plain reports whether the matrix is stored without errors.
func (c *Correction[V, S]) Plain() bool { return rules.Exact(c.Matrix.About().Storage) }

// failing reports whether a method ended because it could not go on.
func failing(reason krylov.Reason) bool {
	switch reason {
	case krylov.Breakdown, krylov.NotFinite, krylov.Divergence, krylov.Drift, krylov.Indefinite, krylov.IndefinitePreconditioner:
		return true
	}
	return false
}

// Escalate implements krylov.Corrector: it stores the matrix more accurately where that may help, and otherwise goes to the
// next fallback. Complete factors that do not solve may be those of a singular matrix.
func (c *Correction[V, S]) Escalate(reason krylov.Reason) bool {
	stopped, slow := reason.String(), c.Slow
	switch {
	case c.Slow:
		stopped = TooSlow
	case c.indefinite:
		c.Attempts.State.Indefinite = true
	case reason == krylov.Stagnation && c.Attempts.Bounded():
		slow = true
	case c.Attempts.Now().ProbeRun && reason != krylov.Slow: // a more accurate matrix is for the fallbacks after it
	case !c.Plain() && c.mayHelp(reason) && !c.widen:
		return c.Raise(reason)
	}
	if c.Attempts.Now().Complete() && c.Hopeless() {
		return false // no other preconditioner will solve
	}
	return !c.exhausted() && c.NextFallback(c.Attempts.Left(stopped, slow, min(c.Reached, c.From))) == nil
}

// mayHelp reports whether a method that stopped for a reason may get further with a more accurate matrix. It does not if the
// preconditioner is not definite, or takes numbers out of their range.
func (c *Correction[V, S]) mayHelp(reason krylov.Reason) bool {
	return reason != krylov.IndefinitePreconditioner && (reason != krylov.NotFinite || c.Attempts.Preconditioner() == nil)
}

// TooSlow is the reason for leaving a fallback whose rate does not reach the goal within its budget.
const TooSlow = "too slow"

// Patience implements krylov.Corrector. With a matrix in reduced precision each step is to reduce the measure tenfold. Two steps that
// do not, or one that does not even halve it, show that a more accurate matrix takes less work.
func (c *Correction[V, S]) Patience(reduction float64) int {
	switch {
	case c.Plain():
		return krylov.DefaultPatience(reduction)
	case reduction <= 0.1:
		return -1
	case reduction <= 0.5:
		return 1
	}
	return 0
}

// Begin goes back to the first fallback and the first precision, so that the solve does not depend on earlier right-hand sides.
func (c *Correction[V, S]) Begin(ctx context.Context) error {
	c.Ctx = ctx
	c.Attempts.Begin()
	if err := c.NextFallback(""); err != nil {
		return err
	}
	if rules.SameStorage(c.Matrix.About().Storage, c.First) {
		return nil
	}
	return c.use(c.First)
}

// NextFallback goes to the next fallback whose preconditioner can be set up, see choice.Attempts.NextFallback.
func (c *Correction[V, S]) NextFallback(before string) error {
	err := c.Attempts.NextFallback(before, c.setUp)
	if c.Attempts.State.Fallback >= 0 { // its preconditioner may have been ready, for another scaling
		err = errors.Join(err, c.rescale(c.Attempts.Now().Variant))
	}
	if err == nil && c.Attempts.Now().Wide && !rules.SameStorage(c.Matrix.About().Storage, rules.Wide(c.First)) { // errors of storage are not to be added to
		err = c.use(rules.Wide(c.First))
	}
	c.Scaled.Drop(c.Matrix.About())
	return err
}

// setUp makes a preconditioner of the scaled matrix, ready for the backend.
func (c *Correction[V, S]) setUp(v choice.Variant, budget float64, at *choice.Precision) (
	by krylov.Preconditioner[V], made precond.Preconditioner, work float64, err error,
) {
	if c.Ctx.Err() != nil { // before the scaled matrix is made for it
		return nil, nil, 0, fmt.Errorf("%v: %w", v.Kind, precond.ErrInterrupted)
	}
	if err := c.rescale(v); err != nil {
		return nil, nil, 0, err
	}
	if now := choice.PrecisionOf(c.Matrix.About().Storage); at != nil && *at != now {
		if err := c.usePrecision(*at); err != nil {
			return nil, nil, 0, err
		}
		defer func() { err = errors.Join(err, c.usePrecision(now)) }()
	}
	if at == nil {
		if err := c.FollowUse(v); err != nil {
			return nil, nil, 0, err
		}
	}
	c.Attempts.State.Fallbacks[c.Attempts.State.Fallback].Made = choice.PrecisionOf(c.Matrix.About().Storage)
	if made, work, err = c.makePrecond(v, budget); err != nil {
		return nil, nil, work, err
	}
	if by, err = c.Matrix.Ready(made); err != nil {
		return nil, nil, work, err
	}
	if on, ok := by.(interface{ Description() precond.Preconditioner }); ok {
		made = on.Description()
	}
	return by, made, work, nil
}

// makePrecond sets up a preconditioner, and its transpose if the method needs it.
func (c *Correction[V, S]) makePrecond(v choice.Variant, budget float64) (made precond.Preconditioner, work float64, err error) {
	if c.Made == nil {
		return c.makeOwn(v, budget)
	}
	return c.Made(v, budget, choice.PrecisionOf(c.Matrix.About().Storage), c.Scaled.None, func() (precond.Preconditioner, float64, error) { return c.makeOwn(v, budget) })
}

// makeOwn is makePrecond without sharing.
func (c *Correction[V, S]) makeOwn(v choice.Variant, budget float64) (made precond.Preconditioner, work float64, err error) {
	held := c.Attempts.Held()
	made, work, err = c.Prepare(c.Ctx, c.Scaled.Matrix(), v, budget, held, c.Matrix.About())
	if errors.Is(err, precond.ErrMemory) && len(c.Attempts.Ready) > 0 {
		c.Attempts.Release()
		held = c.Attempts.Held()
		made, work, err = c.Prepare(c.Ctx, c.Scaled.Matrix(), v, budget, held, c.Matrix.About())
	}
	if err == nil {
		var more float64
		made, more, err = c.transposed(made, v, budget, held)
		work += more
	}
	return made, work, err
}

// curved reports whether the direction at which conjugate gradients stopped, with a matrix in reduced precision, shows that the
// matrix as given is not definite either. It overwrites work.
func (c *Correction[V, S]) curved(work V) bool {
	method, err := c.Attempts.Method()
	cg, ok := method.(interface{ Direction() V })
	if err != nil || !ok {
		return false
	}
	p := cg.Direction()
	c.Scaling.Col.Ldexp(work, p, 1, -c.Scaling.Col.MaxExponent(p))
	return c.Scaling.Sign*c.Exact.ApplyDot(c.R, work, work).Float() <= 0
}
