package digits

import (
	"math"
	"math/big"
	"time"

	"github.com/mpsolve/mpsolve/internal/mp"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

const (
	// probeDecades is the reduction of the residual of a probe, which the share of a left null vector does not allow.
	probeDecades = 6
	// probes is the number of probes, as for small systems in float64.
	probes = 2
)

// solve refines z with the factors. It leaves z nil where they are too inaccurate for the condition of A.
func (v *factored) solve() {
	v.S.Opt.Stage("refining x with the factors")
	z := v.S.Factors.Solve(v.b)
	v.addTo(z, v.S.Factors.Solve(v.residual(z, v.b)))
	v.weigh(z)
	if !v.runProbes() {
		return
	}
	p, size, first := v.result, v.size, z
	p.Bits = rules.BitsBeyond(v.S.Opt, v.probe)
	z = mp.New(first.Len(), p.Bits)
	z.Copy(first)
	p.Steps, p.Why, p.Error, v.change = nil, "", math.Inf(1), math.NaN()
	r := v.residual(z, v.b)
	v.measure(r, p.Bits)
	p.Error = v.enlarged()
	v.took()
	for p.Error > -float64(p.Asked) && v.Ctx.Err() == nil {
		before, last := v.eta, v.change
		d := v.S.Factors.Solve(r)
		v.addTo(z, d)
		v.weigh(z)
		r = v.residual(z, v.b)
		v.measure(r, p.Bits)
		v.change = largest(d, v.by.Col) - v.size
		q := v.eta - before
		if !math.IsNaN(last) {
			q = max(q, v.change-last)
		}
		p.Error = max(v.enlarged(), v.change+min(0, q)+Log10(safety, 0))
		v.took()
		if p.Error > -float64(p.Asked) && v.eta-before > idleStep {
			p.Why = "the precision of x is exhausted"
			break
		}
	}
	if math.Abs(v.size-size) < math.Log10(2) { // else the probe was for another size
		v.z = z
	}
}

// took records a step, and calls the monitor.
func (v *factored) took() {
	p := v.result
	p.Steps = append(p.Steps, solve.PreciseStep{Change: v.change, Residual: v.most, Error: max(p.Error, leastError(p)), Time: time.Since(v.Began)})
	if monitor := v.S.Opt.Monitor; monitor != nil && len(p.Steps) > 1 {
		monitor(krylov.Event{
			Outer: v.Solved.Outer + len(p.Steps) - 1, Iteration: v.Solved.Iterations + v.Digits.Iterations, Estimate: math.Pow(10, v.most),
		})
	}
}

// enlarged returns the log10 of the error of x that r may cause, by the probes.
func (v *factored) enlarged() float64 { return v.eta + Log10(safety, 0) + v.probe }

// runProbes sets probe. It returns false if a probe cannot be solved.
func (v *factored) runProbes() bool {
	v.probe = math.Inf(-1)
	n, exponents, fractions := len(v.w), make([]int, len(v.w)), make([]float64, len(v.w))
	for i, w := range v.w {
		e := math.Floor(w * rules.BitsPerDigit)
		exponents[i], fractions[i] = int(e), math.Exp2(w*rules.BitsPerDigit-e)
	}
	for k := range probes {
		p, e := mp.New(n, v.S.Factors.Bits()), mp.New(n, v.S.Factors.Bits())
		p.SetFloat64s(v.randomRoundings(fractions, uint64(k)))
		p.Shift(exponents)
		v.measure(p, p.Bits())
		for r, goal := p, v.eta-probeDecades; v.eta > goal; {
			before := v.eta
			v.addTo(e, v.S.Factors.Solve(r))
			r = v.residual(e, p)
			if v.measure(r, p.Bits()); v.eta-before > idleStep || v.Ctx.Err() != nil {
				return false
			}
		}
		v.probe = max(v.probe, largest(e, v.by.Col)-v.size)
	}
	return true
}

// residual returns b - D_r A D_c z, rounded as far below the precision of z as products with z are accurate.
func (v *factored) residual(z, b *mp.Vec) *mp.Vec {
	bits := min(mp.MaxBits, z.Bits()+64)
	product, r := mp.New(z.Len(), bits), mp.New(z.Len(), bits)
	v.a.MulVec(product, z)
	r.Copy(b)
	r.Axpy(v.S.Pool, big.NewFloat(-1), product)
	return r
}

// addTo adds d to z.
func (v *factored) addTo(z, d *mp.Vec) { z.Axpy(v.S.Pool, big.NewFloat(1), d) }

// weigh sets the weights of the rows, w_i = T_i ||z||_inf + |b_i| for the scaled system, and the size of x.
func (v *factored) weigh(z *mp.Vec) {
	v.size = largest(z, v.by.Col)
	size := largest(z, nil)
	v.w = make([]float64, z.Len())
	for i := range v.w {
		v.w[i] = logSum(v.sums[i]+size, log10At(v.b, i))
	}
}

// measure sets eta and most to those of r, which are known to so many bits (mp.MatrixBound).
func (v *factored) measure(r *mp.Vec, bits int) {
	v.most = Log10(1, -bits)
	for i, w := range v.w {
		v.most = max(v.most, log10At(r, i)-w)
	}
	sum := 0.0
	for i, w := range v.w {
		sum += math.Pow(10, 2*(log10At(r, i)-w-v.most))
	}
	v.eta = max(Log10(1, -bits), v.most+math.Log10(sum/float64(len(v.w)))/2)
}

// log10At returns log10 |v_i|.
func log10At(v *mp.Vec, i int) float64 {
	_, m, e := v.Number(i)
	return Log10(float64(m[len(m)-1]), e-64)
}

// largest returns log10 max |v_i| 2^by[i]; by may be nil.
func largest(v *mp.Vec, by []int) float64 {
	most := math.Inf(-1)
	for i := range v.Len() {
		l := log10At(v, i)
		if by != nil {
			l += float64(by[i]) / rules.BitsPerDigit
		}
		most = max(most, l)
	}
	return most
}

// logSum returns log10(10^a + 10^b).
func logSum(a, b float64) float64 {
	most := max(a, b)
	if math.IsInf(most, -1) {
		return most
	}
	return most + math.Log10(1+math.Pow(10, min(a, b)-most))
}
