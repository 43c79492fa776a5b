package special

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Bounds for Evidence: Null is zero to rounding, for n equations, and Product is far from zero.
const (
	nullTol    = 0x1p-50 // times sqrt(n)
	productTol = 0x1p-30
)

// Shows reports whether v is evidence, for n equations.
func Shows(v solve.Evidence, n int) bool {
	return v.Null <= nullTol*math.Sqrt(float64(n)) && v.Product >= productTol
}

// EvidenceSearch looks for evidence that a system has no solution.
type EvidenceSearch struct {
	*refine.Solution
	Make  maker
	Brief bool // without inverse iteration, which takes longer than the solve
}

// Contradicted reports whether it is plain before a solve that b contradicts A, and sets the reason then: equations of a structurally singular matrix have fewer
// unknowns than equations, or the sum of those without a diagonal element, such as of continuity, is zero.
func (a EvidenceSearch) Contradicted() bool {
	if a.S.Job != nil || a.S.Facts.DiagonalZero == 0 {
		return false
	}
	v := a.overdetermined()
	if v == nil {
		v = strongest(a.S.Given, a.Given, [][]float64{a.continuity()})
	}
	if v == nil || v.Product <= UnconfirmedResidual*a.S.Opt.Tol {
		return false
	}
	a.Evidence = v
	a.inconsistent()
	return true
}

// Certain reports whether a combination y of the equations that complete factors find is exactly zero, and contradicts b: no x is needed to judge that.
func (a EvidenceSearch) Certain() bool {
	var tried [][]int32
	for _, y := range a.projectedNull() {
		for _, v := range []*solve.Evidence{strongest(a.S.Given, a.Given, [][]float64{y}), a.supported(y, &tried)} {
			if v != nil && v.Null == 0 && v.Product > UnconfirmedResidual*a.S.Opt.Tol {
				return true
			}
		}
	}
	return false
}

// inconsistent sets the reason by the evidence.
func (a EvidenceSearch) inconsistent() {
	a.Reason = krylov.Inconsistent
	a.S.Say("verdict inconsistent: a combination y of the equations has |y'A| of %.1e of its terms and |y'b| of %.1e", a.Evidence.Null, a.Evidence.Product)
}

// SeekEvidence looks for evidence, and sets the reason to krylov.Inconsistent if there is any.
func (a EvidenceSearch) SeekEvidence() (err error) {
	if a.S.Job != nil {
		err = a.seekEvidenceOverDomains()
	} else {
		err = a.seekAllEvidence()
	}
	if a.Evidence != nil {
		a.inconsistent()
	}
	return err
}

// seekAllEvidence looks for evidence by all means, the cheapest first. After a solve that failed, the transposed system would fail as well.
func (a EvidenceSearch) seekAllEvidence() error {
	among := func(find func() [][]float64) func() *solve.Evidence {
		return func() *solve.Evidence { return strongest(a.S.Given, a.Given, find()) }
	}
	for _, means := range []func() *solve.Evidence{
		a.overdetermined,
		among(a.plainNull),
		among(func() (found [][]float64) {
			if a.S.Given.Rows <= rules.DenseRows {
				found = LeftNullVectors(a.S.Given)
			}
			return found
		}),
		among(a.projectedNull), // also where elimination is not accurate enough
	} {
		if a.keep(means()); a.Evidence != nil || a.Ctx.Err() != nil {
			return nil
		}
	}
	if a.S.Given.Rows > rules.DenseRows && (a.failed() || a.Brief) {
		return nil
	}
	found, err := a.inverseIteration()
	var tried [][]int32
	for _, y := range found {
		large := slices.Clone(y)
		chop(large)
		a.keep(strongest(a.S.Given, a.Given, [][]float64{y, large}))
		a.keep(a.supported(y, &tried))
	}
	return err
}

// overdetermined returns the strongest evidence in the overdetermined part of A.
func (a EvidenceSearch) overdetermined() *solve.Evidence {
	return overdetermined(a.S.Given, a.Given, a.S.Overdetermined(), a.overdeterminedByFactors)
}

// failed reports whether no x meets the tolerance.
func (a EvidenceSearch) failed() bool { return !a.Reason.Converged() && a.Reason != krylov.Singular }

// keep keeps v if it is stronger than the evidence so far.
func (a EvidenceSearch) keep(v *solve.Evidence) {
	if a.believes(v) && (a.Evidence == nil || v.Product > a.Evidence.Product) && !a.refutes(v.Y) {
		a.Evidence = v
	}
}

// refutes reports whether x itself shows that y is no contradiction: y'A, which is zero but for roundings, times x accounts for most of y'b. That is so where
// b is far smaller than the terms of A x. After a solve that failed, what y'A x may be counts as well, if x explains b far better than the contradiction would let it: the
// residual of x has the size of its roundings.
func (a EvidenceSearch) refutes(y []float64) bool {
	if len(a.X) != len(y) {
		return false
	}
	x := a.S.Order.Back(a.X)
	var yb, yr dd.DD
	size := 0.0
	for i, v := range y {
		if v == 0 {
			continue
		}
		r := dd.From(a.Given[i])
		cols, vals := a.S.Given.Row(i)
		for k, j := range cols {
			r = r.AddProd(-vals[k], x[j])
		}
		yb, yr = yb.AddProd(v, a.Given[i]), yr.Add(r.Mul(dd.From(v)))
		size += math.Abs(v * a.Given[i])
	}
	half := math.Abs(yb.Float()) / 2
	if math.Abs(yr.Float()) < half {
		return true
	}
	if a.Reason.Converged() || !(a.RelativeResidual*size < explainsMore*half) {
		return false
	}
	product, _, _ := whole(a.S.Given, a.S.Pool).leftProduct(y)
	sum := 0.0
	for j, v := range product {
		sum += math.Abs(v.Float() * x[j])
	}
	return sum > half
}

