package choice

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// A Probe watches a method, and says to leave it when an alternative is expected to take less. It looks after some iterations, then after half as
// many more, and so on. Rates are measured over the last two intervals, since the first iterations of a method tell little: a residual that has not become
// smaller yet shows nothing.
//
// A method is left if it has spent what its bet says, or as much as its set-up if that is less, the work that it is expected to take still exceeds the work of the alternative, and it has
// spent at least rules.Stake of that: rules.Unshown times that share if the measure has not become smaller at all, and all of the work if a set-up was paid
// besides. The rate is the better one of those since the look before the last and since the beginning, since residuals that stay mostly fall again;
// and the former alone before the look at which more would be lost than the alternative takes.
type Probe struct {
	goal      float64 // the measure to reach
	Iteration float64 // multiplications of an iteration
	unknown   float64 // multiplications for a projection
	weigh     func() odds
	fallback  Fallback
	inner     nested  // nil: the preconditioner does not iterate
	each      float64 // multiplications of its iterations
	odds              // known from the first look on: many a solve ends before

	Lookout
	Gone bool    // the method is to be left
	Rest float64 // work that the method was expected to take at the last look
}

// odds are what a probe weighs.
type odds struct {
	slower      float64 // see Workload.slower; 0: not known yet
	alternative float64 // expected work of the best other fallback
	granted     float64 // work that the method may spend whatever its rate: what its bet says, after a set-up

	// anew returns the alternative where the diagonal is expected to take so many iterations; nil: it does not depend on them
	anew func(diagonal float64) float64
}

// Lookout says when a probe looks. Iterations are counted from the first correction of a series in which each goes on from the one
// before.
type Lookout struct {
	Look int       // the iteration to look at next
	From float64   // the measure at first
	Past [2]seenAt // the last look and the one before

	Before    int   // iterations of the corrections before this one
	Projected int64 // projections of the corrections before this one
}

// seenAt is an iteration and its measure.
type seenAt struct {
	Iteration int
	Least     float64
}

// NewProbe returns a probe of a method that begins at the measure from and is to reach goal with less work than an alternative.
func NewProbe(from, goal, iteration, unknown float64, weigh func() odds) *Probe {
	return &Probe{
		goal: goal, Iteration: iteration, unknown: unknown, weigh: weigh,
		Lookout: Lookout{Look: rules.FirstLook, From: from, Past: [2]seenAt{{0, from}, {0, from}}},
	}
}

// weighed finds the odds once, and puts off the first look where the alternative takes much.
func (p *Probe) weighed() {
	if p.slower == 0 {
		p.odds = p.weigh()
		p.Look = max(p.Look, int(min(rules.ProbeShare*p.alternative/(p.slower*p.Iteration), math.MaxInt32)))
	}
}

