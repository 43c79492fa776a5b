package solve

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/dd"
	"github.com/mpsolve/mpsolve/pkg/krylov"
)

// Evidence is a combination y of the equations that shows that A x = b has no solution:
// where y^T A = 0 and y^T b != 0, no x can satisfy y^T A x = y^T b. In float64 y^T A is
// zero to rounding.
type Evidence struct {
	Y        []float64 // the combination
	Null     float64   // max_j |y^T A|_j / (|y|^T |A|)_j
	Product  float64   // |y^T b| / |y|^T |b|
	Smallest float64   // no x with an exact residual of zero has a smaller ||x||_inf
}

// What counts as zero to rounding, for n equations, and as far from it.
const (
	nullTol    = 0x1p-50 // times sqrt(n)
	productTol = 0x1p-30
)

// shows reports whether y is evidence.
func (v Evidence) shows(n int) bool {
	return v.Null <= nullTol*math.Sqrt(float64(n)) && v.Product >= productTol
}

// denseRows is the number of rows up to which a null vector is found by elimination.
const denseRows = 400

// seekEvidence looks for evidence where x explains nothing, and gives the reason that follows.
func (a *answer) seekEvidence() (err error) {
	if a.s.job != nil {
		err = a.seekEvidenceOverDomains()
	} else {
		err = a.seekAllEvidence()
	}
	if a.evidence != nil {
		a.reason = krylov.Inconsistent
		a.s.say("verdict inconsistent: a combination y of the equations has |y'A| of %.1e of its terms and |y'b| of %.1e", a.evidence.Null, a.evidence.Product)
	}
	return err
}

// seekAllEvidence looks for it by all means, of which the cheapest come first.
func (a *answer) seekAllEvidence() (err error) {
	if a.s.given.Rows <= denseRows {
		a.weighAll(leftNullVectors(a.s.given))
	}
	if a.evidence == nil { // also where elimination is not accurate enough
		a.weighAll(a.projectedNull())
	}
	if a.evidence == nil && a.ctx.Err() == nil {
		var found [][]float64
		found, err = a.inverseIteration()
		a.weighAll(found)
	}
	return err
}

// weighAll keeps the vector that is the strongest evidence.
func (a *answer) weighAll(found [][]float64) {
	if v := strongest(a.s.given, a.given, found); a.believes(v) {
		a.evidence = v
	}
}

// believes reports whether there is evidence that counts. Against a solve that met the
// tolerance it must show more than that lets pass, unless an equation is missed by as much as
// its own terms.
func (a *answer) believes(v *Evidence) bool {
	return v != nil && (!a.reason.Converged() || a.Componentwise > 0.1 || v.Product > unconfirmedResidual*a.s.opt.Tol)
}

// strongest returns the clearest evidence among these y; nil: none shows anything.
func strongest(m *csr.Matrix, b []float64, found [][]float64) (best *Evidence) {
	for _, y := range found {
		if v := weigh(m, y, b); v.shows(len(y)) && (best == nil || v.Product > best.Product) {
			best = &v
		}
	}
	return best
}

// weigh returns what y shows, in double-double arithmetic.
func weigh(m *csr.Matrix, y, b []float64) Evidence {
	sums := make([]dd.DD, m.Cols)
	terms := make([]float64, m.Cols)
	var yb dd.DD
	abs := 0.0
	for i, v := range y {
		cols, vals := m.Row(i)
		for k, j := range cols {
			sums[j] = sums[j].AddProd(v, vals[k])
			terms[j] += math.Abs(v * vals[k])
		}
		yb = yb.AddProd(v, b[i])
		abs += math.Abs(v * b[i])
	}
	worst, sum := 0.0, 0.0
	for j, s := range sums {
		r := math.Abs(s.Float())
		if r > 0 {
			worst = max(worst, r/terms[j])
		}
		sum += r
	}
	product := math.Abs(yb.Float())
	return Evidence{Y: y, Null: worst, Product: product / abs, Smallest: product / sum}
}

// inverseRounds is the number of steps of inverse iteration.
const inverseRounds = 3

// inverseIteration returns an approximation of a left null vector: A^T y = g, with the y
// of one step, scaled, as the g of the next. Its work is limited as that of the solve.
func (a *answer) inverseIteration() ([][]float64, error) {
	opt := krylov.Options[vector]{Tol: 0x1p-51, MaxIter: max(furtherIter, 2*a.solved.Iterations)}
	if a.transposed() {
		sums := a.s.absSums()
		return a.iterateInversely(a.s.Order, opt, func(y, g []float64, opt krylov.Options[vector]) (krylov.Result, error) {
			return a.s.refiner.rowwise(a.ctx, y, g, sums, opt)
		})
	}
	t, err := New(a.ctx, a.s.given.Transpose(a.s.pool), Options{ // the default ones: those of the solve may be why it stopped
		Tol: opt.Tol, Digits: NoDigits, MaxIter: opt.MaxIter,
		Threads: a.s.opt.Threads, MaxMemory: a.s.opt.MaxMemory, ordinary: true,
	})
	if err != nil {
		return nil, nil //nolint:nilerr // there is no evidence then
	}
	defer t.Close()
	return a.iterateInversely(t.Order, opt, func(y, g []float64, opt krylov.Options[vector]) (krylov.Result, error) {
		return t.refiner.refine(a.ctx, y, g, opt)
	})
}

// transposed reports whether A is its own transpose, and solving with it has converged.
func (a *answer) transposed() bool { return a.s.Facts.Asymmetry == 0 && a.solved.Reason.Converged() }

// signs are those of vectors like x, by the numbers of rows.
func (a *answer) signs() []float64 {
	y := a.vectors.New()
	a.vectors.Ranges(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			y[i] = sign(a.row(i), 0)
		}
	})
	return y
}

// iterateInversely does the steps by what solves A^T y = g, in an order of the unknowns.
func (a *answer) iterateInversely(
	order Ordering, opt krylov.Options[vector], solve func(y, g []float64, opt krylov.Options[vector]) (krylov.Result, error),
) ([][]float64, error) {
	y := order.forth(a.signs())
	for range inverseRounds {
		if a.ctx.Err() != nil {
			break
		}
		g := a.vectors.New()
		copy(g, y)
		e := csr.Exponent(a.vectors.AbsMax(g))
		for i := range g {
			g[i] = csr.Ldexp(g[i], -e)
		}
		if _, err := solve(y, g, opt); err != nil {
			return nil, err
		}
		if v := a.vectors.AbsMax(y); v == 0 || !finite(v) { // the step before has come far enough for this one to fail
			copy(y, g)
			break
		}
	}
	e := csr.Exponent(a.vectors.AbsMax(y))
	for i := range y {
		y[i] = csr.Ldexp(y[i], -e)
	}
	return [][]float64{order.back(y)}, nil
}

// signs is a vector of +1 and -1 in no order, another one for each k.
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
