package solve

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// refiner is refinement at some place, which the rest of a Solver need not know.
type refiner interface {
	// refine solves from x, the guess if opt says so, with vectors in the order chosen.
	refine(ctx context.Context, x, b []float64, opt krylov.Options[vector]) (krylov.Result, error)
	further(ctx context.Context, x, b, w []float64, opt krylov.Options[vector]) (krylov.Result, error)
	roughly(ctx context.Context, x, b, w []float64, opt krylov.Options[vector]) (krylov.Result, error)
	rowwise(ctx context.Context, x, b, sums []float64, opt krylov.Options[vector]) (krylov.Result, error)
	correct(ctx context.Context, d, r, sums []float64, shift int, goal krylov.Goal) (krylov.Result, error)
	raise(reason krylov.Reason) bool
	residual(r, x, b []float64) error
	leftOver(r, x, b []float64) error
	lower(x []float64) []float64 // what x, which it returned, has beyond float64; nil: nothing
	usage() usage
	close()
}

// usage is what a refinement uses now, and what it has done so far.
type usage struct {
	method  string
	block   int // see Result
	stored  stored
	precond PrecondResult // without what it has done

	products, applications       int
	multiplying, preconditioning time.Duration
	settingUp                    time.Duration // preconditioners

	attempts []Attempt // of the last solve
}

// refinement is iterative refinement at a place.
type refinement[V any, S linop.Scalar[S]] struct {
	at         place[V, S]
	exact      *linop.Timed[V, S]
	refined    linop.Operator[V, S] // the same with rounded residuals as well, if these will do
	measure    *measure[V, S]
	steps      *krylov.Refinement[V, S]
	correction *correction[V, S]
	recorder   *recorder
	epsilon    float64     // of preconditioners
	left       bool        // by the last solve: the residual of its x
	last       [2]*float64 // addresses of x and b of the last solve that left it; see leftOver
}

// newRefinement makes operators, methods and work vectors there. The place is closed with
// it, and on failure.
func newRefinement[V any, S linop.Scalar[S]](ctx context.Context, s *Solver, at place[V, S]) (*refinement[V, S], error) {
	f := &refinement[V, S]{at: at, epsilon: cmp.Or(s.opt.Precond.Epsilon, precond.DefaultEpsilon), recorder: s.recorder}
	if err := f.build(ctx, s); err != nil {
		at.close()
		return nil, err
	}
	return f, nil
}

func (f *refinement[V, S]) build(ctx context.Context, s *Solver) (err error) {
	f.exact = &linop.Timed[V, S]{Operator: f.at.exact()}
	f.refined = f.operator(s)
	_, normA := s.extremeSums()
	f.measure = newMeasure(f.at, s.opt.Stop, s.absSums(), normA)
	if err := f.at.err(); err != nil {
		return err
	}
	if f.correction, err = newCorrection(ctx, s, f.at, f.measure, f.exact); err != nil {
		return err
	}
	f.steps = krylov.NewRefinement[V, S](f.at) // last: setting up takes most memory
	if s.opt.NoRefine {
		f.steps.MaxSteps = 1
	}
	return f.at.err()
}

// refine is solve for vectors that come from the host and go back there.
func (f *refinement[V, S]) refine(ctx context.Context, x, b []float64, opt krylov.Options[vector]) (krylov.Result, error) {
	vx, vb := f.at.upload(x), f.at.upload(b)
	defer f.at.free(vx, vb)
	result, err := f.solve(ctx, vx, vb, krylov.Options[V]{
		Tol: opt.Tol, MaxIter: opt.MaxIter, Guess: opt.Guess, Monitor: opt.Monitor,
	})
	if err != nil {
		return result, err
	}
	f.returns(x, vx)
	if f.left {
		f.last = addresses(x, b)
	}
	return result, f.at.err()
}

// A wide place has vectors with more digits than float64.
type wide[V any] interface {
	keep(x V) // for lower
	lower(x []float64) []float64
}

// returns downloads a solution.
func (f *refinement[V, S]) returns(x []float64, vx V) {
	f.at.download(x, vx)
	if at, ok := f.at.(wide[V]); ok {
		at.keep(vx)
	}
}

func (f *refinement[V, S]) lower(x []float64) []float64 {
	if at, ok := f.at.(wide[V]); ok {
		return at.lower(x)
	}
	return nil
}

