package digits

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/krylov"
)

// probe solves A e = p, roughly in large solves. Where that costs next to nothing it solves for two p: in one of a hundred p, the
// direction in which A is nearly singular has only a hundredth of its usual share.
func (a Estimation) probe(w []float64, e int, work allowance) error {
	count, run := 1, a.solveProbe
	switch {
	case work.rough:
		run = func(p, w []float64, limit int) ([]float64, bool, error) { return a.solveRoughProbe(p, w, e, limit) }
	case a.S.Nonzeros() <= rules.SmallProduct:
		run = a.solveSmallProbe
	}
	if a.S.Rows() <= rules.DenseRows {
		count = 2
	}
	g, largest := &a.Digits, 0.0
	for k := range count {
		d, solved, err := run(a.randomRoundings(w, uint64(k)), w, work.probe)
		if err != nil || !solved {
			return err
		}
		// p is 2^-e times a perturbation of the size of the rows, and u times this perturbation is a rounding.
		largest = max(largest, a.Relative(d, e))
	}
	g.Probe, g.Condition = largest, largest/rules.Roundoff
	return nil
}

// solveSmallProbe solves A d = p to a residual that is a share of p in the maximum norm.
func (a Estimation) solveSmallProbe(p, w []float64, limit int) (d []float64, solved bool, err error) {
	tol := min(probeTol, a.nullShare())
	if a.direct() {
		d, r, err := a.applyFactors(p)
		if err != nil || a.weighted(r, w) <= tol*a.weighted(p, w) {
			return d, err == nil, err
		}
	}
	d, left, err := a.correction(p, w, tol, limit)
	return d, left <= tol, err
}

// solveRoughProbe solves A d = p for the size of d, which is right to a tenth or two with a quarter of p left. Residuals are in
// float64: their roundings are about ||d|| / (||x|| 2^e) of the weights, which matters only where d is large.
func (a Estimation) solveRoughProbe(p, w []float64, e, limit int) (d []float64, solved bool, err error) {
	d, left, err := a.correct(a.S.Refiner.Roughly, p, w, roughTol, limit)
	enlarged := a.Relative(d, e)
	if err == nil && !(enlarged <= plainProbe) {
		r := make([]float64, len(p))
		err = a.S.Refiner.Residual(r, d, p)
		left = a.weighted(r, w) / a.weighted(p, w)
	}
	b := append([]float64(nil), a.B...)
	a.scale(b, e)
	if enlarged <= plainProbe {
		a.Reach = enlarged / rules.Roundoff / (1 + left) * a.rms(b, w) * math.Sqrt(float64(a.Vectors.Dim()))
	}
	return d, left <= mostRough, err
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

// solveProbe solves A d = p to a residual that is a share of p in the 2-norm, in which the share of a left null vector is known.
// Iterations look at the maximum norm, in which the share is up to ten times as large.
func (a Estimation) solveProbe(p, w []float64, limit int) (_ []float64, done bool, err error) {
	tol := a.nullShare()
	before, total, solved := a.Digits.Iterations, a.rms(p, w), min(probeTol, tol)
	d, r := make([]float64, len(p)), append([]float64(nil), p...)
	if a.direct() {
		if d, r, err = a.applyFactors(p); err != nil || a.rms(r, w) <= solved*total {
			return d, err == nil, err
		}
	}
	for _, loose := range []float64{3, 1} {
		part, _, err := a.correction(r, w, min(0.5, loose*tol*a.weighted(p, w)/a.weighted(r, w)), limit-a.Digits.Iterations+before)
		if err != nil {
			return d, false, err
		}
		for i, v := range part {
			d[i] += v
		}
		if err := a.S.Refiner.Residual(r, d, p); err != nil {
			return d, false, err
		}
		if a.rms(r, w) <= solved*total {
			return d, backend.Finite(a.Vectors.AbsMax(d)), nil
		}
		if a.Digits.Iterations-before >= limit {
			break
		}
	}
	return d, false, nil
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