// GoOn makes p look where the probe of the correction before would have looked. This correction goes on from that one, so that
// the rate is known already. done is the result of the correction before.
func (p *Probe) GoOn(last *Probe, done krylov.Result) {
	if p.Iteration == last.Iteration {
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
	if p.weighed(); now.Iterations < p.Look {
		return krylov.Running
	}
	now.Projections += p.Projected
	least := p.innerRest(now)
	spent := p.slower * p.Work(now.Iterations, now.Projections)
	each := spent / float64(now.Iterations)
	rest := p.expected(now, p.Past[1])
	if 3*spent < 2*p.alternative { // by the next look it will not have spent as much as the alternative takes
		rest = min(rest, p.expected(now, seenAt{0, p.From}))
	}
	p.Rest = max(least, each*rest)
	alternative := p.against(now.Iterations, p.Rest)
	stake := rules.Stake * alternative
	switch {
	case math.IsInf(p.Rest, 1) && p.granted > 0:
		stake = alternative
	case math.IsInf(p.Rest, 1):
		stake *= rules.Unshown
	}
	if p.Rest > alternative && spent >= max(stake, p.granted) {
		p.Gone = true
		return krylov.Stagnation
	}
	p.Past, p.Look = [2]seenAt{{now.Iterations, now.Least}, p.Past[0]}, now.Iterations+(now.Iterations+1)/2
	return krylov.Running
}

// against returns the work of the alternative where the method is expected to take some rest after so many iterations: a diagonal that takes long shows
// that what is bet on relative to it takes long, too.
func (p *Probe) against(iterations int, rest float64) float64 {
	count := p.diagonal(iterations, rest)
	if count == 0 || p.anew == nil || math.IsInf(rest, 1) {
		return p.alternative
	}
	return max(p.alternative, p.anew(count))
}

// nested is a preconditioner that iterates: Inner returns the mean number of iterations of its applications, and the largest logarithm of a reduction by one.
type nested interface {
	Inner() (iterations, rate float64)
}

// innerRest returns the work from now to the goal at the rate of the preconditioner's own iterations, which shows after one application; 0 if the preconditioner
// does not iterate, or solves. It corrects the work of an iteration by the number of inner ones.
func (p *Probe) innerRest(now krylov.Progress) float64 {
	if p.inner == nil {
		return 0
	}
	iterations, rate := p.inner.Inner()
	p.slower = max(1, iterations*p.each/p.Iteration)
	if iterations < rules.InnerIterations {
		return 0
	}
	return p.each * rules.Restarted * math.Log(max(1, now.Least/p.goal)) / max(rate, leastRate)
}

// leastRate is the least rate of inner iterations: that of a residual that hardly becomes smaller.
const leastRate = 1e-4

// expected returns the number of iterations from now to the goal, at the rate since an earlier iteration.
func (p *Probe) expected(now krylov.Progress, since seenAt) float64 {
	return Expected(now, since.Iteration, since.Least, p.goal)
}

// Expected returns the number of iterations from now to a goal, at the rate since an earlier iteration with a measure.
func Expected(now krylov.Progress, since int, measure, goal float64) float64 {
	switch {
	case now.Least <= goal:
		return 0
	case !(now.Least < measure):
		return math.Inf(1)
	}
	return float64(now.Iterations-since) * math.Log(now.Least/goal) / math.Log(measure/now.Least)
}

// Work returns the number of multiplications of iterations and their projections.
func (p *Probe) Work(iterations int, projections int64) float64 {
	return p.Iteration*float64(iterations) + p.unknown*float64(projections)
}

// left returns the work that a method was expected to take when it was left. Where nothing shows that, it is some times the
// work of the alternative.
func (p *Probe) left() float64 {
	p.weighed()
	if p.Rest > 0 && !math.IsInf(p.Rest, 1) {
		return p.Rest
	}
	return rules.Hopeless * p.alternative
}

// diagonal returns the number of iterations of conjugate gradients that the diagonal is expected to take in all, where a method
// with it is expected to take some rest after so many iterations; 0: the method has another preconditioner.
func (p *Probe) diagonal(iterations int, rest float64) float64 {
	r := p.fallback
	if r.Kind != precond.Jacobi && r.Kind != precond.BlockJacobi && r.Kind != precond.CG32 {
		return 0
	}
	count := float64(iterations) + rest/(p.slower*p.Iteration)
	if r.Kind == precond.CG32 {
		count *= rules.InnerIterations / rules.Restarted
	}
	if kind, _ := krylov.KindOf(string(r.Method)); kind.Products > 1 {
		count /= rules.TwoProducts
	}
	return count
}

// Watch returns a probe for a correction with the current fallback, of a system with n unknowns.
func (t *Attempts[V, S]) Watch(n int, from, goal float64) *Probe {
	if t.State.Begun == 0 {
		t.State.Begun = from
	}
	r, values, inner := t.Now(), 0.0, nested(nil)
	if p := t.Preconditioner(); p != nil {
		values = float64(p.Made.Cost().Values)
		if t.limited {
			inner, _ = p.Made.(nested)
		}
	}
	k := t.State.Fallback
	t.probe = NewProbe(from, goal, IterationWork(r.Method, r.Kind, float64(n), float64(t.nnz), values), rules.ProjectionWork*float64(n), func() odds {
		o := odds{slower: 1, alternative: t.alternative()}
		if t.limited && inner == nil {
			o.slower = t.weigh().slower(r, values)
		}
		if t.limited && !r.ProbeRun && t.State.Fallbacks[k].Rest == 0 {
			if b := t.bets()[k]; !b.AsSlow {
				o.granted = min(b.Iteration*b.Iterations, b.SetUp)
			}
		}
		o.anew = func(diagonal float64) float64 {
			bets := t.betting(learnt{max(diagonal, t.State.Diagonal), t.State.Indefinite})
			return t.State.Alternative(t.Fallbacks, bets, float64(t.nnz))
		}
		return o
	})
	t.probe.fallback = r
	if inner != nil { // an iteration is of many
		w := t.weigh()
		t.probe.Look, t.probe.Iteration = 1, w.nestedWork(r.Method)
		t.probe.inner, t.probe.each = inner, w.share(precond.CG32)*singleWork(w.N, w.Nnz)
	}
	return t.probe
}

// Bounded reports whether the current fallback is to be left when it is too slow.
func (t *Attempts[V, S]) Bounded() bool { return t.limited && !t.State.only(t.Fallbacks) }
