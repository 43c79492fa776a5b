package choice

import (
	"errors"
	"math"

	"github.com/mpsolve/mpsolve/internal/direct/order"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// A status says how a fallback has fared.
type status int8

const (
	untried status = iota
	left           // something else promised to take less
	failed         // it does not help, whatever it may take
)

// fallbackState is the history of a fallback.
type fallbackState struct {
	Status     status
	TooLarge   bool      // the set-up exceeded the memory limit
	Slow       bool      // the set-up succeeded, but the method was too slow
	Refusals   int       // set-ups that exceeded their budgets
	Known      float64   // the work of the set-up, at least, that a refusal has shown
	Rest       float64   // the work that was expected where the fallback was left
	Setup      float64   // multiplications of set-ups so far
	Work       float64   // multiplications of iterations so far
	Iterations int       // so far
	Made       Precision // of the method's matrix when the preconditioner was set up
}

// State is the position in the list of fallbacks, and what the solve has learnt so far. Together with x, it is all that a solve
// needs to go on as if it had not been interrupted.
type State struct {
	Fallback int     // the current one
	Begun    float64 // the measure that has to be halved; 0: not known yet
	Stale    int     // fallbacks left in a row that have not halved it

	Fallbacks  []fallbackState
	Diagonal   float64   // iterations of conjugate gradients that the diagonal is expected to take, as its probe run has shown; 0: not known
	Indefinite bool      // the matrix is symmetric and not definite
	Last       bool      // a complete factorisation did not help: nothing is tried twice
	Precision  Precision // of the method's matrix
}

// BeginState returns the state before the first attempt, for a number of fallbacks.
func BeginState(fallbacks int) State {
	return State{Fallback: -1, Fallbacks: make([]fallbackState, fallbacks)}
}

// Rest returns the work that fallback k is expected to take from now on: by its bet, corrected by what the solve has learnt.
func (t *State) Rest(k int, b Bet) float64 {
	switch r := t.Fallbacks[k]; {
	case r.Rest > 0:
		return r.Rest
	case r.Known > 0:
		return r.Known + b.Iteration*b.Iterations
	}
	return b.Work()
}

// SetupBudget returns the multiplications that the set-up of fallback k may take: the count of complete factors is exact, and may reach what
// the best alternative is expected to take; others have a budget that grows from one refusal to the next. Complete factors that are certain take what they take.
func (t *State) SetupBudget(f Fallback, k int, alternative func() float64, nnz float64) float64 {
	least := max(rules.LeastBudget, rules.FirstBudget*nnz)
	switch {
	case f.Certain:
		return rules.FrontSpeed * rules.MostWork * nnz
	case f.Complete():
		return rules.FrontSpeed * min(max(alternative(), t.Fallbacks[k].Known, least), rules.MostWork*nnz)
	}
	return least * math.Pow(rules.BudgetGrowth, float64(t.Fallbacks[k].Refusals))
}

// Leave records that the current fallback is left, and how much work it was expected to take from there on. It is for good unless that is slow. Then another
// method with the same preconditioner is expected to take as long.
func (t *State) Leave(fallbacks []Fallback, slow bool, rest, measure float64) {
	r, f := &t.Fallbacks[t.Fallback], fallbacks[t.Fallback]
	t.Last = t.Last || f.Complete()
	r.Status, r.Slow = failed, slow
	if slow {
		r.Status = left
		r.Rest = max(rest, 2*r.Rest)
		kind, _ := krylov.KindOf(string(f.Method))
		for k, o := range fallbacks {
			if o.Variant == f.Variant && t.Fallbacks[k].Status == untried && !kind.Definite {
				t.Fallbacks[k].Rest = r.Rest
			}
		}
	}
	if t.Stale++; measure <= rules.StaleReduction*t.Begun {
		t.Stale, t.Begun = 0, measure
	}
}

// Refuse records that the preconditioner of the current fallback could not be set up. What complete factors take has been counted, unless their order was
// given up; other set-ups take more than their budgets. If a complete Cholesky factorisation shows that
// the matrix is indefinite, conjugate gradients are ruled out, if there is another method.
func (t *State) Refuse(fallbacks []Fallback, bets []Bet, nnz float64, err error) {
	var counted *order.Excess
	r, f := &t.Fallbacks[t.Fallback], fallbacks[t.Fallback]
	last, _ := krylov.KindOf(string(fallbacks[len(fallbacks)-1].Method))
	switch {
	case errors.Is(err, precond.ErrWork):
		r.Refusals++
		if r.Known = rules.BudgetGrowth * max(r.Known, bets[t.Fallback].SetUp); errors.As(err, &counted) && !counted.AtLeast {
			r.Known = counted.Work * nnz / rules.FrontSpeed
		}
		return
	case errors.Is(err, precond.ErrMemory):
		r.TooLarge = true
	case f.Kind == precond.Cholesky && errors.Is(err, precond.ErrIndefinite):
		t.Indefinite = !last.Definite
	}
	r.Status = failed
}

// open reports whether fallback k may still help. It does not if it failed; if it is conjugate gradients and the matrix is indefinite; if a larger
// drop tolerance was refused; or if a smaller drop tolerance was set up and was too slow.
func (t *State) open(fallbacks []Fallback, k int) bool {
	r := fallbacks[k]
	kind, _ := krylov.KindOf(string(r.Method))
	if t.Fallbacks[k].Status == failed || t.Indefinite && kind.Definite {
		return false
	}
	for j, o := range fallbacks {
		if j == k || o.Method != r.Method || o.Kind != r.Kind {
			continue
		}
		switch s := t.Fallbacks[j]; {
		case o.Drop() > r.Drop() && (s.Refusals > 0 || s.TooLarge):
			return false
		case o.Drop() < r.Drop() && s.Slow:
			return false
		}
	}
	return true
}

// worth reports whether fallback k is worth trying: nothing is left for good that may help, but for work beyond all measure, or if nothing that was
// tried twice has helped.
func (t *State) worth(fallbacks []Fallback, k int, rest, nnz float64) bool {
	stale := t.Last || t.Stale >= rules.StaleVisits
	return t.open(fallbacks, k) && !(t.Fallbacks[k].Status == left && stale) && !(rest > rules.MostWork*nnz && t.Fallbacks[k].Known > 0)
}

// Next goes to the first fallback, and later to the one that is expected to take the least work from now on; a probe run may take more. It returns false if no fallback is worth
// trying; then it stays at the current one.
func (t *State) Next(fallbacks []Fallback, betting func() []Bet, nnz float64) bool {
	if t.Fallback < 0 {
		t.Fallback = 0
		return true
	}
	best, least, bets := -1, 0.0, betting()
	for k := range fallbacks {
		rest := t.Rest(k, bets[k])
		if !t.worth(fallbacks, k, rest, nnz) {
			continue
		}
		if fallbacks[k].Kind == precond.Jacobi && !bets[k].AsSlow && t.Fallbacks[k].Status == untried {
			rest /= rules.ProbeOdds
		}
		if best < 0 || rest < least {
			best, least = k, rest
		}
	}
	if best >= 0 {
		t.Fallback = best
	}
	return best >= 0
}

// Alternative returns the work that the best of the other fallbacks is expected to take; infinite if no other is worth trying. Those that are slow where the
// diagonal is slow are no alternative to it.
func (t *State) Alternative(fallbacks []Fallback, bets []Bet, nnz float64) float64 {
	least, now := math.Inf(1), fallbacks[t.Fallback]
	for k := range fallbacks {
		if now.ProbeRun && bets[k].AsSlow {
			continue
		}
		if rest := t.Rest(k, bets[k]); k != t.Fallback && rest < least && t.worth(fallbacks, k, rest, nnz) {
			least = rest
		}
	}
	return least
}

// only reports whether no fallback but the current one is left to try.
func (t *State) only(fallbacks []Fallback) bool {
	for k := range fallbacks {
		if k != t.Fallback && t.open(fallbacks, k) {
			return false
		}
	}
	return true
}
