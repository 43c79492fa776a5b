package digits

import (
	"math"
	"math/big"

	"github.com/mpsolve/mpsolve/internal/mp"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/krylov"
)

const (
	// probeDecades is the reduction of the residual of a probe, which the share of a left null vector does not allow.
	probeDecades = 6
	// probes is the number of probes, as for small systems in float64.
	probes = 2
)

// refine refines z with the factors. It returns false where they are too inaccurate for the condition of A, or the context ends.
func (v *factored) refine() bool {
	v.S.Opt.Stage("refining x with the factors")
	first := v.S.Factors.Solve(v.b)
	v.add(first, v.S.Factors.Solve(v.residual(first, v.b)))
	v.weigh(first)
	if !v.runProbes() {
		return false
	}
	p, size := v.result, v.size
	p.Bits, p.Steps, p.Why = rules.BitsBeyond(v.S.Opt, v.probe), nil, ""
	z := mp.New(first.Len(), p.Bits)
	z.Copy(first)
	v.change = math.NaN()
	r := v.residual(z, v.b)
	v.measure(r, p.Bits)
	p.Error = v.enlarged()
	v.record(p, v.change, v.most, krylov.Result{})
	for p.Error > -float64(p.Asked) && p.Why == "" && v.Ctx.Err() == nil {
		before, last := v.eta, v.change
		d := v.S.Factors.Solve(r)
		v.add(z, d)
		v.weigh(z)
		r = v.residual(z, v.b)
		v.measure(r, p.Bits)
		v.change = largest(d, v.by.Col) - v.size
		q := v.eta - before
		if !math.IsNaN(last) {
			q = max(q, v.change-last)
		}
		p.Error = max(v.enlarged(), v.change+min(0, q)+Log10(safety, 0))
		v.record(p, v.change, v.most, krylov.Result{})
		if p.Error > -float64(p.Asked) && v.eta-before > idleStep {
			p.Why = "the precision of x is exhausted"
		}
	}
	if v.z = z; math.Abs(v.size-size) > math.Log10(2) { // the probes were for another size
		v.z = nil
	}
	return v.z != nil && v.Ctx.Err() == nil
}

// enlarged returns the log10 of the error of x that r may cause, by the probes.
func (v *factored) enlarged() float64 { return v.eta + Log10(safety, 0) + v.probe }

// runProbes solves A e = p with p_i = w_i N(0,1), and sets probe. It returns false if a probe cannot be solved.
func (v *factored) runProbes() bool {
	v.probe = math.Inf(-1)
	n, bits := len(v.w), v.S.Factors.Bits
	exponents, fractions := make([]int, n), make([]float64, n)
	for i, w := range v.w {
		e := math.Floor(w * rules.BitsPerDigit)
		exponents[i], fractions[i] = int(e), math.Exp2(w*rules.BitsPerDigit-e)
	}
	for k := range probes {
		p, e := mp.New(n, bits), mp.New(n, bits)
		p.SetFloat64s(v.randomRoundings(fractions, uint64(k)))
		p.Shift(exponents)
		v.measure(p, bits)
		for r, goal := p, v.eta-probeDecades; v.eta > goal; {
			before := v.eta
			v.add(e, v.S.Factors.Solve(r))
			r = v.residual(e, p)
			if v.measure(r, bits); v.eta-before > idleStep || v.Ctx.Err() != nil {
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

// add adds d to z.
func (v *factored) add(z, d *mp.Vec) { z.Axpy(v.S.Pool, big.NewFloat(1), d) }

// weigh sets the weights and the size of x to those for z.
func (v *factored) weigh(z *mp.Vec) {
	v.size = largest(z, v.by.Col)
	size := largest(z, make([]int, z.Len()))
	for i := range v.w {
		a, b := v.sums[i]+size, log10At(v.b, i)
		v.w[i] = max(a, b) + math.Log10(1+math.Pow(10, -math.Abs(a-b)))
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

// largest returns log10 max |v_i| 2^by[i].
func largest(v *mp.Vec, by []int) float64 {
	most := math.Inf(-1)
	for i, e := range by {
		most = max(most, log10At(v, i)+float64(e)/rules.BitsPerDigit)
	}
	return most
}
