package solve

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/dd"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// projections is the number of left null vectors that are sought by complete factors.
const projections = 3

// projectedNull returns what is left in the left null space of arbitrary vectors g, by complete
// factors M of the scaled transpose, if those are cheap. Where elimination meets a pivot that
// vanishes it puts another one there: M = A' + s e_k e_k'. Then, with v A' = 0,
//
//	y = g - M^-1 A' g  has  A' y = s e_k (M^-1 A' g)_k,  and  0 = v A' g = v_k s (M^-1 A' g)_k,
//
// so that y is a null vector but for roundings; repeated, with A'y in double-double arithmetic, it is
// one to the rounding of its elements, whatever the condition of the rest of A.
func (a *answer) projectedNull() [][]float64 {
	t := a.s.given.Transpose(a.s.pool)
	scaling := csr.BothScaling(t, a.s.pool)
	t = scaling.Apply(t, a.s.pool)
	nnz := float64(t.NNZ())
	opt := precond.Options{MaxWork: completing * max(firstBudget, leastBudget/nnz)}
	if a.s.small() {
		opt.MaxWork = max(opt.MaxWork, smallWork)
	}
	if limit := a.s.opt.MaxMemory; limit > 0 {
		opt.MaxBytes = max(1, limit-a.s.memory()-t.Bytes())
	}
	factors, err := precond.New(a.ctx, precond.LU, t, opt, a.s.pool)
	if err != nil {
		return nil
	}
	var found [][]float64
	for k := range projections {
		y := signs(t.Rows, uint64(k))
		for range 1 + nullRefinements {
			if a.ctx.Err() != nil {
				return nil
			}
			a.project(t, factors, y)
		}
		if v := absMax(y); v > 0 && finite(v) {
			for i := range y {
				y[i] = csr.Ldexp(y[i], scaling.Col[i])
			}
			large := slices.Clone(y)
			chop(large)
			found = append(found, y, large) // what is left of zeros is no equation
		}
	}
	return found
}

// project sets y to y - M^-1 m y, with a largest element near 1.
func (a *answer) project(m *csr.Matrix, factors precond.Preconditioner, y []float64) {
	r, d := make([]float64, len(y)), make([]float64, len(y))
	a.vectors.Ranges(func(lo, hi int) {
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
	largest := a.vectors.Max(func(lo, hi int) (most float64) {
		for i := lo; i < hi; i++ {
			y[i] -= d[i]
			most = max(most, math.Abs(y[i]))
		}
		return most
	})
	e := csr.Exponent(largest)
	a.vectors.Ranges(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			y[i] = csr.Ldexp(y[i], -e)
		}
	})
}
