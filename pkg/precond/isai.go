package precond

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// isai has incomplete sparse approximate inverses of the factors of ILU(0), A ~ L U ([Anzt18]):
//
//	M^-1 = W_U W_L,  (W_L L)_ij = (W_U U)_ij = delta_ij,  i, j in the pattern of W_L or W_U,
//
// which is the pattern of a power of L or U. So where triangular solves would go through the rows one after the other,
// there are two products. Row i of W, with columns J, is w with w L_JJ = e_i: a small triangular system.
//
// If A is symmetric, L D L^T, M^-1 is W_L^T D^-1 W_L, which is symmetric too; D must be positive.
type isai struct {
	twoProducts
	entries int
}

const (
	defaultISAIPower = 2
	// maxISAIRow bounds the entries of a row of W: those nearest to the diagonal.
	maxISAIRow = 128
)

func newISAI(s setup) (Preconditioner, error) {
	if s.Symmetric {
		return equilibrated(newSymmetricISAI)(s)
	}
	f, at, err := s.zeroFill(ISAI)
	if err != nil {
		return nil, err
	}
	power := s.isaiPower()
	// Memory: both inverses, twice while they are stored.
	if err := s.checkMemory(2 * csr.Bytes(int64(2*s.m.Rows), f.entries()+int64(2*s.m.Rows))); err != nil {
		return nil, err
	}
	lower := s.inverseRows(len(f.d), func(k int, cols []int32, vals []float64) ([]int32, []float64) {
		return f.lowerInverse(k, power, cols, vals)
	})
	upper := s.inverseRows(len(f.d), func(k int, cols []int32, vals []float64) ([]int32, []float64) {
		return f.upperInverse(k, power, cols, vals)
	})
	factors := []Factor{
		{at.ofEquations(lower, s), s.Epsilon, adaptive.CW},
		{at.ofUnknowns(upper, s), s.Epsilon, adaptive.CW},
	}
	for _, w := range factors {
		if slices.ContainsFunc(w.Val, infinite) {
			return nil, fmt.Errorf("%w: entries of the inverses of its factors are not finite", ErrSingular)
		}
	}
	p, err := newTwoProducts(&s, factors)
	return &isai{p, lower.NNZ() + upper.NNZ()}, err
}

// newSymmetricISAI is M^-1 = G^T G, G = D^-1/2 W_L.
func newSymmetricISAI(s setup) (Preconditioner, error) {
	f, replaced, err := s.ilu0(s.m, nil, placement{})
	if err != nil {
		return nil, err
	}
	s.reportReplaced(ISAI, replaced)
	for k, d := range f.d {
		if !(d > 0) {
			return nil, fmt.Errorf("%w: found at row %d", ErrNotDefinite, k+1)
		}
	}
	if err := s.checkMemory(2 * csr.Bytes(int64(2*s.m.Rows), f.entries()+int64(2*s.m.Rows))); err != nil {
		return nil, err
	}
	power := s.isaiPower()
	g := s.inverseRows(len(f.d), func(k int, cols []int32, vals []float64) ([]int32, []float64) {
		first, scale := len(vals), 1/math.Sqrt(f.d[k])
		cols, vals = f.lowerInverse(k, power, cols, vals)
		for e := range vals[first:] {
			vals[first+e] *= scale
		}
		return cols, vals
	})
	factors, err := both(g, s.Epsilon, s.pool)
	if err != nil {
		return nil, err
	}
	p, err := newTwoProducts(&s, factors)
	return &isai{p, 2 * g.NNZ()}, err
}

func (p *isai) String() string { return fmt.Sprintf("%s, %d entries", ISAI, p.entries) }

// isaiPower is the power of L and U whose pattern their inverses have.
func (s *setup) isaiPower() int { return cmp.Or(s.Degree, defaultISAIPower) }

// inverseRows is the n x n matrix of the rows that row appends to what it is given.
func (s *setup) inverseRows(n int, row func(k int, cols []int32, vals []float64) ([]int32, []float64)) *csr.Matrix {
	w := &csr.Matrix{Rows: n, Cols: n, RowPtr: make([]int64, n+1)}
	bounds := csr.Panels(s.m)
	cols, vals := make([][]int32, len(bounds)-1), make([][]float64, len(bounds)-1)
	s.pool.RunRanges(bounds, func(panel, lo, hi int) {
		var c []int32
		var v []float64
		for k := lo; k < hi; k++ {
			before := len(c)
			c, v = row(k, c, v)
			w.RowPtr[k+1] = int64(len(c) - before)
		}
		cols[panel], vals[panel] = c, v
	})
	for k := range n {
		w.RowPtr[k+1] += w.RowPtr[k]
	}
	w.Col, w.Val = slices.Concat(cols...), slices.Concat(vals...)
	return w
}

