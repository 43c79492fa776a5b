package solver

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/digits"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/solver/special"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// explainRounds is the number of times that a solve goes on: a better x may have other blocks.
const explainRounds = 3

// explain goes on with an x that meets the tolerance but does not explain b in all blocks (see verify.Judgement), until
// the residual is small in each block.
func (a *solution) explain() error {
	opt := a.s.Opt
	if opt.NoRefine {
		return nil
	}
	limit := max(rules.FurtherIter, 2*a.Solved.Iterations)
	if a.s.Refiner.Usage().Complete { // a few corrections do what they can
		limit = max(rules.FirstLook, 2*a.Solved.Iterations)
	}
	for range explainRounds {
		if !rules.ByRows(opt.Stop) || a.Weights == nil || limit <= 0 {
			return nil
		}
		w := a.Vectors.New()
		for i, v := range a.s.Order.Forth(a.Weights) {
			w[i] = min(v+math.Abs(a.B[i]), math.MaxFloat64)
		}
		a.Parts = w
		iterations, kept, err := a.goOn(w, opt.Tol*refine.Tighter, limit, func() bool { return true })
		if err != nil || !kept {
			return err
		}
		limit -= max(1, iterations)
	}
	return nil
}

// clear finds out whether a suspect x is one of a system that has a solution. A residual that becomes small beside b shows that; otherwise equations that
// contradict each other may be why it is large, for which there may be evidence.
func (a *solution) clear() error {
	brief := a.Reason == krylov.Converged && !a.oversized()
	if a.Reason == krylov.Converged && a.Unexplained > special.UnconfirmedResidual*a.s.Opt.Tol && !(brief && a.s.Rows() > rules.DenseRows) {
		if err := a.reduce(); err != nil || !a.suspect() {
			return err
		}
	}
	if a.Reason == krylov.Converged && a.Digits.State == solve.DigitsNotConfirmed { // a longer probe takes less than factors
		if err := (digits.Estimation{Solution: a.Solution, Thorough: true}).Estimate(); err != nil || !a.suspect() {
			return err
		}
	}
	search := a.evidence()
	search.Brief = brief
	return search.SeekEvidence()
}

// reduce goes on with an x that has converged, while the residual is large beside b, for as many iterations as the solve took. Its
// rows have the weights of verify.Judgement.Unexplained.
func (a *solution) reduce() error {
	w, before := slices.Clone(a.s.AbsSums()), a.Unexplained
	explained := backend.Weighted(a.Vectors, a.B, w)
	for i, t := range w {
		w[i] = min(t*explained, math.MaxFloat64)
	}
	_, _, err := a.goOn(w, special.UnconfirmedResidual*a.s.Opt.Tol/2, max(rules.FirstLook, a.Solved.Iterations), func() bool { return a.Unexplained < before })
	return err
}

// goOn goes on with x to max |r_i|/w_i <= tol, and judges the new x. It is kept if it meets the tolerance of the solve, which one row may miss at the cost of
// another, and if it is better.
func (a *solution) goOn(w []float64, tol float64, limit int, better func() bool) (iterations int, kept bool, err error) {
	x, before := slices.Clone(a.X), a.Judgement
	more, err := a.s.Refiner.Further(a.Ctx, a.X, a.B, w, krylov.Options[vector]{Tol: tol, MaxIter: min(limit, a.s.Opt.MaxIter), Guess: true})
	a.Solved.Orthogonalization += more.Orthogonalization
	if err != nil {
		return 0, false, err
	}
	a.Solved.Iterations += more.Iterations
	a.Solved.Outer += more.Outer
	if err := a.judge(); err != nil {
		return 0, false, err
	}
	if kept = a.met() && better(); !kept {
		a.X, a.Judgement = x, before
	}
	return more.Iterations, kept, nil
}
