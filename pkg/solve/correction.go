package solve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// correction solves A d = r as the scaled system, by the methods, preconditioners and
// precisions that follow each other. It is the krylov.Corrector of refinement.
type correction[V any, S linop.Scalar[S]] struct {
	at         place[V, S]
	scaled     *scaledMatrix
	scaling    scaling[V]
	measure    *measure[V, S]
	matrix     matrix[V, S]       // the scaled one, in reduced precision
	first      Storage            // of it, to begin with
	chosen     bool               // its epsilon is, by the rules
	open       bool               // its storage is, by the rules
	spared     bool               // it may be in FP64 since storing it does not pay, see storage
	timed      *linop.Timed[V, S] // the matrix, timed
	attempts   *attempts[V, S]
	prepare    func(context.Context, *csr.Matrix, variant, float64, int64, stored) (precond.Preconditioner, float64, error)
	exact      linop.Operator[V, S] // A as given
	probe      *probe               // of the last correction
	done       krylov.Result        // of that
	slow       bool                 // it was left by its probe
	widen      bool                 // it was left for double-double vectors
	indefinite bool                 // the last correction showed that the matrix is not definite
	settled    bool                 // the current rung stays: what follows the solve is no attempt
	from       float64              // the measure before it
	reached    float64              // and after, of the x that it gave
	exponent   int                  // of the last correction, see scaling
	vectors    Vectors              // of the method
	innerTol   float64
	log        func(string)
	glance     Glances
	refining   bool            // x, rather than estimating its digits
	saver      *saver[V, S]    // takes checkpoints of the methods; nil: none are taken
	ctx        context.Context // of the solve under way, which interrupts setting up as well
	family     *family         // of solves in lockstep; nil: this one is alone
	inBlock    bool            // the last correction was by block CG
	block      int             // the most right-hand sides of a block CG that this one took part in; 0: none

	rhs, z V // of the scaled system
	r      V // a residual, for the measure
}

// Correct implements krylov.Corrector.
func (c *correction[V, S]) Correct(ctx context.Context, d, r, x V, goal krylov.Goal) krylov.Result {
	c.from = goal.From
	e := c.scaling.residual(c.rhs, r)
	opt := krylov.Options[V]{
		Tol: goal.To, MaxIter: goal.MaxIter, Monitor: goal.Monitor, Agree: goal.Agree,
		Unconfirmed: true, // refinement recomputes the residual
	}
	floor := storageError[V, S]{c: c, x: x, sum: d, e: e, goal: goal.To}
	opt.Measure = func(z, rhs V) float64 {
		m, normX, normZ := c.measure.ofCorrection(&c.scaling, x, z, rhs, e, d, c.r)
		if m > goal.To && !c.plain() && floor.reached(m, z, normX, normZ) {
			return goal.To // as good as it gets
		}
		return m
	}
	if c.innerTol > 0 {
		opt.Tol = max(opt.Tol, c.innerTol*goal.From)
	}
	if kind, _ := krylov.KindOf(string(c.attempts.now().method)); kind.Replaces {
		floor.early = replaceAfter * goal.From
	}
	if goal.Further {
		opt.Replaces = math.Ldexp(1, c.exponent-e)
	}
	c.exponent = e
	if p := c.attempts.preconditioner(); p != nil {
		opt.Precond, opt.Flexible = p.forMethod(), precond.Varies(p.made)
		opt.Prompt = fewIterations(c.attempts.now().kind)
	}
	last := c.probe
	c.probe = c.attempts.watch(c.at.Dim(), goal.From, opt.Tol)
	if p, ok := c.at.(blockPlace[V, S]); ok {
		c.probe.iteration += p.blockWork(c)
	}
	if goal.Further && last != nil {
		c.probe.goOn(last, c.done)
	}
	c.saver.join(&opt)
	c.glances(&opt, x, e)
	c.watch(&opt)
	start := time.Now()
	result, err := c.solve(ctx, opt)
	if err != nil {
		return krylov.Result{Reason: krylov.Breakdown}
	}
	if !c.settled {
		c.attempts.solved(result.Iterations, c.probe.work(result.Iterations, result.Projections), time.Since(start))
	}
	if now := c.attempts.now(); now.trial && (failing(result.Reason) || now.method != CG && result.Residual > 1) {
		c.at.Zero(c.z) // such as what followed a null vector; what conjugate gradients have is nearer than zero in any case
	}
	c.done = result
	c.slow, c.indefinite = c.probe.gone, result.Reason == krylov.Indefinite && (c.plain() || c.curved(d))
	c.scaling.correction(d, c.z, e)
	return result
}