// lowerInverse appends row k of W_L: the elements of w with w L_JJ = e_k; L has ones on its diagonal.
func (f *factors) lowerInverse(k, power int, cols []int32, vals []float64) ([]int32, []float64) {
	first := len(cols)
	cols = f.l.reach(k, power, cols)
	if excess := len(cols) - first - maxISAIRow + 1; excess > 0 {
		cols = slices.Delete(cols, first, first+excess)
	}
	cols = append(cols, int32(k))
	vals = append(vals, make([]float64, len(cols)-first)...)
	j, w := cols[first:], vals[first:]
	w[len(w)-1] = 1
	for e := len(j) - 1; e > 0; e-- {
		of, l := f.l.row(int(j[e]))
		subtract(w[:e], j[:e], w[e], of, l)
	}
	return cols, vals
}

// upperInverse appends row k of W_U: the elements of w with w U_JJ = e_k.
func (f *factors) upperInverse(k, power int, cols []int32, vals []float64) ([]int32, []float64) {
	first := len(cols)
	cols = f.u.reach(k, power, append(cols, int32(k)))
	cols = cols[:min(len(cols), first+maxISAIRow)]
	vals = append(vals, make([]float64, len(cols)-first)...)
	j, w := cols[first:], vals[first:]
	w[0] = 1
	for e := range j {
		w[e] /= f.d[j[e]]
		of, u := f.u.row(int(j[e]))
		subtract(w[e+1:], j[e+1:], w[e], of, u)
	}
	return cols, vals
}

// reach appends the columns of row k of a power of the matrix, which has none on its diagonal, and ascending.
func (r *rows) reach(k, power int, cols []int32) []int32 {
	first := len(cols)
	near, _ := r.row(k)
	cols = append(cols, near...)
	for range power - 1 {
		for _, j := range cols[first:] {
			near, _ := r.row(int(j))
			cols = append(cols, near...)
		}
		slices.Sort(cols[first:])
		cols = cols[:first+len(slices.Compact(cols[first:]))]
	}
	return cols
}

// subtract computes w -= a r on the columns j of w, r being a sparse row; columns ascend.
func subtract(w []float64, j []int32, a float64, cols []int32, r []float64) {
	at := 0
	for e, c := range cols {
		for at < len(j) && j[at] < c {
			at++
		}
		if at == len(j) {
			return
		}
		if j[at] == c {
			w[at] -= float64(a * r[e])
		}
	}
}

// ofEquations returns W_L D_r with the equations of A as columns, in their order.
func (at placement) ofEquations(w *csr.Matrix, s setup) *csr.Matrix {
	if at.row == nil && at.rowExp == nil {
		return w
	}
	s.pool.RunRanges(csr.Panels(w), func(_, lo, hi int) {
		var row []element
		for k := lo; k < hi; k++ {
			cols, vals := w.Row(k)
			row = row[:0]
			for e, c := range cols {
				i := numbered(at.row, int(c))
				row = append(row, element{int32(i), timesPower(at.rowExp, i, vals[e])})
			}
			slices.SortFunc(row, func(a, b element) int { return cmp.Compare(a.col, b.col) })
			for e, v := range row {
				cols[e], vals[e] = v.col, v.val
			}
		}
	})
	return w
}

// ofUnknowns returns D_c W_U with the unknowns of A as rows, in their order.
func (at placement) ofUnknowns(w *csr.Matrix, s setup) *csr.Matrix {
	for k := range w.Rows {
		_, vals := w.Row(k)
		for e, v := range vals {
			vals[e] = timesPower(at.colExp, numbered(at.col, k), v)
		}
	}
	if at.col == nil {
		return w
	}
	return rowsInOrder(w, csr.Permutation(at.col).Inverse())
}

// timesPower returns 2^e_i v.
func timesPower(e []int, i int, v float64) float64 {
	if e == nil {
		return v
	}
	return dd.Ldexp(v, e[i])
}
