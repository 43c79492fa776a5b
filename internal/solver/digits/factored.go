package digits

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/internal/mp"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// factored is iterative refinement with LU factors of multiple precision, the last resort where the condition of A is beyond float64:
//
//	z = D_c^-1 x,  r = D_r b - (D_r A D_c) z,  (L U) d = r,  z = z + d
//
// All vectors have more bits than the condition eats, and D_r and D_c are powers of two. The error is estimated as that of multiprecise
// is, with the weights and probes of the scaled system, and norms of D_c d beside x = D_c z.
type factored struct {
	Estimation
	result *solve.Precise
	by     csr.Scaling // D_r, D_c
	a      *mp.Matrix  // D_r A D_c
	b, z   *mp.Vec     // D_r b and z; z is nil without factors that suffice
	sums   []float64   // log10 of the row sums of |D_r A D_c|
	w      []float64   // log10 of the weights of the rows, T_i ||z||_inf + |b_i| for the scaled system

	size, probe, change float64 // log10 ||x||_inf, and of D_c e for a probe e and of D_c d beside it
	eta, most           float64 // log10 rms(r_i/w_i) and max |r_i|/w_i
}

// factorBits are the precisions of the factors.
var factorBits = [...]int{106, 212, 424, 848, mp.MaxBits}

// Factored solves by factors of multiple precision if the solve so far has failed for another reason than the end of the context.
// changed says that x has to be judged again.
func (a Estimation) Factored() (changed bool, err error) {
	if a.Reason == krylov.Converged || a.Reason == krylov.ZeroRHS || a.Ctx.Err() != nil || a.S.Opt.Digits <= 0 ||
		a.S.Job != nil || a.S.Opt.Device != nil || a.S.Rows() > rules.FactorRows {
		return false, nil
	}
	start, before := time.Now(), a.Reason.String()
	defer a.Clock(&a.Spent.Estimating)()
	if a.Precise != nil {
		before = a.Precise.Why
	}
	v := newFactored(a)
	why, err := v.run()
	if err == nil && v.z != nil {
		why, err = v.conclude()
	}
	switch {
	case a.Ctx.Err() != nil:
		a.Reason = krylov.Ended(a.Ctx)
		return false, nil
	case err != nil:
		return false, err
	case why != "":
		a.NoFactors = why
		a.S.Say("digits no factors of multiple precision as the last resort: %s", why)
		return false, nil
	}
	v.result.Time = time.Since(start)
	a.S.Say("digits LU factors in %d bits as the last resort, since float64 does not suffice (%s); condition about 1e%+03.0f",
		a.S.Factors.Bits, before, v.probe)
	v.adopt()
	return true, nil
}

// newFactored scales A and b.
func newFactored(a Estimation) *factored {
	n, given := len(a.X), a.S.Given
	v := &factored{
		Estimation: a, by: csr.BothScaling(given, a.S.Pool), sums: make([]float64, n), w: make([]float64, n), b: mp.New(n, mp.MaxBits),
		result: &solve.Precise{Asked: a.S.Opt.Digits, Bound: math.NaN()},
	}
	v.a = mp.NewScaledMatrix(a.S.Pool, v.by, a.S.Parts()...)
	for i := range n {
		cols, vals := given.Row(i)
		for k, j := range cols {
			v.sums[i] += math.Ldexp(math.Abs(vals[k]), v.by.Row[i]+v.by.Col[j])
		}
		v.sums[i] = Log10(v.sums[i], 0)
	}
	for _, part := range a.givenParts() {
		v.b.AddScaled(part, 0)
	}
	v.b.Shift(v.by.Row)
	return v
}

// givenParts returns the parts of b in the order given.
func (a Estimation) givenParts() [][]float64 { return append([][]float64{a.Given}, a.S.LowerB...) }

// run factors in more and more bits until refinement with the factors converges, or says why it does not.
func (v *factored) run() (why string, err error) {
	s := v.S
	if s.Factors != nil && v.refine() {
		return "", nil
	}
	for k, bits := range factorBits {
		s.Factors = nil // their memory is wanted
		if need := mp.LUBytes(s.Rows(), bits) + 16*mp.Bytes(s.Rows(), mp.MaxBits); s.Tight(need) {
			return fmt.Sprintf("factors in %d bits take %s more than the memory limit allows", bits, humanize.Bytes(uint64(s.SolveBytes()+need-s.Opt.MaxMemory))), nil
		}
		if k == 0 {
			s.Opt.Stage("looking whether the matrix is singular")
			if singular, err := mp.Singular(v.Ctx, s.Pool, s.Parts()...); singular || err != nil {
				return "A is singular, as elimination modulo two primes shows", err
			}
		}
		f, err := mp.FactorLU(v.Ctx, s.Pool, bits, v.by, func(columns int) {
			s.Opt.Stage(fmt.Sprintf("LU factors in %d bits: %d of %d columns", bits, columns, s.Rows()))
		}, s.Parts()...)
		if s.Factors = f; err != nil || f != nil && v.refine() {
			return "", err
		}
	}
	return fmt.Sprintf("A is too ill-conditioned for factors in %d bits", mp.MaxBits), nil
}

// conclude computes the errors of x and counts digits, or says why there are none.
func (v *factored) conclude() (why string, err error) {
	p, x := v.result, mp.New(v.z.Len(), v.z.Bits())
	x.Copy(v.z)
	x.Shift(v.by.Col)
	p.X = x
	if p.Errors, err = verify.Precisely(v.S.Parts(), x.Number, v.givenParts(), nil, p.Bits, v.S.Pool); err != nil {
		return "", err
	}
	p.Error = max(p.Error, p.Errors.Row, leastError(p)) // |A (x - x*)|_i is at most T_i ||x - x*||_inf
	if kept := v.probe - float64(v.S.InputBits)/rules.BitsPerDigit; v.S.InputBits > 0 && kept > p.Error {
		p.Error, p.Why = kept, fmt.Sprintf("the elements of these files are kept to %d bits", v.S.InputBits)
	}
	for i := range x.Len() {
		if log10At(x, i) >= v.size+p.Error+float64(p.Asked) {
			p.Elements++
		}
	}
	if p.Believed = preciseDigits(p.Error); p.Believed == 0 {
		return cmp.Or(p.Why, "the precision of x is exhausted"), nil
	}
	if v.size > Log10(math.MaxFloat64, 0) {
		return "x is beyond the range of float64; multiply b by a power of two", nil
	}
	return "", nil
}

// adopt makes x the x of the solve.
func (v *factored) adopt() {
	a, p := v.Estimation, v.result
	a.X = a.S.Order.Forth(rounded64(p.X.(*mp.Vec)))
	a.Digits.State, a.Digits.Believed = solve.DigitsBelieved, p.Believed
	a.Digits.Error = max(math.Pow(10, p.Error), math.SmallestNonzeroFloat64)
	a.Digits.Step, a.Digits.Condition = math.Pow(10, v.change), math.Pow(10, v.probe)
	a.Digits.Probe = rules.Roundoff * a.Digits.Condition
	if a.Reason = krylov.TooFewDigits; p.Believed >= p.Asked {
		p.Why, a.Reason = "", krylov.Converged
	}
	if a.Precise = p; !rules.Precise(a.S.Opt) {
		a.Precise, a.Digits.Error = nil, max(a.Digits.Error, rules.Roundoff)
		a.Digits.Believed = digitsOf(a.Digits.Error)
	}
}
