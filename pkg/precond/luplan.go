package precond

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mpsolve/mpsolve/internal/direct/factor"
	"github.com/mpsolve/mpsolve/internal/direct/order"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// A luPlan is the input of LU: the matrix scaled and permuted, in blocks of a block
// lower triangular form, whose bounds are rows. In an upper triangular one, what is right
// of a block would be divided by its pivots, which were not chosen among it, and grow.
type luPlan struct {
	a        *csr.Matrix
	at       placement
	bounds   []int
	diagonal []bool // of each block: pivots are to be on the diagonal
	order    string // the name of the order of most rows
	work     factorWork
	most     float64 // multiplications that it may take; 0: any
}

// triangularBlocks are a matrix scaled, and its rows permuted, so that its diagonal has no zeros and is
// large, and an order to block lower triangular form.
type triangularBlocks struct {
	a      *csr.Matrix
	at     placement
	order  csr.Permutation
	bounds []int
	wide   bool // AMD takes more than the limit
}

// blocksLU brings A to block lower triangular form.
func (s *setup) blocksLU() (*triangularBlocks, error) {
	a, at, err := s.prepare(LU, false)
	if err != nil {
		return nil, err
	}
	order, bounds, err := strongComponents(s.ctx, a)
	if err != nil {
		return nil, ErrInterrupted
	}
	return &triangularBlocks{a: a, at: at, order: order, bounds: bounds}, nil
}

// oneBlock is the share of the rows from which on the largest block has the others in its fronts: solves go from block to block on one thread, and
// through the fronts of one block on all. A circuit with 3791 blocks takes half of the time, and 0.99 of the entries, a power flow with 9837 1.13 of them.
const oneBlock = 0.95

// largest is the size of the largest block.
func (t *triangularBlocks) largest() (most int) {
	for b := range len(t.bounds) - 1 {
		most = max(most, t.bounds[b+1]-t.bounds[b])
	}
	return most
}

// planFronts is the plan of fronts with pivots near the diagonal.
func (t *triangularBlocks) planFronts(s *setup) (*frontPlan, error) {
	var blockOf []int32
	if blocks := len(t.bounds) - 1; blocks > 1 && float64(t.largest()) < oneBlock*float64(t.a.Rows) {
		blockOf = make([]int32, t.a.Rows)
		for b := range blocks {
			for _, i := range t.order[t.bounds[b]:t.bounds[b+1]] {
				blockOf[i] = int32(b)
			}
		}
	}
	return s.planFronts(t.a, t.a.Transpose(s.pool), blockOf, t.at, nil)
}

const (
	// boundShare is about what part of the multiplications that an order for any pivots
	// allows for are needed, in the median of real matrices.
	boundShare = 0.5
	// slowRows is how many multiplications in dense fronts take as long as one row by row: 10 for 58,000 rows with weak diagonals.
	slowRows = 8
	// rowShare is how many multiplications in fronts take as long as one that such an order allows for.
	rowShare = boundShare * slowRows
)

// plan orders blocks to fill little, by AMD, with pivots on the diagonal, or RowAMD, whichever
// takes less time.
func (t *triangularBlocks) plan(s *setup) (*luPlan, error) {
	a, at, places, bounds := t.a, t.at, slices.Clone(t.order), t.bounds
	p := &luPlan{bounds: bounds, diagonal: make([]bool, len(bounds)-1)}
	count := map[string]int{}
	inBlock := marks(a.Rows)
	for b := range p.diagonal {
		block := places[bounds[b]:bounds[b+1]]
		p.diagonal[b] = true
		if len(block) < 3 {
			count["AMD"] += len(block)
			p.work.add(order.Elimination{Entries: int64(len(block) - 1), Multiplications: float64(len(block) - 1)}, 1)
			continue
		}
		sub := a
		if len(block) < a.Rows {
			sub = submatrix(a, block, inBlock)
		}
		e, diagonal, err := s.orderRows(sub, t.wide && 2*len(block) > a.Rows)
		if err != nil {
			return nil, s.orderError(err, s.MaxWork*float64(s.m.NNZ()))
		}
		name, share := "AMD", 1.0
		if !diagonal {
			name, share = "RowAMD", boundShare
		}
		p.diagonal[b] = diagonal
		count[name] += len(block)
		p.work.add(e, share)
		copy(block, permuted(block, e.Order))
	}
	p.order = "AMD order"
	if count["RowAMD"] > count["AMD"] {
		p.order = "order of A A^T"
	}
	if len(p.diagonal) > 1 {
		p.order += fmt.Sprintf(", %d blocks", len(p.diagonal))
	}
	if err := s.interrupted(); err != nil {
		return nil, err
	}
	p.a, p.at = a.Permuted(places, places.Inverse(), s.pool), at.then(places)
	p.work.Bytes = storedBytes(int64(a.Rows), p.work.Entries, width(s.Epsilon))
	return p, nil
}

