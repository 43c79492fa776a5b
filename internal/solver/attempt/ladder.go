package attempt

import (
	"errors"

	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// A status says how a fallback has fared.
type status int8

const (
	untried status = iota
	left           // its budget was too small
	failed         // it does not help, whatever the budget
)

// fallbackState is what is known of a fallback.
type fallbackState struct {
	Status     status
	Refused    bool    // by the budget of the set-up, when it was left
	TooLarge   bool    // for the memory limit
	Slow       bool    // set up, but the method was too slow with it
	Setup      float64 // multiplications that setting up took so far
	Work       float64 // and those of iterations
	Spent      float64 // of Work, in this round
	Iterations int
	Made       Precision // of the method's matrix when the preconditioner was set up
}

// State is the position in the list of fallbacks and what has been learnt on the way: all that a
// solve needs, besides its x, to go on as if it had not been interrupted.
type State struct {
	Fallback int     // the current one
	Round    int     // from 0; each has a larger budget than the one before
	Budget   float64 // multiplications
	Begun    float64 // the measure when the round began; 0: not known yet
	Stale    int     // rounds in a row that did not get the measure down

	Fallbacks  []fallbackState
	Indefinite bool      // the matrix is symmetric and not definite
	Last       bool      // a complete factorisation did not help: no round follows
	Precision  Precision // of the method's matrix
}

// BeginState is the state before the first fallback of so many is tried, for a matrix with nnz nonzeros.
func BeginState(rungs, nnz int) State {
	return State{Fallback: -1, Budget: max(rules.LeastBudget, rules.FirstBudget*float64(nnz)), Fallbacks: make([]fallbackState, rungs)}
}

// spent is the work of all fallbacks so far.
func (t *State) spent() (work float64) {
	for _, r := range t.Fallbacks {
		work += r.Setup + r.Work
	}
	return work
}

// SetupBudget is what the set-up of fallback r may take in this round.
func (t *State) SetupBudget(r choice.Fallback) float64 {
	if r.Complete() {
		return rules.Completing * t.Budget
	}
	return t.Budget
}

// SolveBudget is what iterations of the current fallback may still take in this round.
func (t *State) SolveBudget(r choice.Fallback) float64 {
	s, budget := t.Fallbacks[t.Fallback], rules.Solving*t.Budget
	if t.Round == 0 && r.Kind != precond.None {
		budget = min(budget, max(rules.Solving*rules.LeastBudget, rules.Balance*s.Setup))
	}
	return budget - s.Spent
}

// Leave records why the current fallback is left: for good, or until there is more to spend.
func (t *State) Leave(rung choice.Fallback, slow bool) {
	r := &t.Fallbacks[t.Fallback]
	t.Last = t.Last || rung.Complete()
	r.Status, r.Slow = failed, slow
	if slow && !rung.ProbeRun {
		r.Status = left
	}
}

// Refuse records that the current fallback could not be set up. A complete factorisation that
// meets a pivot that is not positive proves that the matrix is not definite, which rules out
// conjugate gradients where there is another method.
func (t *State) Refuse(rungs []choice.Fallback, err error) {
	r, rung := &t.Fallbacks[t.Fallback], rungs[t.Fallback]
	last, _ := krylov.KindOf(string(rungs[len(rungs)-1].Method))
	r.Status = failed
	switch {
	case errors.Is(err, precond.ErrWork) && rung.Most == 0:
		r.Status, r.Refused = left, true
	case errors.Is(err, precond.ErrMemory):
		r.TooLarge = true
	case rung.Early() && !errors.Is(err, precond.ErrIndefinite): // the others may do
	case rung.Kind == precond.Cholesky && errors.Is(err, precond.ErrNotDefinite):
		t.Indefinite = !last.Definite
	}
}

// skip reports whether what is known of the others rules fallback k out, for now or for good:
// conjugate gradients for an indefinite matrix; a smaller drop tolerance where a larger one
// was refused; and a larger one where a smaller one was set up and was too slow.
func (t *State) skip(rungs []choice.Fallback, k int) bool {
	r := rungs[k]
	kind, _ := krylov.KindOf(string(r.Method))
	if t.Fallbacks[k].Status == failed || t.Indefinite && kind.Definite {
		return true
	}
	for j, o := range rungs {
		if j == k || o.Method != r.Method || o.Kind != r.Kind {
			continue
		}
		switch s := t.Fallbacks[j]; {
		case o.Most > 0 && s.Iterations > 0: // it is the same
			return true
		case o.Drop() > r.Drop() && (s.Refused || s.TooLarge):
			return true
		case o.Drop() < r.Drop() && s.Slow:
			return true
		}
	}
	return false
}

// Next goes to the next fallback worth trying, with the measure of x, in this round or another. It
// returns false when there is none.
func (t *State) Next(rungs []choice.Fallback, measure float64) bool {
	for {
		for t.Fallback++; t.Fallback < len(rungs); t.Fallback++ {
			if !t.skip(rungs, t.Fallback) {
				t.Fallbacks[t.Fallback].Refused = false
				return true
			}
		}
		if !t.nextRound(rungs, measure) {
			t.Fallback = len(rungs) - 1
			return false
		}
	}
}

// nextRound begins a round with a larger budget, if there is anything to spend it on.
func (t *State) nextRound(rungs []choice.Fallback, measure float64) bool {
	open, refused := false, false
	for k, r := range t.Fallbacks {
		kind, _ := krylov.KindOf(string(rungs[k].Method))
		if r.Status != failed && !(t.Indefinite && kind.Definite) {
			open, refused = true, refused || r.Refused
		}
	}
	if t.Stale++; measure <= rules.StaleReduction*t.Begun {
		t.Stale = 0
	}
	if !open || t.Last || t.Stale >= rules.StaleRounds && !refused {
		return false
	}
	for k := range t.Fallbacks {
		t.Fallbacks[k].Spent, t.Fallbacks[k].Refused = 0, false
	}
	t.Budget = max(rules.RoundGrowth*t.Budget, t.spent())
	t.Begun, t.Fallback = measure, -1
	t.Round++
	return true
}

// only reports whether no fallback but the current one is left to try.
func (t *State) only(rungs []choice.Fallback) bool {
	for k := range rungs {
		kind, _ := krylov.KindOf(string(rungs[k].Method))
		if k != t.Fallback && t.Fallbacks[k].Status != failed && !(t.Indefinite && kind.Definite) {
			return false
		}
	}
	return true
}
