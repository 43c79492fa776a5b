// Package verify measures how well x solves A x = b, from A, x and b alone.
// The residual is accumulated in double-double arithmetic, so that it is accurate to
// working precision despite cancellation, and exactly where A x is so large beside b that this
// does not do.
//
// With T_i = sum_j |a_ij| and r = b - A x, the backward errors are
//
//	row-wise       max_i |r_i| / (T_i ||x||_inf + |b_i|)
//	normwise       ||r||_inf / (||A||_inf ||x||_inf + ||b||_inf)
//	componentwise  max_i |r_i| / (|A||x| + |b|)_i
//
// with 0/0 = 0: the smallest relative perturbation of the rows, of the whole, or of
// the entries of A and b that makes x an exact solution ([Higham02], theorems
// 7.1 and 7.3). The normwise error does not see rows much smaller than the largest,
// therefore the row-wise error is the one that mpsolve uses by default.
//
// Numbers are scaled by powers of two on the fly, so neither products nor denominators
// overflow or vanish for matrices and vectors of any magnitude, whatever the spread of their
// elements.
package verify

import (
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Errors are the backward errors and the relative residual of an x.
type Errors struct {
	Row              float64 `json:"row"`
	Normwise         float64 `json:"normwise"`
	Componentwise    float64 `json:"componentwise"`
	RelativeResidual float64 `json:"relative_residual"` // ||r||_2 / ||b||_2
}

// infinite are the errors of an x that is no number.
var infinite = Errors{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)}

// blockRows is the number of rows that one parallel part covers: few, so that threads have equal shares of small systems.
const blockRows = 256

// Compute returns the errors of x (length Cols) for the right-hand side b
// (length Rows), on the threads of pool (nil: serially). A NaN or Inf in x, or in
// a product with it, makes the errors +Inf.
func Compute(m *csr.Matrix, x, b []float64, pool *parallel.Pool) (Errors, error) {
	s, errors, err := check(m, x, b, pool)
	if s == nil {
		return errors, err
	}
	all := measureAll(s, pool)
	return all.errors(), nil
}

// check returns the system to measure, or the outcome if there is nothing to measure.
func check(m *csr.Matrix, x, b []float64, pool *parallel.Pool) (*system, Errors, error) {
	if len(x) != m.Cols || len(b) != m.Rows {
		return nil, Errors{}, fmt.Errorf("verify: %d x %d matrix with x of %d and b of %d elements",
			m.Rows, m.Cols, len(x), len(b))
	}
	for _, v := range x {
		if v-v != 0 {
			return nil, infinite, nil
		}
	}
	return newSystem(m, x, b, pool), Errors{}, nil
}

// measureAll gathers all rows.
func measureAll(s *system, pool *parallel.Pool) partial {
	all := gather(s, pool, func(p *partial, lo, hi int) {
		if q, ok := s.measurePlain(lo, hi); ok {
			*p = q
			return
		}
		for i := lo; i < hi; i++ {
			p.add(s.row(i))
		}
	})
	if s.huge(&all) {
		return s.measureExactly(all, pool)
	}
	return all
}

// gather merges what add adds of the rows lo to hi-1, in parts that depend on the matrix, and its domains, alone.
func gather[P any, F interface {
	merge(P)
	fielded[P]
}](s *system, pool *parallel.Pool, add func(p *P, lo, hi int)) (all P) {
	sums := make([]P, len(s.own))
	for d, own := range s.own {
		blocks := (own[1] - own[0] + blockRows - 1) / blockRows
		parts := make([]P, blocks)
		pool.Each(blocks, func(k int) {
			lo := own[0] + k*blockRows
			add(&parts[k], lo, min(lo+blockRows, own[1]))
		})
		for _, p := range parts {
			F(&sums[d]).merge(p)
		}
	}
	for _, p := range partials[P, F](s.over, sums) {
		F(&all).merge(p)
	}
	return all
}

// partial gathers rows: maxima of the ratios, and the norms of the others.
type partial struct {
	row, componentwise float64
	residual, b        scaled // inf-norms
	normAx             scaled
	residual2, b2      sumSquares

	// Of |r_i|/T_i and |b_i|/T_i, see Judge.
	unexplained, explained scaled
	least                  scaled // nonzero |b_i|/T_i; 0: none

	absAx2 sumSquares // of |A||x|
}

func (p *partial) add(r row) {
	p.row = math.Max(p.row, r.error(r.normAx))
	p.componentwise = math.Max(p.componentwise, r.error(r.absAx))
	p.residual = p.residual.max(r.residual)
	p.b = p.b.max(r.b)
	p.normAx = p.normAx.max(r.normAx)
	p.residual2.add(r.residual)
	p.b2.add(r.b)
	p.unexplained = p.unexplained.max(r.perT(r.residual))
	p.explained = p.explained.max(r.perT(r.b))
	p.least = p.least.leastNonzero(r.perT(r.b))
	p.absAx2.add(r.absAx)
}

func (p *partial) merge(q partial) {
	p.row = math.Max(p.row, q.row)
	p.componentwise = math.Max(p.componentwise, q.componentwise)
	p.residual = p.residual.max(q.residual)
	p.b = p.b.max(q.b)
	p.normAx = p.normAx.max(q.normAx)
	p.residual2.merge(q.residual2)
	p.b2.merge(q.b2)
	p.unexplained = p.unexplained.max(q.unexplained)
	p.explained = p.explained.max(q.explained)
	p.least = p.least.leastNonzero(q.least)
	p.absAx2.merge(q.absAx2)
}

// rounding are the errors that rounding x to float64 with a unit roundoff of u may leave, |r_i| <= u (|A||x|)_i.
func (p *partial) rounding(u float64) Errors {
	return Errors{u, u, u, u * p.absAx2.sqrt().over(p.b2.sqrt())}
}

// roundoff is the unit roundoff of float64.
const roundoff = 0x1p-53

// roundoff returns the relative rounding error of the largest element of x, which is larger if this element is subnormal: a
// multiple of 2^-1074.
func (s *system) roundoff() float64 {
	if s.xmax == 0 {
		return roundoff
	}
	return max(roundoff, math.Ldexp(1/s.xmax, -1075-s.ex))
}

func (p *partial) errors() Errors {
	return Errors{
		Row:              p.row,
		Componentwise:    p.componentwise,
		Normwise:         p.residual.over(p.normAx.plus(p.b)),
		RelativeResidual: p.residual2.sqrt().over(p.b2.sqrt()),
	}
}
