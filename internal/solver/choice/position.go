package choice

import (
	"errors"

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

// fallbackState is the history of a fallback.
type fallbackState struct {
	Status     status
	Refused    bool    // the set-up exceeded its budget
	TooLarge   bool    // the set-up exceeded the memory limit
	Slow       bool    // the set-up succeeded, but the method was too slow
	Setup      float64 // multiplications of set-ups so far
	Work       float64 // multiplications of iterations so far
	Spent      float64 // part of Work in this round
	Iterations int
	Made       Precision // of the method's matrix when the preconditioner was set up
}

// State is the position in the list of fallbacks, and what the solve has learnt so far. Together with x, it is all that a solve
// needs to go on as if it had not been interrupted.
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

// BeginState returns the state before the first attempt, for a number of fallbacks and a matrix with nnz nonzeros.
func BeginState(fallbacks, nnz int) State {
	return State{Fallback: -1, Budget: max(rules.LeastBudget, rules.FirstBudget*float64(nnz)), Fallbacks: make([]fallbackState, fallbacks)}
}

// spent returns the work of all fallbacks so far.
func (t *State) spent() (work float64) {
	for _, r := range t.Fallbacks {
		work += r.Setup + r.Work
	}
	return work
}

// SetupBudget returns the multiplications that the set-up of fallback r may take in this round.
func (t *State) SetupBudget(r Fallback) float64 {
	if r.Complete() {
		return rules.Completing * t.Budget
	}
	return t.Budget
}

// SolveBudget returns the multiplications that iterations of the current fallback may still take in this round.
func (t *State) SolveBudget(r Fallback) float64 {
	s, budget := t.Fallbacks[t.Fallback], rules.Solving*t.Budget
	if t.Round == 0 && r.Kind != precond.None {
		budget = min(budget, max(rules.Solving*rules.LeastBudget, rules.Balance*s.Setup))
	}
	return budget - s.Spent
}

// Leave records that the current fallback is left: until there is more to spend if it is slow, otherwise for good.
func (t *State) Leave(f Fallback, slow bool) {
	r := &t.Fallbacks[t.Fallback]
	t.Last = t.Last || f.Complete()
	r.Status, r.Slow = failed, slow
	if slow && !f.ProbeRun {
		r.Status = left
	}
}

// Refuse records that the preconditioner of the current fallback could not be set up. If a complete Cholesky factorisation meets a
// pivot that is not positive, the matrix is not definite: then conjugate gradients are ruled out, if there is another method.
func (t *State) Refuse(fallbacks []Fallback, err error) {
	r, f := &t.Fallbacks[t.Fallback], fallbacks[t.Fallback]
	last, _ := krylov.KindOf(string(fallbacks[len(fallbacks)-1].Method))
	r.Status = failed
	switch {
	case errors.Is(err, precond.ErrWork) && f.Most == 0:
		r.Status, r.Refused = left, true
	case errors.Is(err, precond.ErrMemory):
		r.TooLarge = true
	case f.Early() && !errors.Is(err, precond.ErrIndefinite): // other fallbacks may succeed
	case f.Kind == precond.Cholesky && errors.Is(err, precond.ErrNotDefinite):
		t.Indefinite = !last.Definite
	}
}

// skip reports whether the history rules fallback k out, for now or for good: it failed; it is conjugate gradients and the matrix is
// indefinite; a larger drop tolerance was refused; or a smaller drop tolerance was set up and was too slow.
func (t *State) skip(fallbacks []Fallback, k int) bool {
	r := fallbacks[k]
	kind, _ := krylov.KindOf(string(r.Method))
	if t.Fallbacks[k].Status == failed || t.Indefinite && kind.Definite {
		return true
	}
	for j, o := range fallbacks {
		if j == k || o.Method != r.Method || o.Kind != r.Kind {
			continue
		}
		switch s := t.Fallbacks[j]; {
		case o.Most > 0 && s.Iterations > 0: // the same preconditioner has been tried
			return true
		case o.Drop() > r.Drop() && (s.Refused || s.TooLarge):
			return true
		case o.Drop() < r.Drop() && s.Slow:
			return true
		}
	}
	return false
}

// Next goes to the next fallback worth trying, in this round or the next. measure is the error of x. Next returns false if no
// fallback is left.
func (t *State) Next(fallbacks []Fallback, measure float64) bool {
	for {
		for t.Fallback++; t.Fallback < len(fallbacks); t.Fallback++ {
			if !t.skip(fallbacks, t.Fallback) {
				t.Fallbacks[t.Fallback].Refused = false
				return true
			}
		}
		if !t.nextRound(fallbacks, measure) {
			t.Fallback = len(fallbacks) - 1
			return false
		}
	}
}

// nextRound begins a round with a larger budget, if any fallback is worth it.
func (t *State) nextRound(fallbacks []Fallback, measure float64) bool {
	open, refused := false, false
	for k, r := range t.Fallbacks {
		kind, _ := krylov.KindOf(string(fallbacks[k].Method))
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
func (t *State) only(fallbacks []Fallback) bool {
	for k := range fallbacks {
		kind, _ := krylov.KindOf(string(fallbacks[k].Method))
		if k != t.Fallback && t.Fallbacks[k].Status != failed && !(t.Indefinite && kind.Definite) {
			return false
		}
	}
	return true
}