// solve refines x.
func (f *refinement[V, S]) solve(ctx context.Context, x, b V, opt krylov.Options[V]) (krylov.Result, error) {
	f.measure.begin(b)
	f.left, f.last = false, [2]*float64{}
	opt.Agree = f.at.agree()
	opt.Measure = func(x, r V) float64 {
		f.correction.reached = f.measure.of(x, r)
		return f.correction.reached
	}
	f.correction.refining = true
	defer func() { f.correction.refining = false }()
	if f.recorder.active() {
		return f.solveRecorded(ctx, x, b, opt)
	}
	if err := f.correction.begin(ctx); err != nil {
		return krylov.Result{}, err
	}
	result := f.steps.Solve(ctx, f.refined, f.correction, x, b, opt)
	f.left = result.Reason == krylov.Converged
	f.correction.attempts.current.Reason = result.Reason.String()
	return result, f.at.err()
}

func (f *refinement[V, S]) usage() usage {
	c := f.correction
	u := usage{
		method: string(c.attempts.now().method), block: c.block, stored: c.matrix.about(),
		precond:  PrecondResult{Kind: precond.None, Text: string(precond.None)},
		products: f.exact.Count + c.timed.Count, multiplying: f.exact.Elapsed + c.timed.Elapsed,
		settingUp: c.attempts.settingUp,
	}
	u.applications, u.preconditioning = c.attempts.tally.count, c.attempts.tally.elapsed
	u.attempts = c.attempts.visits()
	if p := c.attempts.preconditioner(); p != nil {
		u.precond = PrecondResult{Kind: c.attempts.now().kind, Text: p.made.String(), Epsilon: f.epsilon, Cost: p.made.Cost(), Setup: p.setup}
		if on, ok := p.made.(*leftOnHost); ok {
			u.precond.Launches = on.launches
		}
	}
	return u
}

// used is what has been used of it so far.
func (u usage) used() used {
	return used{
		Products: u.products, Applications: u.applications,
		Multiplying: u.multiplying, Preconditioning: u.preconditioning, SettingUp: u.settingUp,
	}
}

func (f *refinement[V, S]) close() { f.at.close() }

// newCorrection stores the scaled matrix and sets up the first preconditioner that can be.
func newCorrection[V any, S linop.Scalar[S]](
	ctx context.Context, s *Solver, at place[V, S], measure *measure[V, S], exact linop.Operator[V, S],
) (*correction[V, S], error) {
	attempts := newAttempts(s, at)
	s.explain(attempts.rungs)
	storage, why := s.storage(attempts.rungs)
	matrix, err := storeScaled(at, s.scaled, storage)
	if err != nil {
		return nil, s.inputError(err)
	}
	if s.stored != nil {
		s.stored()
	}
	switch about := matrix.about().storage; {
	case why != "" && storage.plain():
		s.say(storedPlain, why)
	case why != "" && !about.plain():
		s.say("epsilon %s: %s", adaptive.FormatEpsilon(about.Epsilon), why)
	}
	for _, line := range matrix.about().lines() {
		s.say("%s", line)
	}
	if both, ok := matrix.(interface{ line() string }); ok {
		s.say("%s", both.line())
	}
	c := &correction[V, S]{
		at: at, scaled: s.scaled, scaling: newScaling(at, s.scaled), measure: measure,
		matrix: matrix, first: matrix.about().storage, chosen: s.opt.Storage.Epsilon == 0 && !s.opt.NoRefine,
		open: s.storageOpen(), spared: s.spares(attempts.rungs),
		timed:    &linop.Timed[V, S]{Operator: matrix},
		attempts: attempts, prepare: s.precondition, exact: exact,
		glance: s.glances(), innerTol: s.opt.InnerTol, vectors: s.opt.Vectors, log: s.opt.Log, ctx: ctx,
	}
	if s.recorder.resuming() {
		c.attempts.state.Rung = 0 // the rung in use comes first
	} else {
		err = c.climb("", 0)
	}
	c.rhs, c.z, c.r = at.New(), at.New(), at.New() // now: setting up takes most memory
	if err != nil && s.opt.Precond.Kind != PrecondAuto {
		err = s.inputError(fmt.Errorf("preconditioner %w%s", err, s.lighter(err)))
	}
	return c, err
}
