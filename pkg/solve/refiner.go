package solve

import (
	"context"
	"fmt"
	"time"

	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// refiner is refinement at some place, which the rest of a Solver need not know.
type refiner interface {
	// solve refines x, the guess if opt says so, with vectors in the order chosen.
	solve(ctx context.Context, x, b []float64, opt krylov.Options[vector]) (krylov.Result, error)
	work() work
	method() string // in use
	kind() precond.Kind
	stored() stored
	precond(epsilon float64) PrecondResult
	close()
}

// work is what was done so far.
type work struct {
	products, applications       int
	multiplying, preconditioning time.Duration
	settingUp                    time.Duration // preconditioners
}

// sub is what was done since `before`.
func (w work) sub(before work) work {
	return work{
		w.products - before.products, w.applications - before.applications,
		w.multiplying - before.multiplying, w.preconditioning - before.preconditioning,
		w.settingUp - before.settingUp,
	}
}

// refinement is iterative refinement at a place.
type refinement[V any, S linop.Scalar[S]] struct {
	at            place[V, S]
	exact, scaled *linop.Timed[V, S]
	steps         *krylov.Refinement[V, S]
	correction    *correction[V, S]
}

// newRefinement makes operators, methods and work vectors there. The place is closed with
// it, and on failure.
func newRefinement[V any, S linop.Scalar[S]](s *Solver, at place[V, S], sys system) (refiner, error) {
	f := &refinement[V, S]{at: at}
	if err := f.build(s, sys); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

func (f *refinement[V, S]) build(s *Solver, sys system) error {
	scaled := sys.scaled()
	candidates := s.candidates()
	first, err := f.at.store(scaled, s.storage(candidates[0].kind))
	if err != nil {
		return s.inputError(err)
	}
	for _, line := range first.lines() {
		s.say("%s", line)
	}
	space := f.at.space()
	f.exact = &linop.Timed[V, S]{Operator: f.at.exact()}
	f.scaled = &linop.Timed[V, S]{Operator: first.Operator}
	f.steps = krylov.NewRefinement[V, S](space)
	if s.opt.NoRefine {
		f.steps.MaxSteps = 1
	}
	c := &correction[V, S]{
		at: f.at, first: first.storage, matrix: first, scaled: f.scaled, innerTol: s.opt.InnerTol, log: s.opt.Log,
		attempts: attempts(s, space, candidates), made: map[candidate]*preconditioner[V]{},
		rhs: space.New(), z: space.New(),
	}
	f.correction = c
	c.store = func(t Storage) (matrix[V, S], error) { return f.at.store(sys.scaled(), t) }
	c.precondition = func(try candidate) (*preconditioner[V], error) {
		m := scaled
		if m == nil { // only while setting up is it at hand
			m = sys.scaled()
		}
		return precondition(s, f.at, try, m, sys.scaling, c.matrix)
	}
	err = c.enter(0)
	scaled = nil
	if err != nil && s.opt.Precond.Kind != PrecondAuto {
		return s.inputError(fmt.Errorf("preconditioner %w", err))
	}
	return err
}

func (f *refinement[V, S]) solve(ctx context.Context, x, b []float64, opt krylov.Options[vector]) (krylov.Result, error) {
	vx, vb := f.at.begin(x, b)
	if err := f.correction.begin(); err != nil {
		return krylov.Result{}, err
	}
	result := f.steps.Solve(ctx, f.exact, f.correction, vx, vb, krylov.Options[V]{
		Tol: opt.Tol, MaxIter: opt.MaxIter, Guess: opt.Guess, Measure: f.at.measure, Monitor: opt.Monitor,
	})
	return result, f.at.end(x, vx)
}

func (f *refinement[V, S]) work() work {
	w := work{
		products: f.exact.Count + f.scaled.Count, multiplying: f.exact.Elapsed + f.scaled.Elapsed,
		settingUp: f.correction.settingUp,
	}
	for _, p := range f.correction.made {
		if p != nil {
			w.applications += p.count
			w.preconditioning += p.elapsed
		}
	}
	return w
}

func (f *refinement[V, S]) method() string { return f.correction.attempt().method.Name() }

func (f *refinement[V, S]) kind() precond.Kind { return f.correction.attempt().kind }

func (f *refinement[V, S]) stored() stored { return f.correction.matrix.stored }

// precond says what the preconditioner in use is.
func (f *refinement[V, S]) precond(epsilon float64) PrecondResult {
	p := f.correction.made[f.correction.attempt().candidate]
	if p == nil {
		return PrecondResult{Kind: precond.None, Text: string(precond.None)}
	}
	if epsilon == 0 {
		epsilon = precond.DefaultEpsilon
	}
	return PrecondResult{Kind: p.kind, Text: p.made.String(), Epsilon: epsilon, Cost: p.made.Cost(), Setup: p.setup}
}

func (f *refinement[V, S]) close() { f.at.close() }
