package digits

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/krylov"
)

// probe solves A e = p, roughly in large solves. In a small system it solves for two p: in one of a hundred p, the direction in which A is nearly
// singular has only a hundredth of its usual share. That is still large in an e by complete factors.
func (a Estimation) probe(w []float64, e int, work allowance) error {
	count, run := 1, a.solveProbe
	switch {
	case work.rough:
		run = func(p, w []float64, limit int) ([]float64, float64, bool, error) {
			return a.solveRoughProbe(p, w, e, limit)
		}
	case a.S.Nonzeros() <= rules.SmallProduct:
		run = a.solveSmallProbe
		if !a.direct() || a.S.Rows() <= rules.DenseRows {
			count = 2
		}
	}
	g, largest := &a.Digits, 0.0
	tried := a.complete() && a.lastIterations() > solvesAtOnce // a null vector
	if tried {
		null, err := a.nullVector(w, e, work.probe)
		if err != nil {
			return err
		}
		if null > mostProbe {
			g.Probe, g.Condition = null, null/rules.Roundoff
			return nil
		}
	}
	if !tried && !work.rough {
		if done, err := a.accompanied(w, e); done || err != nil {
			return err
		}
	}
	for k := range count {
		d, left, solved, err := run(a.randomRoundings(w, uint64(k)), w, work.probe)
		if work.rough || !solved {
			a.Reach = a.reach(d, left, w, e)
		}
		// p is 2^-e times a perturbation of the size of the rows, and u times this perturbation is a rounding. A d that is not solved for is A^-1 of a perturbation
		// at most 1 + left times as large: if such a d is large, A is singular for float64.
		enlarged := a.Relative(d, e)
		if !solved {
			enlarged /= 1 + left
		}
		if err == nil && !solved && !work.rough && !tried {
			var null float64
			if null, err = a.nullVector(w, e, work.probe); null > enlarged {
				enlarged = null
			}
		}
		if err != nil || !solved && !(enlarged > mostProbe) {
			return err
		}
		if largest = max(largest, enlarged); !solved {
			break
		}
	}
	g.Probe, g.Condition = largest, largest/rules.Roundoff
	return nil
}

// nullVector returns by how much A^-1 enlarges A d, a perturbation, for the d = g - z of an arbitrary g and A z = A g. If A is singular, d is nearly a null vector. A system
// with a right-hand side like a probe's has no solution then, so that methods stop at a small d, while A g is in the range of A.
func (a Estimation) nullVector(w []float64, e, limit int) (enlarged float64, err error) {
	d, zero := a.randomRoundings(slices.Repeat([]float64{1}, len(w)), 0), make([]float64, len(w))
	r := make([]float64, len(w))
	for range nullSteps {
		if err := a.S.Refiner.Residual(r, d, zero); err != nil {
			return 0, err
		}
		var z []float64
		if a.complete() {
			z, _, err = a.applyFactors(r)
		} else {
			z, _, err = a.correction(r, w, leastStepTol, limit)
		}
		if err != nil {
			return 0, err
		}
		for i, v := range z {
			d[i] += v
		}
	}
	err = a.S.Refiner.Residual(r, d, zero)
	return a.Relative(d, e) / max(a.weighted(r, w), 0x1p-900), err
}

// solvesAtOnce is the number of iterations that complete factors take at most, unless they are of another matrix, since a pivot has vanished. Such factors may
// solve for a probe that has little of the left null vector.
const solvesAtOnce = 2

// lastIterations returns the iterations of the attempt that found x.
func (a Estimation) lastIterations() int {
	attempts := a.S.Refiner.Usage().Attempts
	if len(attempts) == 0 {
		return a.Solved.Iterations
	}
	return attempts[len(attempts)-1].Iterations
}

// nullSteps is the number of solves for a null vector.
const nullSteps = 2

// reach returns the largest size of an x with A x = b that a probe d with a share left explains, relative to that of x. If row i of A^-1 diag(w) has
// the 2-norm g_i, then |x_i| <= g_i ||b/w||_2, and d_i is g_i N(0,1). A d that is not solved for is mostly too small. If it is large, A may be
// singular, and so it explains nothing.
func (a Estimation) reach(d []float64, left float64, w []float64, e int) float64 {
	enlarged := a.Relative(d, e)
	if !(enlarged <= plainProbe) {
		return 0
	}
	b := append([]float64(nil), a.B...)
	a.scale(b, e)
	return enlarged / rules.Roundoff / (1 + left) * a.rms(b, w) * math.Sqrt(float64(a.Vectors.Dim()))
}

// solveSmallProbe solves A d = p to a residual that is a share of p in the maximum norm.
func (a Estimation) solveSmallProbe(p, w []float64, limit int) (d []float64, left float64, solved bool, err error) {
	tol := min(probeTol, a.nullShare())
	if a.direct() {
		d, r, err := a.applyFactors(p)
		if left := a.weighted(r, w) / a.weighted(p, w); err != nil || left <= tol {
			return d, left, true, err
		}
	}
	d, left, err = a.correction(p, w, tol, limit)
	return d, left, left <= tol, err
}

