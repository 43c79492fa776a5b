package special

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// projections is the number of left null vectors to find by complete factors.
const projections = 3

// projectedNull projects arbitrary vectors g onto the left null space, by complete factors M of the scaled transpose, if these are cheap.
// Elimination replaces a pivot that vanishes by another value: M = A' + s e_k e_k'. Then, with v A' = 0,
//
//	y = g - M^-1 A' g  has  A' y = s e_k (M^-1 A' g)_k,  and  0 = v A' g = v_k s (M^-1 A' g)_k,
//
// so that y is a null vector but for roundings. After repetitions, with A'y in double-double arithmetic, it is a null vector to
// the rounding of its elements, whatever the condition of the rest of A.
func (a EvidenceSearch) projectedNull() [][]float64 {
	t := a.S.Given.Transpose(a.S.Pool)
	scaling := csr.BothScaling(t, a.S.Pool)
	t = scaling.Apply(t, a.S.Pool)
	nnz := float64(t.NNZ())
	opt := precond.Options{Limits: precond.Limits{MaxWork: rules.Completing * max(rules.FirstBudget, rules.LeastBudget/nnz)}}
	if a.S.Small() {
		opt.MaxWork = max(opt.MaxWork, rules.SmallWork)
	}
	if limit := a.S.Opt.MaxMemory; limit > 0 {
		opt.MaxBytes = max(1, limit-a.S.SolveBytes()-t.Bytes())
	}
	factors, err := precond.New(a.Ctx, precond.LU, t, opt, a.S.Pool)
	if err != nil {
		return nil
	}
	var found [][]float64
	for k := range projections {
		y := signs(t.Rows, uint64(k))
		for range 1 + nullRefinements {
			if a.Ctx.Err() != nil {
				return nil
			}
			a.project(t, factors, y)
		}
		if v := AbsMax(y); v > 0 && backend.Finite(v) {
			for i := range y {
				y[i] = csr.Ldexp(y[i], scaling.Col[i])
			}
			large := slices.Clone(y)
			chop(large)
			found = append(found, y, large) // large has no elements that are zero but for rounding
		}
	}
	return found
}

// project sets y to y - M^-1 m y, with a largest element near 1.
func (a EvidenceSearch) project(m *csr.Matrix, factors precond.Preconditioner, y []float64) {
	r, d := make([]float64, len(y)), make([]float64, len(y))
	a.Vectors.Ranges(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			var sum dd.DD
			cols, vals := m.Row(i)
			for k, j := range cols {
				sum = sum.AddProd(vals[k], y[j])
			}
			r[i] = sum.Float()
		}
	})
	factors.Apply(d, r)
	largest := a.Vectors.Max(func(lo, hi int) (most float64) {
		for i := lo; i < hi; i++ {
			y[i] -= d[i]
			most = max(most, math.Abs(y[i]))
		}
		return most
	})
	e := csr.Exponent(largest)
	a.Vectors.Ranges(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			y[i] = csr.Ldexp(y[i], -e)
		}
	})
}
