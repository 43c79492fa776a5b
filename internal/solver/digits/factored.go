package digits

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
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
// is, with its weights and its probe for the scaled system, and norms of D_c d beside x = D_c z.
type factored struct {
	Estimation
	result *solve.Precise
	by     csr.Scaling // D_r, D_c
	a      *mp.Matrix  // D_r A D_c
	b, z   *mp.Vec     // D_r b, z
	sums   []float64   // log10 of the row sums of |D_r A D_c|
	why    string      // why there are no factors yet

	w      []float64 // log10 of the weights of the rows
	size   float64   // log10 ||x||_inf
	probe  float64   // log10 of the size of D_c e beside x, for the e of weights times N(0,1)
	eta    float64   // log10 rms(r_i/w_i)
	most   float64   // log10 max r_i/w_i
	change float64   // log10 of the last step beside x
}

// factorBits are the precisions of the factors: the least for each number of limbs.
var factorBits = [...]int{106, 212, 424, 848, mp.MaxBits}

// looksFrom is the index in factorBits before which elimination modulo primes shows whether A is singular: it takes as long as 300 bits.
const looksFrom = 2

// Factored solves by factors of multiple precision, the fewest bits first, if the solve so far has failed for another reason than the end
// of the context. changed says that x has to be judged again.
func (a Estimation) Factored() (changed bool, err error) {
	if a.Reason == krylov.Converged || a.Reason == krylov.ZeroRHS || a.Ctx.Err() != nil || a.S.Opt.Digits <= 0 ||
		a.S.Job != nil || a.S.Opt.Device != nil || a.S.Rows() > rules.FactorRows {
		return false, nil
	}
	start := time.Now()
	defer func() { a.Spent.Estimating += time.Since(start) }()
	v := newFactored(a)
	before := a.Reason.String()
	if a.Precise != nil {
		before = a.Precise.Why
	}
	if err = v.run(); err == nil && v.z != nil {
		err = v.conclude()
	}
	switch p := v.result; {
	case a.Ctx.Err() != nil:
		a.Reason = krylov.Ended(a.Ctx)
		return false, nil
	case err != nil:
		return false, err
	case v.z == nil || p.Believed == 0:
		v.why = cmp.Or(v.why, p.Why, "A is too ill-conditioned")
		a.NoFactors = v.why
		a.S.Say("digits no factors of multiple precision as the last resort: %s", v.why)
		return false, nil
	default:
		p.Time = time.Since(start)
		a.S.Say("digits LU factors in %d bits as the last resort, since float64 does not suffice (%s); condition about %v",
			a.S.Factors.Bits(), before, power(v.probe))
		v.adopt()
		return true, nil
	}
}

// power returns 10^e as text.
func power(e float64) string { return fmt.Sprintf("1e%+03.0f", e) }

// newFactored prepares to factor.
func newFactored(a Estimation) *factored {
	n, given := len(a.X), a.S.Given
	v := &factored{Estimation: a, by: csr.BothScaling(given, a.S.Pool), sums: make([]float64, n), b: mp.New(n, mp.MaxBits)}
	v.a = mp.NewScaledMatrix(a.S.Pool, v.by, a.S.Parts()...)
	for i := range n {
		cols, vals := given.Row(i)
		for k, j := range cols {
			v.sums[i] += math.Ldexp(math.Abs(vals[k]), v.by.Row[i]+v.by.Col[j])
		}
		v.sums[i] = Log10(v.sums[i], 0)
	}
	for _, part := range v.givenParts() {
		v.b.AddScaled(part, 0)
	}
	v.b.Shift(v.by.Row)
	v.result = &solve.Precise{Asked: a.S.Opt.Digits, Bound: math.NaN(), Error: math.Inf(1)}
	return v
}

// givenParts returns the parts of b in the order given.
func (a Estimation) givenParts() [][]float64 { return append([][]float64{a.Given}, a.S.LowerB...) }

