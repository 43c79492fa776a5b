package precond

import (
	"fmt"
	"math"
)

const (
	// What fronts take up to fewMultiplications for a nonzero is so little that no other order is
	// looked for; otherwise they may take frontGain times as many as rows, which take so much
	// longer for one.
	fewMultiplications = 600
	frontGain          = 8
	// Up to quickRows multiplications, for up to quickNonzeros nonzeros, are about a hundredth of a
	// second by rows, which need no luck with pivots where the diagonal is not the diagonal of the matrix.
	quickRows     = 5e6
	quickNonzeros = 100_000
	// mostBackward is the largest row-wise backward error of a solve with fronts: an iteration or two
	// make up for it.
	mostBackward = 1e-9
)

// planLU returns the plan of fronts, or the plan of rows if it takes less.
func (s *setup) planLU(t *triangularBlocks) (*frontPlan, *luPlan, error) {
	var rows *luPlan
	if t.at.row != nil && s.m.NNZ() <= quickNonzeros {
		var err error
		if rows, err = t.plan(s); err != nil || rows.work.Multiplications <= quickRows {
			return nil, rows, err
		}
	}
	free := *s
	free.MaxWork = 0 // the other may take less
	p, err := t.planFronts(&free)
	if err != nil {
		return nil, nil, err
	}
	if p.work.Multiplications <= fewMultiplications*float64(s.m.NNZ()) {
		return p, nil, s.checkEstimate(p.work)
	}
	if rows == nil {
		if rows, err = t.plan(s); err != nil {
			return nil, nil, err
		}
	}
	if p.work.Multiplications > frontGain*rows.work.Multiplications {
		return nil, rows, s.checkEstimate(rows.work)
	}
	return p, rows, s.checkEstimate(p.work)
}

// vanishing says how many pivots were replaced.
const vanishing = "%s: vanishing pivots replaced by %.0e times the norm of their row: %d"

// newFrontLU factors in fronts; it returns nil, and says why, if that does not solve.
func (s *setup) newFrontLU(p *frontPlan) (Preconditioner, error) {
	var pivots staticPivots
	f, err := s.multifrontal(p, pivots.eliminate)
	if err != nil {
		return nil, err
	}
	order := "AMD order"
	if blocks := len(p.tree.blocks) - 1; blocks > 1 {
		order += fmt.Sprintf(", %d blocks", blocks)
	}
	c, err := s.newComplete(fmt.Sprintf("%s, %s", LU, order), p, f)
	if err != nil {
		return nil, err
	}
	if e := s.backward(c); !(e <= mostBackward) {
		s.logf("%s: pivots near the diagonal leave a backward error of %.0e: factored by rows, with any pivots", LU, e)
		return nil, s.interrupted()
	}
	if n := pivots.replaced.Load(); n > 0 {
		s.logf(vanishing, LU, replacement, n)
	}
	return c, nil
}

// backward is the row-wise backward error of x = M^-1 b, max |b - A x|_i / (|A| |x| + |b|)_i, for
// b = A y with elements of y that are 1 or -1, scaled as M scales columns.
func (s *setup) backward(c *complete) (worst float64) {
	n := s.m.Rows
	b, x := make([]float64, n), make([]float64, n)
	for k, j := range c.unknowns {
		x[j] = sign(k) * c.colScale[k]
	}
	s.m.MulVec(b, x)
	c.Apply(x, b)
	for i := range n {
		cols, vals := s.m.Row(i)
		r, size := b[i], math.Abs(b[i])
		for e, j := range cols {
			v := vals[e] * x[j]
			r -= v
			size += math.Abs(v)
		}
		if e := math.Abs(r) / size; !(e <= worst) && size > 0 {
			worst = e
		}
	}
	return worst
}