// explainsMore is the relative residual of x, beside that of a contradiction, up to which x explains b far better.
const explainsMore = 1e-4

// believes reports whether v is evidence that counts. Against a solve that met the tolerance it must show more than the tolerance lets
// pass, unless x misses an equation by as much as the equation's own terms.
func (a EvidenceSearch) believes(v *solve.Evidence) bool {
	return v != nil && (!a.Reason.Converged() || a.Componentwise > 0.1 || v.Product > UnconfirmedResidual*a.S.Opt.Tol)
}

// strongest returns the strongest evidence among vectors y; nil: none is evidence. There may be hundreds, and y'A takes far longer than y'b.
func strongest(m *csr.Matrix, b []float64, found [][]float64) (best *solve.Evidence) {
	a, most := whole(m, nil), float64(productTol)
	for _, y := range found {
		if _, share := a.contradiction(y, b); share < most {
			continue
		}
		if v := a.weigh(y, b); Shows(v, len(y)) && (best == nil || v.Product > most) {
			best, most = &v, v.Product
		}
	}
	return best
}

// mostNamed is the number of equations or unknowns up to which they are named.
const mostNamed = 8

// named returns the places of the elements that are at least a share of the largest one; nil: there are more than mostNamed.
func named(size []float64, share float64) (places []int) {
	least := share * AbsMax(size)
	for i, v := range size {
		if v > least {
			if places = append(places, i); len(places) > mostNamed {
				return nil
			}
		}
	}
	return places
}

// inverseRounds is the number of steps of inverse iteration.
const inverseRounds = 3

// inverseIteration returns an approximation of a left null vector: each step solves A^T y = g, and its y, scaled, is the g of the next
// step. The limits of the solve apply.
func (a EvidenceSearch) inverseIteration() ([][]float64, error) {
	opt := krylov.Options[vector]{Tol: 0x1p-51, MaxIter: max(rules.FurtherIter, 2*a.Solved.Iterations)}
	if a.transposed() {
		sums := a.S.AbsSums()
		return a.iterateInversely(a.S.Order, opt, func(y, g []float64, opt krylov.Options[vector]) (krylov.Result, error) {
			return a.S.Refiner.Rowwise(a.Ctx, y, g, sums, opt)
		})
	}
	t, err := a.Make(a.Ctx, a.S.Given.Transpose(a.S.Pool), solve.Options{ // by default: the options of the solve may be why it stopped
		Accuracy: solve.Accuracy{Tol: opt.Tol, Digits: solve.NoDigits},
		Limits:   solve.Limits{MaxIter: opt.MaxIter, Threads: a.S.Opt.Threads, MaxMemory: a.S.Opt.MaxMemory},
	})
	if err != nil {
		return nil, nil //nolint:nilerr // there is no evidence then
	}
	defer t.Close()
	return a.iterateInversely(t.Of().Order, opt, func(y, g []float64, opt krylov.Options[vector]) (krylov.Result, error) {
		return t.Of().Refiner.Refine(a.Ctx, y, g, opt)
	})
}

// transposed reports whether A is symmetric, and the solve has converged.
func (a EvidenceSearch) transposed() bool {
	return a.S.Facts.Asymmetry == 0 && a.Solved.Reason.Converged()
}

// signs returns a vector of +1 and -1, by the numbers of the rows.
func (a EvidenceSearch) signs() []float64 {
	y := a.Vectors.New()
	a.Vectors.Ranges(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			y[i] = sign(a.Row(i), 0)
		}
	})
	return y
}

// iterateInversely does the steps of inverse iteration by a function that solves A^T y = g, in an order of the unknowns.
func (a EvidenceSearch) iterateInversely(
	order features.Ordering, opt krylov.Options[vector], solve func(y, g []float64, opt krylov.Options[vector]) (krylov.Result, error),
) ([][]float64, error) {
	y := order.Forth(a.signs())
	for range inverseRounds {
		if a.Ctx.Err() != nil {
			break
		}
		g := a.Vectors.New()
		copy(g, y)
		e := dd.Exponent(a.Vectors.AbsMax(g))
		for i := range g {
			g[i] = dd.Ldexp(g[i], -e)
		}
		if _, err := solve(y, g, opt); err != nil {
			return nil, err
		}
		if v := a.Vectors.AbsMax(y); v == 0 || !backend.Finite(v) { // the step before has come far enough for this one to fail
			copy(y, g)
			break
		}
	}
	e := dd.Exponent(a.Vectors.AbsMax(y))
	for i := range y {
		y[i] = dd.Ldexp(y[i], -e)
	}
	return [][]float64{order.Back(y)}, nil
}

// signs returns a vector of +1 and -1 without a pattern, another one for each k.
func signs(n int, k uint64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = sign(int64(i), k)
	}
	return v
}

func sign(i int64, k uint64) float64 {
	return float64(1 - 2*int((uint64(i+1)*0x9e3779b97f4a7c15*(2*k+1))>>63))
}

// UnconfirmedResidual is the multiple of the tolerance from which Judgement.Unexplained is suspect without confirmed digits, and from
// which a contradiction counts. For a solution of the size of b, Unexplained is near the tolerance.
const UnconfirmedResidual = 100
