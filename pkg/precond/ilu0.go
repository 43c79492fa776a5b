package precond

import (
	"cmp"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// newILU0 is A ~ L U with L and U of the pattern of A ([Saad03], algorithm 10.4), or relaxed
// by Options.Relax [AxelssonLindskog86].
func newILU0(s setup) (Preconditioner, error) {
	f, at, err := s.zeroFill(ILU0)
	if err != nil {
		return nil, err
	}
	name := string(ILU0)
	if s.Relax > 0 {
		name += ", relaxed"
	}
	return s.newIncomplete(name, f, at)
}

// zeroFill returns the factors of ILU(0), for a preconditioner of that kind.
func (s *setup) zeroFill(kind Kind) (f *factors, at placement, err error) {
	if err := s.checkEntries(int64(max(s.m.NNZ()-s.m.Rows, 0)), width(s.Epsilon)); err != nil {
		return nil, at, err
	}
	a := s.m
	if !s.balanced() {
		if a, at, err = s.prepare(kind, s.Symmetric); err != nil {
			return nil, at, err
		}
	}
	var order csr.Permutation
	if !s.Undivided {
		order, at.bounds = split(a, s.pool)
	}
	if order != nil {
		at = at.then(order)
	}
	f, replaced, err := s.ilu0(a, order, at)
	s.reportReplaced(kind, replaced)
	return f, at, err
}

// balanced reports whether prepare has nothing to do: no entry is 2 or more in magnitude, which
// leaves one of at least 1/4 on the diagonal of each row and column.
func (s *setup) balanced() bool {
	for _, most := range s.m.RowMax(s.pool) {
		if !(most < 2) {
			return false
		}
	}
	for _, d := range s.m.Diagonal(s.pool) {
		if !(math.Abs(d) >= 0.25) {
			return false
		}
	}
	return true
}

// reportReplaced says how many pivots were.
func (s *setup) reportReplaced(kind Kind, pivots int) {
	if pivots > 0 {
		s.logf("%s: zero or tiny pivots replaced by %g times the norm of their row: %d", kind, pivotShift, pivots)
	}
}

// A zeroFill computes factors of the pattern of a, whose rows and columns are taken in the
// order given (nil: as they come). Subdomains are factored in parallel, then the separator.
type zeroFill struct {
	*factors
	a              *csr.Matrix
	order, inverse csr.Permutation
	end            int       // of the subdomains
	relax          float64   // share of what is dropped that is added to the diagonal
	null           []float64 // in units of this vector, by pivots; nil: ones
}

// An element of a row.
type element struct {
	col int32
	val float64
}

// set sets row k, which has a place for each element.
func (r *rows) set(k int, row []element) {
	for e, v := range row {
		r.col[r.ptr[k]+int64(e)], r.val[r.ptr[k]+int64(e)] = v.col, v.val
	}
}

// ilu0 factors a in the order given and counts the pivots that it replaced.
func (s *setup) ilu0(a *csr.Matrix, order csr.Permutation, at placement) (f *factors, replaced int, err error) {
	n := a.Rows
	f = &factors{d: make([]float64, n)}
	t := &zeroFill{factors: f, a: a, order: order, relax: s.Relax}
	if order != nil {
		t.inverse = order.Inverse()
	}
	if s.Relax > 0 {
		t.null = s.nullOf(at)
	}
	bounds := at.bounds
	if bounds == nil {
		bounds = []int{0}
	}
	t.end = bounds[len(bounds)-1]
	if t.end < n {
		bounds = append(bounds[:len(bounds):len(bounds)], n)
	}
	parts := len(bounds) - 1
	f.l, f.u = t.pattern(s)
	count, errs := make([]int, parts), make([]error, parts)
	do := func(part, lo, hi int) { count[part], errs[part] = t.factor(s, lo, hi) }
	if t.end == 0 || t.end == n {
		s.pool.RunRanges(bounds, do)
	} else {
		s.pool.RunRanges(bounds[:parts], do)
		do(parts-1, t.end, n)
	}
	for k, c := range count {
		if replaced += c; errs[k] != nil {
			return nil, 0, errs[k]
		}
	}
	return f, replaced, nil
}

// nullOf is the near-null vector of the matrix that is factored, nil if it is constant.
func (s *setup) nullOf(at placement) []float64 {
	if len(s.Multigrid.NearNull) == 0 && at.colExp == nil {
		return nil
	}
	null := make([]float64, s.m.Rows)
	for k := range null {
		j := numbered(at.col, k)
		if null[k] = 1; len(s.Multigrid.NearNull) > 0 {
			null[k] = s.Multigrid.NearNull[0][j]
		}
		if at.colExp != nil {
			null[k] = math.Ldexp(null[k], -at.colExp[j])
		}
	}
	return null
}

// row returns row k of the matrix in order, as the row of a that it is.
func (t *zeroFill) row(k int) (cols []int32, vals []float64) { return t.a.Row(numbered(t.order, k)) }

// place returns the number of column j of a in order.
func (t *zeroFill) place(j int32) int32 {
	if t.inverse == nil {
		return j
	}
	return t.inverse[j]
}

// pattern counts the entries below and above the diagonal and allocates their rows.
func (t *zeroFill) pattern(s *setup) (l, u rows) {
	n := t.a.Rows
	l.ptr, u.ptr = make([]int64, n+1), make([]int64, n+1)
	s.pool.RunRanges(evenly(n, convertRows), func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			cols, _ := t.row(k)
			for _, j := range cols {
				if p := int(t.place(j)); p < k {
					l.ptr[k+1]++
				} else if p > k {
					u.ptr[k+1]++
				}
			}
		}
	})
	for k := range n {
		l.ptr[k+1] += l.ptr[k]
		u.ptr[k+1] += u.ptr[k]
	}
	l.col, l.val = make([]int32, l.ptr[n]), make([]float64, l.ptr[n])
	u.col, u.val = make([]int32, u.ptr[n]), make([]float64, u.ptr[n])
	return l, u
}