// solveRoughProbe solves A d = p for the size of d, as far as the allowance goes: with the diagonal, d grows from one iteration to the next. Residuals are in
// float64: their roundings are about ||d|| / (||x|| 2^e) of the weights, which matters only where d is large.
func (a Estimation) solveRoughProbe(p, w []float64, e, limit int) (d []float64, left float64, solved bool, err error) {
	tol := roughTol
	if limit <= rules.LeastDigits { // an iteration is more than the estimate should take
		tol = mostRough
	}
	d, left, err = a.correct(a.S.Refiner.Roughly, p, w, tol, limit)
	if err == nil && !(a.Relative(d, e) <= plainProbe) {
		r := make([]float64, len(p))
		err = a.S.Refiner.Residual(r, d, p)
		left = a.weighted(r, w) / a.weighted(p, w)
	}
	return d, left, left <= mostRough, err
}

// solveProbe solves A d = p to a residual that is a share of p in the 2-norm, in which the share of a left null vector is known.
// Iterations look at the maximum norm, in which the share is up to ten times as large. Complete factors mostly solve at once.
func (a Estimation) solveProbe(p, w []float64, limit int) (d []float64, left float64, solved bool, err error) {
	tol, before, size := a.nullShare(), a.Digits.Iterations, a.weighted(p, w)
	d, r := make([]float64, len(p)), append([]float64(nil), p...)
	most := min(probeTol, tol) * a.rms(p, w)
	if a.direct() {
		if d, r, err = a.applyFactors(p); err != nil || a.rms(r, w) <= most {
			return d, 0, true, err
		}
	}
	for _, loose := range []float64{3, 1} {
		part, _, err := a.correction(r, w, min(0.5, loose*tol*size/a.weighted(r, w)), limit-a.Digits.Iterations+before)
		if err != nil {
			return d, 1, false, err
		}
		for i, v := range part {
			d[i] += v
		}
		if err := a.S.Refiner.Residual(r, d, p); err != nil {
			return d, 1, false, err
		}
		if a.rms(r, w) <= most {
			return d, 0, backend.Finite(a.Vectors.AbsMax(d)), nil
		}
		if a.Digits.Iterations-before >= limit {
			break
		}
	}
	return d, a.weighted(r, w) / size, false, nil
}

// applyFactors sets d = M^-1 p by complete factors M of A, and r = p - A d.
func (a Estimation) applyFactors(p []float64) (d, r []float64, err error) {
	d, r = make([]float64, len(p)), make([]float64, len(p))
	a.Digits.Iterations++
	if err := a.S.Refiner.Preconditioned(a.Ctx, d, p); err != nil {
		return d, r, err
	}
	if !backend.Finite(a.Vectors.AbsMax(d)) {
		clear(d)
	}
	return d, r, a.S.Refiner.Residual(r, d, p)
}

// nullShare returns the share of p that may be left. A left null vector has the share N(0,1)/sqrt(n) of p, which is smaller than
// nullShare in one of forty p.
func (a Estimation) nullShare() float64 { return 0.03 / math.Sqrt(float64(a.Vectors.Dim())) }

// randomRoundings returns w_i N(0,1). The seeds are fixed, so that the same solve has the same digits.
func (a Estimation) randomRoundings(w []float64, k uint64) []float64 {
	p := make([]float64, len(w))
	a.Vectors.Ranges(func(lo, hi int) {
		rng := rand.New(rand.NewPCG(0x6d70736f6c7665+uint64(a.Row(lo)), k))
		for i := lo; i < hi; i++ {
			p[i] = w[i] * rng.NormFloat64()
		}
	})
	return p
}

// correction solves A d = r to a share tol of r, with rows weighted by w. left is the share that is left.
func (a Estimation) correction(r, w []float64, tol float64, limit int) (d []float64, left float64, err error) {
	return a.correct(a.S.Refiner.Further, r, w, tol, limit)
}

// correct is correction by a method of the refiner.
func (a Estimation) correct(solve weightedSolve, r, w []float64, tol float64, limit int) (d []float64, left float64, err error) {
	d = make([]float64, len(r))
	start := a.weighted(r, w)
	if start == 0 {
		return d, 0, nil
	}
	more, err := solve(a.Ctx, d, r, w, krylov.Options[vector]{Tol: max(tol*start, leastNormal), MaxIter: max(1, limit)})
	a.Solved.Orthogonalization += more.Orthogonalization
	a.Digits.Iterations += more.Iterations
	if !backend.Finite(a.Vectors.AbsMax(d)) {
		return make([]float64, len(r)), 1, err
	}
	return d, more.Measure / start, err
}

// weightedSolve is a method of refine.Refiner.
type weightedSolve func(ctx context.Context, x, b, w []float64, opt krylov.Options[vector]) (krylov.Result, error)

// leastNormal is the least number of float64 with full precision.
const leastNormal = 0x1p-1022