// solve is by the method in use, or by block CG along with others.
func (c *correction[V, S]) solve(ctx context.Context, opt krylov.Options[V]) (result krylov.Result, err error) {
	var together krylov.Result
	if p, ok := c.at.(blockPlace[V, S]); ok {
		before := c.inBlock
		together, c.inBlock = p.block(c, opt)
		if c.inBlock && !failing(together.Reason) {
			return together, nil
		}
		if before || c.inBlock { // the method has not solved for what it would go on from
			opt.Replaces = 0
		}
		opt.MaxIter, c.inBlock = max(1, opt.MaxIter-together.Iterations), false
	}
	method, err := c.method()
	if err != nil {
		return result, err
	}
	result = method.Solve(ctx, c.timed, c.z, c.rhs, opt)
	result.Iterations += together.Iterations
	return result, nil
}

// method is the one in use.
func (c *correction[V, S]) method() (krylov.Method[V, S], error) {
	method, err := c.attempts.method()
	if wide, ok := method.(multiplying[V, S]); ok {
		wide.multiplies(c.matrix)
	}
	return method, err
}

// plain reports whether the matrix is stored in FP64.
func (c *correction[V, S]) plain() bool { return c.matrix.about().storage.plain() }

// failing reports whether a method ended since it could not go on.
func failing(reason krylov.Reason) bool {
	switch reason {
	case krylov.Breakdown, krylov.NotFinite, krylov.Divergence, krylov.Drift, krylov.Indefinite, krylov.IndefinitePreconditioner:
		return true
	}
	return false
}

// Escalate implements krylov.Corrector: the matrix is stored more accurately where that may
// help, and otherwise the next rung of the ladder takes over.
func (c *correction[V, S]) Escalate(reason krylov.Reason) bool {
	stopped, slow := reason.String(), c.slow
	switch {
	case c.slow:
		stopped = tooSlow
	case c.indefinite:
		c.attempts.state.Indefinite = true
	case reason == krylov.Stagnation && c.attempts.bounded():
		slow = true
	case c.attempts.now().trial && reason != krylov.Slow: // a more accurate matrix is for what comes after it
	case !c.plain() && c.mayHelp(reason) && !c.widen:
		return c.raise(reason)
	}
	return c.climb(c.attempts.left(stopped, slow), min(c.reached, c.from)) == nil
}

// mayHelp reports whether a more accurate matrix may get a method further that stopped for a
// reason: a preconditioner that is not definite, or from which numbers leave their range, stays
// what it is.
func (c *correction[V, S]) mayHelp(reason krylov.Reason) bool {
	return reason != krylov.IndefinitePreconditioner && (reason != krylov.NotFinite || c.attempts.preconditioner() == nil)
}

// tooSlow is why a rung is left whose rate does not reach the goal within its budget.
const tooSlow = "too slow"

// Patience implements krylov.Corrector. With a matrix in reduced precision a
// step is to reduce the measure tenfold: two that do not, or one that does not
// even halve it, show that a more accurate matrix takes less work.
func (c *correction[V, S]) Patience(reduction float64) int {
	switch {
	case c.plain():
		return krylov.DefaultPatience(reduction)
	case reduction <= 0.1:
		return -1
	case reduction <= 0.5:
		return 1
	}
	return 0
}