// run factors in more and more bits until refinement with the factors converges.
func (v *factored) run() error {
	s := v.S
	if s.Factors != nil {
		if v.solve(); v.z != nil {
			return nil
		}
	}
	for k, bits := range factorBits {
		if s.Factors != nil && bits <= s.Factors.Bits() {
			continue
		}
		s.Factors = nil // their memory is wanted
		if k == looksFrom {
			s.Opt.Stage("looking whether the matrix is singular")
			if singular, err := mp.Singular(v.Ctx, s.Pool, s.Parts()...); singular || err != nil {
				v.why = "A is singular, as elimination modulo two primes shows"
				return err
			}
		}
		if need := mp.LUBytes(s.Rows(), bits) + 16*mp.Bytes(s.Rows(), mp.MaxBits); s.Tight(need) {
			v.why = fmt.Sprintf("factors in %d bits take %s more than the memory limit allows", bits, humanize.Bytes(uint64(s.SolveBytes()+need-s.Opt.MaxMemory)))
			return nil
		}
		f, err := mp.FactorLU(v.Ctx, s.Pool, bits, v.by, func(share float64) {
			s.Opt.Stage(fmt.Sprintf("LU factors in %d bits: %.0f %%", bits, 100*math.Pow(share, 2)))
		}, s.Parts()...)
		if errors.Is(err, mp.ErrFactors) {
			continue
		}
		if err != nil {
			return err
		}
		s.Factors = f
		if v.solve(); v.z != nil || v.Ctx.Err() != nil {
			return v.Ctx.Err()
		}
	}
	v.why = fmt.Sprintf("A is too ill-conditioned for factors in %d bits", mp.MaxBits)
	return nil
}

// conclude computes the errors of x, corrects the estimate by them, and counts digits.
func (v *factored) conclude() (err error) {
	p := v.result
	x := mp.New(v.z.Len(), v.z.Bits())
	x.Copy(v.z)
	x.Shift(v.by.Col)
	p.X = x
	if p.Errors, err = verify.Precisely(v.S.Parts(), x.Number, v.givenParts(), nil, p.Bits, v.S.Pool); err != nil {
		return err
	}
	if seen := max(v.asGiven(), leastError(p)); p.Errors.Row > seen {
		p.Error += p.Errors.Row - seen
	}
	p.Error = max(p.Error, leastError(p))
	if lost := v.truncated(); lost > p.Error {
		p.Error, p.Why = lost, "elements of A and b are kept to a limited number of bits, and not below 4.9e-324"
	}
	if p.Believed = preciseDigits(p.Error); v.size > Log10(math.MaxFloat64, 0) {
		p.Believed, v.why = 0, "x is beyond the range of float64; multiply b by a power of two"
	}
	for i := range x.Len() {
		if log10At(x, i) >= v.size+p.Error+float64(p.Asked) {
			p.Elements++
		}
	}
	return nil
}

// asGiven returns the log10 of the row-wise error of the system as given.
func (v *factored) asGiven() float64 {
	most := math.Inf(-1)
	r := v.residual(v.z, v.b)
	sums := v.S.Order.Back(v.S.AbsSums())
	for i := range r.Len() {
		unit := float64(v.by.Row[i]) / rules.BitsPerDigit
		w := logSum(Log10(min(sums[i], math.MaxFloat64), 0)+v.size, log10At(v.b, i)-unit)
		most = max(most, log10At(r, i)-unit-w)
	}
	return most
}

// truncated returns the log10 of the error from elements of A and b that sums of float64 do not hold to all digits: the last of them is
// rounded, or what is left is below the least float64. It is -Inf where the sums hold all.
func (v *factored) truncated() float64 {
	most := math.Inf(-1)
	if v.S.InputBits > 0 {
		most = Log10(1, -v.S.InputBits)
	}
	if v.tiny() {
		z := largest(v.z, nil) + Log10(float64(v.z.Len()), slices.Max(v.by.Col))
		for i, row := range v.by.Row {
			most = max(most, Log10(1, leastExponent+row)+logSum(0, z)-v.w[i])
		}
	}
	return v.probe + most
}

// leastExponent is the exponent of half of the least float64.
const leastExponent = -1075

// tiny reports whether lower parts have elements so small that something may be missing below the least float64.
func (v *factored) tiny() bool {
	small := func(a float64) bool { return a != 0 && math.Abs(a) < 0x1p-900 }
	for _, part := range v.S.Opt.Lower {
		if slices.ContainsFunc(part.Val, small) {
			return true
		}
	}
	return slices.ContainsFunc(v.S.LowerB, func(part []float64) bool { return slices.ContainsFunc(part, small) })
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
	if rules.Precise(a.S.Opt) {
		a.Precise = p
		return
	}
	a.Digits.Error = max(a.Digits.Error, rules.Roundoff)
	a.Digits.Believed = digitsOf(a.Digits.Error)
}
