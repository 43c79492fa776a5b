package solve

import (
	"errors"

	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// A status says how a rung has fared.
type status int8

const (
	untried status = iota
	left           // its budget was too small
	failed         // it does not help, whatever the budget
)

// rungState is what is known of a rung.
type rungState struct {
	Status     status
	Refused    bool    // by the budget of the set-up, when it was left
	TooLarge   bool    // for the memory limit
	Slow       bool    // set up, but the method was too slow with it
	Setup      float64 // multiplications that setting up took so far
	Work       float64 // and those of iterations
	Spent      float64 // of Work, in this round
	Iterations int
	Made       precision // of the method's matrix when the preconditioner was set up
}

// ladderState is the position in the ladder and what has been learnt on the way: all that a
// solve needs, besides its x, to go on as if it had not been interrupted.
type ladderState struct {
	Rung   int     // the current one
	Round  int     // from 0; each has a larger budget than the one before
	Budget float64 // multiplications
	Begun  float64 // the measure when the round began; 0: not known yet
	Stale  int     // rounds in a row that did not get the measure down

	Rungs      []rungState
	Indefinite bool      // the matrix is symmetric and not definite
	Last       bool      // a complete factorisation did not help: no round follows
	Precision  precision // of the method's matrix
}

// Budgets, in multiplications. In each round a rung may take Budget to set up, and several
// times as much to iterate. The first is what meshes take, three times over (see
// precond.Description.MaxWork), and at least leastBudget; each round has roundGrowth times the
// budget of the one before, and at least what all rungs have spent so far. So a solve takes at
// most a small multiple of what the rung that solves takes alone: nothing cheap is left untried
// while something expensive goes on ([Korf85], iterative deepening).
const (
	firstBudget = 500 // a nonzero
	leastBudget = 2e7 // some 0.05 s
	roundGrowth = 4
	solving     = 4  // iterations take less time for a multiplication than set-ups
	completing  = 8  // so do complete factorisations, which besides are sure to solve
	balance     = 16 // in the first round, iterations may take so many times what the set-up took, or solving times leastBudget

	// A round that does not reduce the measure by staleReduction is stale; after staleRounds
	// of them, with nothing left that a larger budget would set up, the ladder ends.
	staleReduction = 0.5
	staleRounds    = 3
)

// beginLadder is the state before the first rung of so many is tried, for a matrix with nnz nonzeros.
func beginLadder(rungs, nnz int) ladderState {
	return ladderState{Rung: -1, Budget: max(leastBudget, firstBudget*float64(nnz)), Rungs: make([]rungState, rungs)}
}

// spent is the work of all rungs so far.
func (t *ladderState) spent() (work float64) {
	for _, r := range t.Rungs {
		work += r.Setup + r.Work
	}
	return work
}

// setupBudget is what the set-up of rung r may take in this round.
func (t *ladderState) setupBudget(r rung) float64 {
	if r.complete() {
		return completing * t.Budget
	}
	return t.Budget
}

// solveBudget is what iterations of the current rung may still take in this round.
func (t *ladderState) solveBudget(r rung) float64 {
	s, budget := t.Rungs[t.Rung], solving*t.Budget
	if t.Round == 0 && r.kind != precond.None {
		budget = min(budget, max(solving*leastBudget, balance*s.Setup))
	}
	return budget - s.Spent
}

// leave records why the current rung is left: for good, or until there is more to spend.
func (t *ladderState) leave(rung rung, slow bool) {
	r := &t.Rungs[t.Rung]
	t.Last = t.Last || rung.complete()
	r.Status, r.Slow = failed, slow
	if slow && !rung.trial {
		r.Status = left
	}
}

// refuse records that the current rung could not be set up. A complete factorisation that
// meets a pivot that is not positive proves that the matrix is not definite, which rules out
// conjugate gradients where there is another method.
func (t *ladderState) refuse(rungs []rung, err error) {
	r, rung := &t.Rungs[t.Rung], rungs[t.Rung]
	last, _ := krylov.KindOf(string(rungs[len(rungs)-1].method))
	r.Status = failed
	switch {
	case errors.Is(err, precond.ErrWork) && rung.most == 0:
		r.Status, r.Refused = left, true
	case errors.Is(err, precond.ErrMemory):
		r.TooLarge = true
	case rung.early() && !errors.Is(err, precond.ErrIndefinite): // the others may do
	case rung.kind == precond.Cholesky && errors.Is(err, precond.ErrNotDefinite):
		t.Indefinite = !last.Definite
	}
}

// skip reports whether what is known of the others rules rung k out, for now or for good:
// conjugate gradients for an indefinite matrix; a smaller drop tolerance where a larger one
// was refused; and a larger one where a smaller one was set up and was too slow.
func (t *ladderState) skip(rungs []rung, k int) bool {
	r := rungs[k]
	kind, _ := krylov.KindOf(string(r.method))
	if t.Rungs[k].Status == failed || t.Indefinite && kind.Definite {
		return true
	}
	for j, o := range rungs {
		if j == k || o.method != r.method || o.kind != r.kind {
			continue
		}
		switch s := t.Rungs[j]; {
		case o.most > 0 && s.Iterations > 0: // it is the same
			return true
		case o.drop() > r.drop() && (s.Refused || s.TooLarge):
			return true
		case o.drop() < r.drop() && s.Slow:
			return true
		}
	}
	return false
}

// next goes to the next rung worth trying, with the measure of x, in this round or another. It
// returns false when there is none.
func (t *ladderState) next(rungs []rung, measure float64) bool {
	for {
		for t.Rung++; t.Rung < len(rungs); t.Rung++ {
			if !t.skip(rungs, t.Rung) {
				t.Rungs[t.Rung].Refused = false
				return true
			}
		}
		if !t.nextRound(rungs, measure) {
			t.Rung = len(rungs) - 1
			return false
		}
	}
}

// nextRound begins a round with a larger budget, if there is anything to spend it on.
func (t *ladderState) nextRound(rungs []rung, measure float64) bool {
	open, refused := false, false
	for k, r := range t.Rungs {
		kind, _ := krylov.KindOf(string(rungs[k].method))
		if r.Status != failed && !(t.Indefinite && kind.Definite) {
			open, refused = true, refused || r.Refused
		}
	}
	if t.Stale++; measure <= staleReduction*t.Begun {
		t.Stale = 0
	}
	if !open || t.Last || t.Stale >= staleRounds && !refused {
		return false
	}
	for k := range t.Rungs {
		t.Rungs[k].Spent, t.Rungs[k].Refused = 0, false
	}
	t.Budget = max(roundGrowth*t.Budget, t.spent())
	t.Begun, t.Rung = measure, -1
	t.Round++
	return true
}

// only reports whether no rung but the current one is left to try.
func (t *ladderState) only(rungs []rung) bool {
	for k := range rungs {
		kind, _ := krylov.KindOf(string(rungs[k].method))
		if k != t.Rung && t.Rungs[k].Status != failed && !(t.Indefinite && kind.Definite) {
			return false
		}
	}
	return true
}