// begin goes back to the first method and the first precision, so that what a
// right-hand side gets does not depend on those before it.
func (c *correction[V, S]) begin(ctx context.Context) error {
	c.ctx, c.inBlock, c.block = ctx, false, 0
	c.attempts.begin()
	if err := c.climb("", 0); err != nil {
		return err
	}
	if c.matrix.about().storage.same(c.first) {
		return nil
	}
	return c.use(c.first)
}

// climb goes to the next rung whose preconditioner can be set up.
func (c *correction[V, S]) climb(before string, measure float64) error {
	err := c.attempts.climb(before, measure, c.setUp)
	if c.attempts.state.Rung >= 0 { // one that had been set up
		err = errors.Join(err, c.rescale(c.attempts.now().variant))
	}
	if err == nil && c.attempts.now().wide && !c.matrix.about().storage.same(c.first.wide()) { // errors of storage are not to be added to
		err = c.use(c.first.wide())
	}
	c.scaled.drop(c.matrix.about())
	return err
}

// setUp makes a preconditioner of the scaled matrix for the place.
func (c *correction[V, S]) setUp(v variant, budget float64, at *precision) (
	by krylov.Preconditioner[V], made precond.Preconditioner, work float64, err error,
) {
	if c.ctx.Err() != nil { // before the scaled matrix is made for it
		return nil, nil, 0, fmt.Errorf("%v: %w", v.kind, precond.ErrInterrupted)
	}
	if err := c.rescale(v); err != nil {
		return nil, nil, 0, err
	}
	if now := c.matrix.about().storage.precision(); at != nil && *at != now {
		if err := c.usePrecision(*at); err != nil {
			return nil, nil, 0, err
		}
		defer func() { err = errors.Join(err, c.usePrecision(now)) }()
	}
	if at == nil {
		if err := c.followUse(v); err != nil {
			return nil, nil, 0, err
		}
	}
	c.attempts.state.Rungs[c.attempts.state.Rung].Made = c.matrix.about().storage.precision()
	if made, work, err = c.makePrecond(v, budget); err != nil {
		return nil, nil, work, err
	}
	if by, err = c.matrix.upload(made); err != nil {
		return nil, nil, work, err
	}
	if on, ok := by.(interface{ description() precond.Preconditioner }); ok {
		made = on.description()
	}
	return by, made, work, nil
}

// makePrecond sets up a preconditioner, and its transpose if the method needs that.
func (c *correction[V, S]) makePrecond(v variant, budget float64) (made precond.Preconditioner, work float64, err error) {
	if alike, ok := any(c).(*correction[vector, scalar]); ok && c.family != nil {
		return c.family.preconditioner(alike, v, budget, func() (precond.Preconditioner, float64, error) { return c.makeOwn(v, budget) })
	}
	return c.makeOwn(v, budget)
}

// makeOwn is makePrecond where no other solve has made it.
func (c *correction[V, S]) makeOwn(v variant, budget float64) (made precond.Preconditioner, work float64, err error) {
	held := c.attempts.held()
	made, work, err = c.prepare(c.ctx, c.scaled.matrix(), v, budget, held, c.matrix.about())
	if errors.Is(err, precond.ErrMemory) && len(c.attempts.ready) > 0 {
		c.attempts.release()
		held = c.attempts.held()
		made, work, err = c.prepare(c.ctx, c.scaled.matrix(), v, budget, held, c.matrix.about())
	}
	if err == nil {
		var more float64
		made, more, err = c.transposed(made, v, budget, held)
		work += more
	}
	return made, work, err
}

// curved reports whether the direction at which conjugate gradients stopped, with a matrix
// in reduced precision, shows that the matrix as given is not definite either. It overwrites
// work.
func (c *correction[V, S]) curved(work V) bool {
	method, err := c.attempts.method()
	cg, ok := method.(interface{ Direction() V })
	if err != nil || !ok {
		return false
	}
	p := cg.Direction()
	c.scaling.col.ldexp(work, p, 1, -c.scaling.col.maxExponent(p))
	return c.scaling.sign*c.exact.ApplyDot(c.r, work, work).Float() <= 0
}