// factor computes rows lo to hi-1, of a subdomain or the separator, and counts the pivots that
// it replaced. It has columns of these and of the separator only.
func (t *zeroFill) factor(s *setup, lo, hi int) (replaced int, err error) {
	watch := meter{ctx: s.ctx}
	first, apart := int32(lo), int32(max(t.end, hi)) // columns from apart on follow those up to hi
	if lo >= t.end {
		first, apart = 0, int32(hi) // the separator has all
	}
	gap := apart - int32(hi)
	local := func(j int32) int32 { // number of a column among the columns of the subdomain and the separator
		if j >= apart {
			j -= gap
		}
		return j - first
	}
	at := make([]int32, int32(t.a.Rows)-gap-first) // 1 + place of a column in the row
	var row []element
	for k := lo; k < hi; k++ {
		var below int
		var norm float64
		row, below, norm = t.gather(k, row[:0])
		for e, v := range row {
			at[local(v.col)] = int32(e) + 1
		}
		dropped, multiplications := 0.0, 0
		for e, v := range row[:below] {
			factor := row[e].val / t.d[v.col]
			row[e].val = factor
			uCols, uVals := t.u.row(int(v.col))
			multiplications += len(uCols)
			for x, j := range uCols {
				switch p := at[local(j)]; {
				case p > 0:
					row[p-1].val -= factor * uVals[x]
				case t.null != nil:
					dropped += factor * uVals[x] * t.null[j]
				default:
					dropped += factor * uVals[x]
				}
			}
		}
		if t.null != nil {
			dropped /= t.null[k]
		}
		for _, v := range row {
			at[local(v.col)] = 0
		}
		t.l.set(k, row[:below])
		t.u.set(k, row[below+1:])
		pivot := row[below].val
		if t.relax > 0 {
			pivot -= t.relax * dropped
		}
		replaced += t.setPivot(k, pivot, norm)
		if err := watch.spend(len(row) + multiplications); err != nil {
			return 0, err
		}
	}
	return replaced, nil
}

// gather returns the entries of row k in order, with the diagonal, before which there are below, and
// the norm of the row.
func (t *zeroFill) gather(k int, row []element) (_ []element, below int, norm float64) {
	cols, vals := t.row(k)
	diagonal := false
	for e, j := range cols {
		j = t.place(j)
		if int(j) < k {
			below++
		}
		diagonal = diagonal || int(j) == k
		row = append(row, element{j, vals[e]})
		norm += vals[e] * vals[e]
	}
	if !diagonal {
		row = append(row, element{int32(k), 0})
	}
	byColumn := func(a, b element) int { return cmp.Compare(a.col, b.col) }
	if !slices.IsSortedFunc(row, byColumn) {
		slices.SortFunc(row, byColumn)
	}
	return row, below, math.Sqrt(norm)
}
