package precond

import (
	"cmp"
	"errors"
	"math"

	"github.com/mpsolve/mpsolve/internal/direct/order"
)

const (
	// mostQuick is the number of multiplications up to which a small matrix is factored row by row, in the order that is found first: some
	// hundredths of a second. Larger ones may take quickWork a nonzero. The diagonal of one of more than quickNonzeros is weak, so that otherwise rows
	// are matched with columns; of one of more than mostQuickNonzeros an order takes tenths of a second.
	mostQuick         = 1e7
	quickWork         = 50
	mostQuickNonzeros = 500_000
	// Where the diagonal is not weak, fronts mostly succeed, and take less time from mostBesideFronts multiplications or mostQuickRows rows on.
	mostBesideFronts = 3e6
	mostQuickRows    = 5000
	// quickShare is about what part of the multiplications that RowAMD allows for small matrices take: 0.13 to 0.4 of 12 matrices.
	quickShare = 0.15
	// An order for pivots on the diagonal is given up after quickSlack more multiplications than it allows for, about a millisecond, or when more
	// than one of mostOff pivots is off the diagonal.
	quickSlack = 1e6
	mostOff    = 8
)

var (
	errUnquick = errors.New("pivots off the diagonal fill too much")
	errFronts  = errors.New("fronts are expected to take less")
)

// quickLU factors a small matrix row by row, as it is: neither are its rows matched with its columns, nor are blocks looked for, which would take
// longer than the factors. An order is for pivots on the diagonal, or for any. It returns nil if none is quick, or solves.
func (s *setup) quickLU(orders ...bool) (Preconditioner, error) {
	exact := *s
	exact.Epsilon = 0x1p-53
	for _, diagonal := range orders {
		p, err := s.quickPlan(diagonal)
		if errors.Is(err, errFronts) {
			break
		}
		if err != nil {
			return nil, err
		}
		if p == nil {
			continue
		}
		c, err := exact.newRowLU(p)
		if errors.Is(err, errUnquick) || errors.Is(err, ErrWork) {
			continue
		}
		if err != nil || s.backwardFrom(c, signs(s.m.Rows)) <= mostBackward {
			return c, err
		}
	}
	return nil, s.interrupted()
}

// quickPlan orders a small matrix by AMD, for pivots on the diagonal, or by RowAMD, for any; nil if it is not small, if its diagonal is weak, or if
// that takes many multiplications. The error is errFronts where fronts are to be tried first.
func (s *setup) quickPlan(diagonal bool) (*luPlan, error) {
	a, n, nnz := s.m, s.m.Rows, s.m.NNZ()
	if n == 0 || nnz > mostQuickNonzeros {
		return nil, nil
	}
	weak, err := weakRows(a)
	if err != nil || weak == 0 && (n > mostQuickRows || nnz > quickNonzeros) || diagonal && float64(weak) > weakShare*float64(n) {
		return nil, err
	}
	most := max(mostQuick, quickWork*float64(nnz))
	name, kind, share := "AMD order", orderAMD, 1.0
	find := func() (order.Elimination, error) {
		return order.AMD(s.ctx, order.NewGraph(a, nil), order.Limit{Multiplications: most})
	}
	if !diagonal {
		name, kind, share = "order of A A^T", orderRows, quickShare
		find = func() (order.Elimination, error) {
			return order.RowAMD(s.ctx, a, order.Limit{Multiplications: most / quickShare})
		}
	}
	e, err := s.Kept.order(a, kind, find)
	switch {
	case errors.Is(err, order.ErrLimit):
		return nil, nil
	case err != nil:
		return nil, ErrInterrupted
	}
	p := &luPlan{bounds: []int{0, n}, diagonal: []bool{diagonal}, order: name}
	if p.work.add(e, share); p.work.Multiplications > most {
		return nil, nil
	}
	if diagonal && weak == 0 && p.work.Multiplications > mostBesideFronts {
		return nil, errFronts
	}
	if diagonal {
		p.most = p.work.Multiplications + quickSlack
	} else {
		p.work.Entries = 3 * e.Entries / 2 // two thirds of it in the larger factor
	}
	p.work.Bytes = storedBytes(int64(n), p.work.Entries, 8)
	p.a, p.at = a.Permuted(e.Order, e.Order.Inverse(), s.pool), placement{}.then(e.Order)
	return p, nil
}

// matched returns ErrSingular if no permutation gives the matrix a diagonal without zeros.
func (s *setup) matched() error {
	_, err := weakRows(s.m)
	return cmp.Or(err, newMatcher(s.ctx, s.m, s.pool).anyPaths())
}

// signs are elements that are 1 or -1.
func signs(n int) []float64 {
	x := make([]float64, n)
	for k := range x {
		x[k] = sign(k)
	}
	return x
}

// backwardFrom is the row-wise backward error of x = M^-1 b, max |b - A x|_i / (|A| |x| + |b|)_i, for b = A y. It overwrites y.
func (s *setup) backwardFrom(c Preconditioner, y []float64) (worst float64) {
	b := make([]float64, len(y))
	s.m.MulVec(b, y)
	c.Apply(y, b)
	for i := range b {
		cols, vals := s.m.Row(i)
		r, size := b[i], math.Abs(b[i])
		for e, j := range cols {
			v := vals[e] * y[j]
			r -= v
			size += math.Abs(v)
		}
		if size != 0 {
			worst = max(worst, math.Abs(r)/size)
		}
	}
	return worst
}
