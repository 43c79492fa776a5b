package choice

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/krylov"
)

// A Probe watches a method, and says to leave it when its rate of convergence does not reach the goal within the budget. It looks
// after some iterations, then after twice as many, and so on. It measures the rate over the second half, since the first iterations
// of a method tell little.
type Probe struct {
	goal      float64 // the measure to reach
	Iteration float64 // multiplications of an iteration
	unknown   float64 // multiplications for a projection

	probeRun bool // made by NewProbeRun

	Lookout
	Gone bool // the method is to be left
}

// Lookout says when a probe looks. Iterations are counted from the first correction of a series in which each goes on from the one
// before.
type Lookout struct {
	Look   int     // the iteration to look at next
	At     int     // the iteration of the last look
	Least  float64 // the measure at the last look
	Budget float64 // multiplications that may be spent

	Before    int   // iterations of the corrections before this one
	Projected int64 // projections of the corrections before this one
}

// NewProbe returns a probe of a method that begins at the measure from and is to reach goal within a budget of multiplications.
func NewProbe(from, goal, iteration, unknown, budget float64) *Probe {
	first := max(rules.FirstLook, int(min(rules.ProbeShare*budget/iteration, math.MaxInt32)))
	return &Probe{goal: goal, Iteration: iteration, unknown: unknown, Lookout: Lookout{Look: first, Least: from, Budget: budget}}
}

// GoOn makes p look where the probe of the correction before would have looked. This correction goes on from that one, so that
// the rate is known already. done is the result of the correction before.
func (p *Probe) GoOn(last *Probe, done krylov.Result) {
	if p.probeRun == last.probeRun && p.Iteration == last.Iteration {
		p.Lookout = last.Lookout
		p.Before += done.Iterations
		p.Projected += done.Projections
	}
}

// Watch implements krylov.Options.Watch.
func (p *Probe) Watch(now krylov.Progress) krylov.Reason {
	if p.Gone {
		return krylov.Stagnation
	}
	if now.Iterations += p.Before; now.Iterations < p.Look {
		return krylov.Running
	}
	now.Projections += p.Projected
	spent := p.Work(now.Iterations, now.Projections)
	rest := p.expected(now) * spent / float64(now.Iterations)
	if p.probeRun && p.Idle(spent, rest) || !p.probeRun && spent+rest > rules.Hopeless*p.Budget && rest > spent {
		p.Gone = true
		return krylov.Stagnation
	}
	p.At, p.Least, p.Look = now.Iterations, now.Least, 2*now.Iterations
	return krylov.Running
}

// expected returns the number of iterations from now to the goal, at the rate since the last look.
func (p *Probe) expected(now krylov.Progress) float64 {
	switch {
	case now.Least <= p.goal:
		return 0
	case !(now.Least < p.Least):
		return math.Inf(1)
	}
	return float64(now.Iterations-p.At) * math.Log(now.Least/p.goal) / math.Log(p.Least/now.Least)
}

// Work returns the number of multiplications of iterations and their projections.
func (p *Probe) Work(iterations int, projections int64) float64 {
	return p.Iteration*float64(iterations) + p.unknown*float64(projections)
}

// Watch returns a probe for a correction with the current fallback, of a system with n unknowns.
func (t *Attempts[V, S]) Watch(n int, from, goal float64) *Probe {
	if t.State.Begun == 0 {
		t.State.Begun = from
	}
	r, values := t.Now(), 0.0
	if p := t.Preconditioner(); p != nil {
		values = float64(p.Made.Cost().Values)
	}
	iteration := IterationWork(r.Method, r.Kind, float64(n), float64(t.nnz), values)
	if r.ProbeRun {
		return NewProbeRun(from, goal, iteration, t.alternatives()[t.State.Fallback])
	}
	return NewProbe(from, goal, iteration, rules.ProjectionWork*float64(n), t.State.SolveBudget(r))
}

// Bounded reports whether the current fallback is to be left when it is too slow.
func (t *Attempts[V, S]) Bounded() bool { return t.limited && !t.State.only(t.Fallbacks) }

// NewProbeRun returns the probe of a probe run, which is to take fewer multiplications than the alternative.
func NewProbeRun(from, goal, iteration, alternative float64) *Probe {
	first := max(rules.LeastProbeRun, int(min(rules.ProbeRunShare*alternative/iteration, math.MaxInt32)))
	return &Probe{goal: goal, Iteration: iteration, probeRun: true, Lookout: Lookout{Look: first, Least: from, Budget: alternative}}
}

// Idle reports whether to leave a probe run that has spent some work and is expected to take rest more. Spent work does not count
// until it exceeds the work of the alternative.
func (p *Probe) Idle(spent, rest float64) bool { return rest > min(p.Budget, 2*p.Budget-spent) }
