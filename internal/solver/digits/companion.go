package digits

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
)

// mostSpread is by how much the ratios of the weights of a probe to those of its companion may differ: by about half as much the companion may overestimate the error.
const mostSpread = 16

// farUnits is the range of the exponents of units up to which the rows of |A| give the weights of a companion, rather than those of |A| D_c: up to 7 these were
// near the weights of a probe in 22 of 25 generated systems, and beyond in 9 of 38.
const farUnits = 7

// Companion returns a function that makes the companion of a probe, p_i = t_i N(0,1), for complete factors to solve for beside b, before x is known: t_i is the
// sum of row i of |A|, or that of |A| D_c if the units of the unknowns differ much, up to a power of two. With x these are mostly the weights of a
// probe, but for |b_i| and the norm of x or z. Companion returns nil where the estimate of digits takes no such probe.
func (a Estimation) Companion() func() []float64 {
	s := a.S
	if s.Opt.Digits != 0 || s.Opt.NoRefine || s.Job != nil || s.Opt.Device != nil || s.Nonzeros() <= rules.SmallProduct {
		return nil
	}
	return func() []float64 { return a.randomRoundings(a.companionWeights(), 0) }
}

// companionWeights returns the weights t_i of the companion, of which the largest is near 1 and none is below 2^-900.
func (a Estimation) companionWeights() []float64 {
	sums := a.S.AbsSums()
	if u := a.units(); !u.alike() && u.most-u.least > farUnits {
		sums = a.unitSums(u)
	}
	e := dd.Exponent(min(a.Vectors.AbsMax(sums), math.MaxFloat64))
	t := make([]float64, len(sums))
	a.Vectors.Ranges(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			t[i] = max(0x1p-900, dd.Ldexp(min(sums[i], math.MaxFloat64), -e))
		}
	})
	return t
}

// accompanied takes the companion as the probe, enlarged so that none of its weights is below w. It returns false if its weights are unlike w, or if
// complete factors do not solve for it. A solve that goes on from a checkpoint solves for it now, and has the same digits.
func (a Estimation) accompanied(w []float64, e int) (done bool, err error) {
	companion := a.Companion()
	if companion == nil || !a.direct() || a.Parts != nil {
		return false, nil
	}
	t := a.companionWeights()
	largest := func(of func(i int) float64) float64 {
		return a.Vectors.Max(func(lo, hi int) (most float64) {
			for i := lo; i < hi; i++ {
				most = max(most, of(i))
			}
			return most
		})
	}
	enlarge := largest(func(i int) float64 { return w[i] / t[i] })
	if enlarge*largest(func(i int) float64 { return t[i] / w[i] }) > mostSpread {
		return false, nil
	}
	d, p := a.S.Refiner.Accompanied()
	r := make([]float64, len(w))
	if d != nil {
		a.Digits.Iterations++
		err = a.S.Refiner.Residual(r, d, p)
	} else {
		p = companion()
		d, r, err = a.applyFactors(p)
	}
	if err != nil || !(a.rms(r, t) <= min(probeTol, a.nullShare())*a.rms(p, t)) {
		return false, err
	}
	g := &a.Digits
	g.Probe = backend.RelativeTo(a.Vectors.AbsMax(d), rules.Roundoff*enlarge, a.Vectors.AbsMax(a.X), e)
	g.Condition = g.Probe / rules.Roundoff
	return true, nil
}