// orderRows orders a block by AMD, with pivots on the diagonal, or by RowAMD, whichever takes less time. AMD is left out where it is known to take more
// than the limit.
func (s *setup) orderRows(block *csr.Matrix, wide bool) (e order.Elimination, diagonal bool, err error) {
	limit := s.orderLimit(rowShare)
	if err = order.ErrLimit; !wide {
		e, err = order.AMD(s.ctx, order.NewGraph(block, nil), s.orderLimit(1))
	}
	switch {
	case err == nil && fewMore(e, block):
		return e, true, nil
	case err == nil:
		limit.Multiplications = e.Multiplications / rowShare
	case !errors.Is(err, order.ErrLimit):
		return e, true, err
	}
	rows, other := order.RowAMD(s.ctx, block, limit)
	if errors.Is(other, order.ErrLimit) {
		return e, true, err
	}
	return rows, false, other
}

// lesser returns the second error, or the first if both are an order.Excess and the second is not known, or not less.
func lesser(first, second error) error {
	var a, b *order.Excess
	if errors.As(first, &a) && errors.As(second, &b) && (b.AtLeast || a.Work < b.Work) {
		return first
	}
	return second
}

// fewMore reports whether the factors have so few entries that no other order is worth
// looking for.
func fewMore(e order.Elimination, m *csr.Matrix) bool { return e.Entries <= 2*int64(m.NNZ()) }

// submatrix returns some rows and columns of m, in ascending order; in is -1 for all rows, and
// stays so.
func submatrix(m *csr.Matrix, order, in []int32) *csr.Matrix {
	for k, i := range order {
		in[i] = int32(k)
	}
	out := &csr.Matrix{Rows: len(order), Cols: len(order), RowPtr: make([]int64, 1, len(order)+1)}
	for _, i := range order {
		cols, vals := m.Row(int(i))
		for e, j := range cols {
			if in[j] >= 0 {
				out.Col, out.Val = append(out.Col, in[j]), append(out.Val, vals[e])
			}
		}
		out.RowPtr = append(out.RowPtr, int64(len(out.Col)))
	}
	for _, i := range order {
		in[i] = -1
	}
	return out
}

// permuted returns rows in an order.
func permuted(rows, order []int32) []int32 {
	out := make([]int32, len(order))
	for k, i := range order {
		out[k] = rows[i]
	}
	return out
}

const (
	// What fronts take up to fewMultiplications for a nonzero is so little that no order of rows is looked for, which takes 0.2 to 0.6 microseconds
	// a nonzero; otherwise they may take frontGain times as many as rows, which take so much longer for one.
	fewMultiplications = 4000
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
	p, err := t.planFronts(s)
	refused := err
	switch {
	case errors.Is(err, ErrWork): // rows may take less
		p, t.wide = nil, true
	case err != nil:
		return nil, nil, err
	case p.work.Multiplications <= fewMultiplications*float64(s.m.NNZ()):
		return p, nil, nil
	}
	if rows == nil {
		if rows, err = t.plan(s); err != nil && (p == nil || !errors.Is(err, ErrWork)) {
			return nil, nil, lesser(refused, err)
		}
	}
	if p == nil || rows != nil && p.work.Multiplications > frontGain*rows.work.Multiplications {
		return nil, rows, lesser(refused, s.checkEstimate(rows.work))
	}
	return p, rows, nil
}

// planAnyLU is the plan that LU begins with.
func (s *setup) planAnyLU() (*frontPlan, *luPlan, error) {
	if csr.Examine(s.m, s.pool).Symmetric {
		p, err := s.planIndefinite()
		return p, nil, err
	}
	for _, diagonal := range []bool{true, false} {
		p, err := s.quickPlan(diagonal)
		if errors.Is(err, errFronts) {
			break
		}
		if err != nil || p != nil && s.checkEstimate(p.work) == nil {
			return nil, p, err
		}
	}
	t, err := s.blocksLU()
	if err != nil {
		return nil, nil, err
	}
	return s.planLU(t)
}

// vanishing says how many pivots were replaced.
const vanishing = "%s: vanishing pivots replaced by %.0e times the norm of their row: %d"

// newFrontLU factors in fronts; it returns nil, and says why, if that does not solve to this row-wise backward error.
func (s *setup) newFrontLU(p *frontPlan, most float64) (Preconditioner, error) {
	order := p.tree.OrderedBy + " order"
	if blocks := p.tree.Blocks(); blocks > 1 {
		order += fmt.Sprintf(", %d blocks", blocks)
	}
	c, err := s.factored(LU, order, p, &factor.Rule{})
	if err != nil || !s.suffices(c, most) {
		return nil, err
	}
	return c, nil
}

// suffices reports whether a solve has at most that row-wise backward error, and says if not. Factors in FP32 were judged by their error.
func (s *setup) suffices(c *complete, most float64) bool {
	if c.Precision() == factor.FP32 {
		return true
	}
	e := s.backward(c)
	if e <= most {
		return true
	}
	s.logf("%s: pivots within fronts leave a backward error of %.0e: other pivots follow", c.name, e)
	return false
}

// backward is backwardFrom elements of y that are 1 or -1, scaled as M scales columns.
func (s *setup) backward(c *complete) float64 {
	x := make([]float64, s.m.Rows)
	for k, j := range c.Unknowns {
		x[j] = sign(k) * c.ColScale[k]
	}
	return s.backwardFrom(c, x)
}
