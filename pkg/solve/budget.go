package solve

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// iterationWork is the number of multiplications that an iteration of a method takes with a
// preconditioner of that kind which stores so many values, besides projections of GMRES.
func iterationWork(method Method, kind precond.Kind, n, nnz, values float64) float64 {
	m, _ := krylov.KindOf(string(method))
	products := float64(m.Products)
	applied := values
	switch kind {
	case precond.Chebyshev: // multiplies with the matrix
		applied = smoothing * nnz
	case precond.AMG: // smooths on each level, and stores the coarse ones
		applied = cycleProducts * (nnz + values)
	}
	return products*(nnz+applied) + vectorWork*n
}

// smoothing is the number of products in a polynomial.
const smoothing = 4

// cycleProducts is the number of products on each level of a cycle of multigrid that take as
// long: there are three, with values of 16 bits.
const cycleProducts = 2

// vectorWork is what an iteration takes for an unknown besides: CG has six updates and inner
// products.
const vectorWork = 6

// projectionWork is what a projection of GMRES takes for an unknown.
const projectionWork = 2

// A probe watches a method and says when to leave it: where its rate does not reach the goal
// within the budget. It looks after some iterations, then after twice as many, and so on; the
// rate is that of the second half, since the first iterations of a method tell little.
type probe struct {
	goal      float64 // the measure to reach
	iteration float64 // multiplications of one
	unknown   float64 // multiplications for a projection

	trial bool // by newTrial

	lookout
	gone bool // the method is to be left
}

// lookout is when a probe looks. Iterations count from the first of the corrections that go on one
// from the other.
type lookout struct {
	Look   int     // the iteration to look at next
	At     int     // that of the last look
	Least  float64 // the measure at the last look
	Budget float64 // multiplications that may be spent

	Before    int   // iterations of corrections before this one
	Projected int64 // and their projections
}

const (
	// The first look comes after firstLook iterations or a probeShare of the budget.
	firstLook  = 32
	probeShare = 1. / 8
	// hopeless is how many times the budget a rung may be expected to take before it is left:
	// rates are rough, and mostly grow.
	hopeless = 2
)

// newProbe watches a method from a measure on.
func newProbe(from, goal, iteration, unknown, budget float64) *probe {
	first := max(firstLook, int(min(probeShare*budget/iteration, math.MaxInt32)))
	return &probe{goal: goal, iteration: iteration, unknown: unknown, lookout: lookout{Look: first, Least: from, Budget: budget}}
}

// goOn makes p look where the probe of the correction before, of so many iterations, would have looked:
// the next correction goes on from it, so that its rate is known already.
func (p *probe) goOn(last *probe, done krylov.Result) {
	if p.trial == last.trial && p.iteration == last.iteration {
		p.lookout = last.lookout
		p.Before += done.Iterations
		p.Projected += done.Projections
	}
}

// watch is krylov.Options.Watch.
func (p *probe) watch(now krylov.Progress) krylov.Reason {
	if p.gone {
		return krylov.Stagnation
	}
	if now.Iterations += p.Before; now.Iterations < p.Look {
		return krylov.Running
	}
	now.Projections += p.Projected
	spent := p.work(now.Iterations, now.Projections)
	rest := p.expected(now) * spent / float64(now.Iterations)
	if p.trial && p.idle(spent, rest) || !p.trial && spent+rest > hopeless*p.Budget && rest > spent {
		p.gone = true
		return krylov.Stagnation
	}
	p.At, p.Least, p.Look = now.Iterations, now.Least, 2*now.Iterations
	return krylov.Running
}

// expected is the number of iterations from now to the goal at the rate since the last look.
func (p *probe) expected(now krylov.Progress) float64 {
	switch {
	case now.Least <= p.goal:
		return 0
	case !(now.Least < p.Least):
		return math.Inf(1)
	}
	return float64(now.Iterations-p.At) * math.Log(now.Least/p.goal) / math.Log(p.Least/now.Least)
}

// work is the number of multiplications of so many iterations.
func (p *probe) work(iterations int, projections int64) float64 {
	return p.iteration*float64(iterations) + p.unknown*float64(projections)
}

// watch returns a probe for a correction with the current rung, of a system with n unknowns.
func (t *attempts[V, S]) watch(n int, from, goal float64) *probe {
	if t.state.Begun == 0 {
		t.state.Begun = from
	}
	r, values := t.now(), 0.0
	if p := t.preconditioner(); p != nil {
		values = float64(p.made.Cost().Values)
	}
	iteration := iterationWork(r.method, r.kind, float64(n), float64(t.nnz), values)
	if r.trial {
		return newTrial(from, goal, iteration, t.rivals[t.state.Rung])
	}
	return newProbe(from, goal, iteration, projectionWork*float64(n), t.state.solveBudget(r))
}

// bounded reports whether the current rung is to be left when it is too slow.
func (t *attempts[V, S]) bounded() bool { return t.limited && !t.state.only(t.rungs) }
