package precond

import (
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

const (
	// firstShift is the multiple of diag(A) that is added when a pivot is below
	// leastPivot times a_kk; shiftGrowth multiplies it with each new attempt
	// [Manteuffel80], up to maxShift.
	firstShift  = 1e-3
	shiftGrowth = 4
	leastPivot  = 1e-12
	maxShift    = 1e3
)

// newIC0 is A ~ L L^T with L of the pattern of A ([Saad03], section 10.3.2).
func newIC0(s setup) (Preconditioner, error) {
	if err := s.checkEntries(int64(s.m.NNZ()-s.m.Rows), width(s.Epsilon)); err != nil {
		return nil, err
	}
	m, at := permuteBySubdomains(s.m, placement{}, s.pool)
	return s.newIC(string(IC0), m, at, selection{})
}

// newICT is A ~ L L^T without small entries of L, and without the smallest ones where there
// are more than Options.Fill allows ([LinMore99], [Saad94]).
func newICT(s setup) (Preconditioner, error) {
	scaling, err := csr.SymmetricScaling(s.m, false, s.pool)
	if err != nil {
		return nil, err
	}
	m, at, err := s.ordered(s.scaled(scaling))
	if err != nil {
		return nil, err
	}
	at.rowExp, at.colExp = scaling.Row, scaling.Col
	m, at = permuteBySubdomains(m, at, s.pool)
	keep := s.threshold(m)
	keep.perRow /= 2
	return s.newIC(fmt.Sprintf("%s, drop %.0e", ICT, s.DropTol), m, at, keep)
}

func (s *setup) newIC(name string, m *csr.Matrix, at placement, keep selection) (Preconditioner, error) {
	diagonal := m.Diagonal(nil)
	for i, d := range diagonal {
		if !(d > 0) || !finite(d) {
			return nil, errDiagonal(i, d, true)
		}
	}
	shift := 0.0
	for {
		f, bad, err := s.cholesky(m, diagonal, shift, keep)
		switch {
		case err != nil:
			return nil, err
		case bad < 0 && shift > 0:
			s.logf("%s: pivots are not positive: factored A + %.3g diag(A)", name, shift)
			fallthrough
		case bad < 0:
			return s.newIncomplete(name, f, at)
		case shift > maxShift:
			return nil, fmt.Errorf("%w: pivot %d is not positive despite a shift of %.3g diag(A)", ErrNotDefinite, bad+1, shift)
		}
		shift = max(firstShift, shiftGrowth*shift)
	}
}

// cholesky computes the rows of u one after the other, each from those above that
// have an entry in its column, which are linked in a list [LinMore99]. It returns
// the number of the first bad pivot, -1 if there is none.
func (s *setup) cholesky(m *csr.Matrix, diagonal []float64, shift float64, keep selection) (f *factors, bad int, err error) {
	n := m.Rows
	f = newFactors(n, m.NNZ()/2+1, true)
	watch := s.eliminating(fmt.Sprintf("%d rows", n), float64(n))
	work := make([]float64, n)
	in := marks(n)            // rows whose pattern has a column
	first := marks(n)         // first[j] is a row whose next entry is in column j
	after := make([]int32, n) // the one after a row in its list
	next := make([]int64, n)  // place of the next entry of a row
	var cols []int32
	for i := range n {
		row := int32(i)
		cols = cols[:0]
		norm, multiplications := diagonal[i]*diagonal[i], 0
		aCols, aVals := m.Row(i)
		for e, j := range aCols {
			if j > row {
				work[j], in[j] = aVals[e], row
				cols = append(cols, j)
			}
			norm += aVals[e] * aVals[e]
		}
		pivot := diagonal[i] * (1 + shift)
		for k := first[i]; k >= 0; {
			at, following := next[k], after[k]
			end := f.u.ptr[k+1]
			factor := f.u.val[at] / f.d[k]
			pivot -= factor * f.u.val[at]
			tail := f.u.val[at+1 : end]
			multiplications += len(tail) + 1
			for e, j := range f.u.col[at+1 : end] {
				if in[j] == row {
					work[j] -= factor * tail[e]
				} else if keep.fills {
					work[j], in[j] = -factor*tail[e], row
					cols = append(cols, j)
				}
			}
			if at++; at < end {
				j := f.u.col[at]
				next[k], after[k], first[j] = at, first[j], k
			}
			k = following
		}
		if !(pivot > leastPivot*diagonal[i]) || !finite(pivot) {
			return nil, i, nil
		}
		if err := watch.row(len(cols)+1, multiplications); err != nil {
			return nil, -1, err
		}
		f.d[i] = pivot
		cols = keep.keep(i, math.Sqrt(norm), cols, work)
		if err := s.checkEntries(f.entries()+2*int64(len(cols)), width(s.Epsilon)); err != nil {
			return nil, -1, err
		}
		for _, j := range cols {
			f.u.add(j, work[j])
		}
		f.u.end()
		if len(cols) > 0 {
			j := cols[0]
			next[i], after[i], first[j] = f.u.ptr[i], first[j], row
		}
	}
	return f, -1, nil
}

// marks returns n marks, which no row has set.
func marks(n int) []int32 { return slices.Repeat([]int32{-1}, n) }
