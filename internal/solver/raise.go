package solver

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// raised is the exponent e of a system 2^e A x = 2^e b that a Solver solves in place of A x = b. The error of a product in double-double
// is exact only above 2^-1074, so that products of tiny numbers have fewer than 106 bits, and residuals are rounded early. Multiplication
// by a power of two is exact for numbers below 1, and changes neither x nor a relative error.
type raised int

// raisedTo is the exponent of the largest elements of a raised matrix. Matrices with larger ones stay as they are. So much remains up to 1
// that a b which overflows shows that x does.
const raisedTo = -100

// raise returns the exponent for m. The first larger element ends the search.
func raise(m *csr.Matrix) raised {
	most := 0.0
	for _, v := range m.Val {
		if most = max(most, math.Abs(v)); !(most < 0x1p-100) { // or NaN
			return 0
		}
	}
	if most == 0 {
		return 0
	}
	return raised(raisedTo - dd.Exponent(most))
}

// matrix returns 2^e m.
func (e raised) matrix(m *csr.Matrix) *csr.Matrix {
	if e == 0 {
		return m
	}
	out := *m
	out.Val = e.times(m.Val)
	return &out
}

// matrices returns 2^e m for each of the matrices.
func (e raised) matrices(of []*csr.Matrix) (out []*csr.Matrix) {
	for _, m := range of {
		out = append(out, e.matrix(m))
	}
	return out
}

// times returns 2^e v.
func (e raised) times(v []float64) []float64 {
	if e == 0 {
		return v
	}
	out := make([]float64, len(v))
	for i, a := range v {
		out[i] = dd.Ldexp(a, int(e))
	}
	return out
}

// tiny is a matrix that a Solver raises; with the exponent 0, one that stays as it is.
type tiny struct {
	raised
	given *csr.Matrix
}

// solve calls a function that solves for the raised matrix and b, and measures its x beside the numbers as given. A b that overflows is an
// error: no x of float64 explains an element of b that is 2^1124 times as large as all elements of A.
func (a tiny) solve(b []float64, pool *parallel.Pool, solveFor func(b []float64) (solve.Result, error)) (solve.Result, error) {
	if a.raised == 0 {
		return solveFor(b)
	}
	up := a.times(b)
	for i, v := range up {
		if math.IsInf(v, 0) {
			return solve.Result{}, rules.Invalid("element %d of b is %.1e, elements of A are at most %.1e: x is beyond the range of float64; multiply b by a power of two",
				i+1, b[i], math.Ldexp(1, raisedTo-int(a.raised)))
		}
	}
	r, err := solveFor(up)
	if err == nil && r.LeastSquares == nil {
		r.Errors, err = verify.Compute(a.given, r.X, b, pool)
	}
	return r, err
}
