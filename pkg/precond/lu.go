package precond

import (
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/direct/factor"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

const (
	// A pivot on the diagonal is taken if it is at least diagonalPivot times the largest
	// entry of its row, in an order for pivots on the diagonal; in an order for any pivots
	// one of a short column is that is at least anyPivot times the largest.
	diagonalPivot = 1e-2
	anyPivot      = 0.1
	// A pivot below vanished times the norm of its row is replaced by one of half the
	// digits of the norm [LiDemmel98]: a pivot of the size of rounding errors would bring a
	// large multiple of a null vector into x where A is singular. With 2^-80 95 generated and
	// real matrices gave the same iterations and errors.
	vanished    = 0x1p-50
	replacement = factor.Replacement
	// unroundedEntries is the number of entries up to which factors by rows are not rounded.
	unroundedEntries = 1_000_000
)

// newLU is A = L U, complete: in fronts, with pivots among the rows of each, or row by row
// with any pivots where that takes much less work, or the pivots of fronts do not suffice.
func newLU(s setup) (Preconditioner, error) {
	if csr.Examine(s.m, s.pool).Symmetric {
		if c, suffices, err := s.indefinite(LU); err != nil || suffices {
			return c, err
		}
	}
	if c, err := s.quickLU(true, false); c != nil || err != nil {
		return c, err
	}
	t, err := s.blocksLU()
	if err != nil {
		return nil, err
	}
	p, rows, err := s.planLU(t)
	if err != nil {
		return nil, err
	}
	if p != nil {
		if c, err := s.newFrontLU(p, mostBackward); c != nil || err != nil {
			return c, err
		}
		if c, err := s.quickLU(false); c != nil || err != nil {
			return c, err
		}
	}
	if rows == nil {
		if rows, err = t.plan(&s); err != nil {
			return nil, err
		}
	}
	return s.newRowLU(rows)
}

// newRowLU factors row by row.
func (s *setup) newRowLU(p *luPlan) (Preconditioner, error) {
	if err := s.checkEstimate(p.work); err != nil {
		return nil, err
	}
	f, columns, replaced, err := s.gilbertPeierls(p)
	if err != nil {
		return nil, err
	}
	if replaced > 0 {
		if err := s.matched(); err != nil {
			return nil, err
		}
		s.logf(vanishing, LU, replacement, replaced)
	}
	p.at.col = chain(p.at.col, columns)
	if f.entries() <= unroundedEntries || width(s.Epsilon) == 8 { // rounding would cost iterations that take as long
		return s.newUnrounded(fmt.Sprintf("%s, %s", LU, p.order), f, p.at)
	}
	return s.newIncomplete(fmt.Sprintf("%s, %s", LU, p.order), f, p.at)
}

// factorisation is LU row by row ([GilbertPeierls88], for rows): of row i, the pattern is
// what can be reached from its entries through the rows of U in the graph with an edge from
// the column of a pivot to the columns of its row, and those pivots are eliminated in
// topological order. Rows of U are pruned for the search [EisenstatLiu92].
type factorisation struct {
	f       *factors // U has columns of A until the end
	pivotOf []int32  // of a column, -1: none
	column  []int32  // of a pivot
	pruned  []int64  // end of the part of a row of U that is searched
	x       []float64
	in      []int32 // the last row that a column was in
	order   []int32 // pivots of the row, in topological order from top on
	top     int
	upper   []int32 // columns of the row without pivots
	path    []int32
	next    []int64 // entry of a row of U that comes next in the search
	count   []int32 // entries of a column of A
	follows []bool  // row k of U has the columns of row k-1 besides its pivot, which comes first there, in the same order
}

// gilbertPeierls factors the matrix of a plan and returns the columns of the pivots, and how
// many pivots were replaced.
func (s *setup) gilbertPeierls(p *luPlan) (f *factors, columns []int32, replaced int, err error) {
	a := p.a
	n := a.Rows
	t := &factorisation{
		f: newFactors(n, int(min(p.work.Entries/2, int64(20*a.NNZ()))), false), pivotOf: marks(n), column: make([]int32, n),
		pruned: make([]int64, n), x: make([]float64, n), in: marks(n), order: make([]int32, n),
		next: make([]int64, n), count: make([]int32, n), follows: make([]bool, n),
	}
	for _, j := range a.Col {
		t.count[j]++
	}
	watch, off := s.eliminating(fmt.Sprintf("%d rows", n), float64(n)), 0
	for b, diagonal := range p.diagonal {
		free := p.bounds[b] // no column of the block before it is without a pivot
		for i := p.bounds[b]; i < p.bounds[b+1]; i++ {
			cols, vals := a.Row(i)
			t.reach(int32(i), cols)
			norm := 0.0
			for e, j := range cols {
				t.x[j] = vals[e]
				norm = max(norm, math.Abs(vals[e]))
			}
			multiplications := t.eliminate()
			if p.most > 0 && (float64(watch.multiplications) > p.most || off > n/mostOff) {
				return nil, nil, 0, errUnquick
			}
			if err := watch.row(len(cols)+len(t.upper)+len(t.order)-t.top, multiplications); err != nil {
				return nil, nil, 0, err
			}
			j := t.choose(int32(i), int32(p.bounds[b+1]), diagonal)
			if j < 0 {
				for ; t.pivotOf[free] >= 0; free++ {
				}
				j, t.x[free] = int32(free), 0
			}
			if j != int32(i) {
				off++
			}
			pivot := t.x[j]
			if math.Abs(pivot) <= vanished*norm || !finite(pivot) {
				pivot = math.Copysign(replacement*max(norm, math.SmallestNonzeroFloat64), pivot)
				replaced++
			}
			t.store(int32(i), j, pivot)
			if err := s.checkEntries(t.f.entries(), width(s.Epsilon)); err != nil {
				return nil, nil, 0, err
			}
		}
	}
	if err := s.interrupted(); err != nil {
		return nil, nil, 0, err
	}
	for e, j := range t.f.u.col {
		t.f.u.col[e] = t.pivotOf[j]
	}
	return t.f, t.column, replaced, nil
}

// reach finds the pattern of row i, which begins with those columns.
func (t *factorisation) reach(i int32, cols []int32) {
	t.top, t.upper = len(t.order), t.upper[:0]
	u, next := &t.f.u, t.next
	for _, j := range cols {
		if t.in[j] == i {
			continue
		}
		t.in[j] = i
		t.x[j] = 0
		k := t.pivotOf[j]
		if k < 0 {
			t.upper = append(t.upper, j)
			continue
		}
		t.path = append(t.path[:0], k)
		next[k] = u.ptr[k]
	search:
		for len(t.path) > 0 {
			k := t.path[len(t.path)-1]
			end := t.pruned[k]
			for e := next[k]; e < end; e++ {
				j := u.col[e]
				if t.in[j] == i {
					continue
				}
				t.in[j] = i
				t.x[j] = 0
				to := t.pivotOf[j]
				if to < 0 {
					t.upper = append(t.upper, j)
					continue
				}
				next[k] = e + 1
				next[to] = u.ptr[to]
				t.path = append(t.path, to)
				continue search
			}
			t.path = t.path[:len(t.path)-1]
			t.top--
			t.order[t.top] = k
		}
	}
}

// eliminate subtracts the rows of the pivots from that in x and stores the multipliers as a
// row of L.
func (t *factorisation) eliminate() (multiplications int) {
	for order := t.order[t.top:]; len(order) > 0; {
		k, count := order[0], 1
		for count < mostFollowing && count < len(order) && order[count] == k+int32(count) && t.follows[k+int32(count)] {
			count++
		}
		multiplications += t.subtract(int(k), count)
		order = order[count:]
	}
	t.f.l.end()
	return multiplications
}

// mostFollowing is the number of rows of U that are subtracted at once.
const mostFollowing = 4

// subtract subtracts rows k to k+count-1, each of which follows the one before, and returns the number of multiplications. In
// the columns that they share, all are subtracted in one pass.
func (t *factorisation) subtract(k, count int) (multiplications int) {
	x, u := t.x, &t.f.u
	var factor [mostFollowing]float64
	var vals [mostFollowing][]float64
	shared, _ := u.row(k + count - 1)
	for r := range count {
		f := x[t.column[k+r]] / t.f.d[k+r]
		t.f.l.add(int32(k+r), f)
		cols, v := u.row(k + r)
		own := count - 1 - r // the pivots of the rows that follow
		for e, j := range cols[:own] {
			x[j] -= float64(f * v[e])
		}
		factor[r], vals[r] = f, v[own:]
		multiplications += len(cols)
	}
	for r := 0; r < count; r += 2 {
		switch v0, f0 := vals[r][:len(shared)], factor[r]; {
		case count == mostFollowing:
			v1, v2, v3 := vals[1][:len(shared)], vals[2][:len(shared)], vals[3][:len(shared)]
			f1, f2, f3 := factor[1], factor[2], factor[3]
			for e, j := range shared {
				x[j] = x[j] - float64(f0*v0[e]) - float64(f1*v1[e]) - float64(f2*v2[e]) - float64(f3*v3[e])
			}
			return multiplications
		case r+1 < count:
			v1, f1 := vals[r+1][:len(shared)], factor[r+1]
			for e, j := range shared {
				x[j] = x[j] - float64(f0*v0[e]) - float64(f1*v1[e])
			}
		default:
			for e, j := range shared {
				x[j] -= float64(f0 * v0[e])
			}
		}
	}
	return multiplications
}

// choose returns the column of the pivot of row i: of those before end, the diagonal if that
// is preferred and large enough, otherwise of the large ones that with the fewest entries;
// -1 if there is none.
func (t *factorisation) choose(i, end int32, diagonal bool) int32 {
	largest := 0.0
	for _, j := range t.upper {
		if j < end {
			largest = max(largest, math.Abs(t.x[j]))
		}
	}
	if diagonal && t.in[i] == i && t.pivotOf[i] < 0 && math.Abs(t.x[i]) >= diagonalPivot*largest {
		return i
	}
	best, least := int32(-1), 0.0
	for _, j := range t.upper {
		v := math.Abs(t.x[j])
		if j >= end || v < anyPivot*largest {
			continue
		}
		if better := best < 0 || t.count[j] < t.count[best] || t.count[j] == t.count[best] && v > least; better {
			best, least = j, v
		}
	}
	return best
}

// store adds row i of U, whose pivot is in column j, and prunes the rows that it contains.
func (t *factorisation) store(i, j int32, pivot float64) {
	u := &t.f.u
	t.f.d[i], t.column[i], t.pivotOf[j] = pivot, j, i
	upper := t.upper
	if i > 0 && t.in[t.column[i-1]] == i {
		before, _ := u.row(int(i - 1))
		if at := slices.Index(before, j); at >= 0 && len(before) == len(upper) { // they are the same columns
			t.follows[i] = i < mostFollowing || !t.follows[i-1] || !t.follows[i-2] || !t.follows[i-3]
			t.swap(i-1, 0, at)
			upper = before
		}
	}
	for _, k := range upper {
		if k != j {
			u.add(k, t.x[k])
		}
	}
	u.end()
	t.pruned[i] = u.ptr[i+1]
	for _, k := range t.order[t.top:] {
		t.prune(k, j)
	}
}

// prune leaves to the search the columns of row k of U that have pivots, if column j is one
// of them: the others are in the row of that pivot, too.
func (t *factorisation) prune(k, j int32) {
	cols, _ := t.f.u.row(int(k))
	if t.pruned[k] < t.f.u.ptr[k+1] || !slices.Contains(cols, j) {
		return
	}
	lo, hi := 0, len(cols)
	for lo < hi {
		switch {
		case t.pivotOf[cols[lo]] >= 0:
			lo++
		case t.pivotOf[cols[hi-1]] < 0:
			hi--
		default:
			hi--
			t.swap(k, lo, hi)
		}
	}
	t.pruned[k] = t.f.u.ptr[k] + int64(lo)
}

// swap exchanges two entries of row k of U, and those of the rows that it follows.
func (t *factorisation) swap(k int32, a, b int) {
	for ; ; k, a, b = k-1, a+1, b+1 {
		cols, vals := t.f.u.row(int(k))
		cols[a], cols[b] = cols[b], cols[a]
		vals[a], vals[b] = vals[b], vals[a]
		if !t.follows[k] {
			return
		}
	}
}
