package precond

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/direct/order"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

const (
	// A pivot below tinyPivot times the norm of its row is replaced by one of
	// pivotShift times the norm.
	tinyPivot  = 1e-8
	pivotShift = 1e-3
	// A diagonal entry below weakDiagonal times the largest of its row or column
	// is weak; the rows are permuted if the share of weak entries exceeds weakShare
	// or one is zero.
	weakDiagonal = 1e-2
	weakShare    = 0.1
)

// newILUT is A ~ L U without small entries of the factors, and without the smallest ones
// where there are more than Options.Fill allows [Saad94]. M is not symmetric even if A is.
func newILUT(s setup) (Preconditioner, error) {
	a, at, err := s.prepare(ILUT, s.Symmetric)
	if err != nil {
		return nil, err
	}
	a, order, err := s.ordered(a)
	if err != nil {
		return nil, err
	}
	a, at = permuteBySubdomains(a, at.then(order.row), s.pool)
	f, replaced, err := s.ilu(a, s.threshold(a))
	if err != nil {
		return nil, err
	}
	s.reportReplaced(ILUT, replaced)
	return s.newIncomplete(fmt.Sprintf("%s, drop %.0e", ILUT, s.DropTol), f, at)
}

// prepare scales A by powers of two so that the largest entry of each row and
// column is near one, and permutes its rows if its diagonal is weak; if it is to stay
// symmetric, only if many entries are.
func (s *setup) prepare(kind Kind, symmetric bool) (*csr.Matrix, placement, error) {
	m := s.m
	scaling := csr.BothScaling(m, s.pool)
	a := s.scaled(scaling)
	weak, err := weakRows(a)
	if err = cmp.Or(err, s.interrupted()); err != nil {
		return nil, placement{}, err
	}
	if weak == 0 || symmetric && float64(weak) <= weakShare*float64(m.Rows) {
		return a, placement{rowExp: scaling.Row, colExp: scaling.Col}, nil
	}
	match, more, err := transversal(s.ctx, a, s.pool)
	if err != nil {
		return nil, placement{}, err
	}
	for i := range scaling.Row {
		scaling.Row[i] += more.Row[i]
		scaling.Col[i] += more.Col[i]
	}
	a = rowsInOrder(s.scaled(scaling), match)
	s.logf("%s: %d of %d diagonal entries are small or missing: rows permuted", kind, weak, m.Rows)
	return a, placement{row: match, rowExp: scaling.Row, colExp: scaling.Col}, nil
}

// scaled returns the scaled matrix: the matrix itself where scaling changes nothing, as after that of a solver.
func (s *setup) scaled(by csr.Scaling) *csr.Matrix {
	if by.Identity() {
		return s.m
	}
	return by.Apply(s.m, s.pool)
}

// weakRows counts the rows with a weak diagonal entry; it returns 0 if they are few and no
// entry is zero.
func weakRows(m *csr.Matrix) (weak int, err error) {
	rowMax, colMax := m.RowMax(nil), columnMax(m)
	missing := false
	for i, d := range m.Diagonal(nil) {
		switch {
		case rowMax[i] == 0:
			return 0, fmt.Errorf("%w: row %d is empty", ErrSingular, i+1)
		case colMax[i] == 0:
			return 0, fmt.Errorf("%w: column %d is empty", ErrSingular, i+1)
		case math.Abs(d) < weakDiagonal*max(rowMax[i], colMax[i]):
			weak++
			missing = missing || d == 0
		}
	}
	if !missing && float64(weak) <= weakShare*float64(m.Rows) {
		weak = 0
	}
	return weak, nil
}

// rowsInOrder returns the rows of m in the order of p.
func rowsInOrder(m *csr.Matrix, p []int32) *csr.Matrix {
	out := &csr.Matrix{Rows: m.Rows, Cols: m.Cols, RowPtr: make([]int64, 1, m.Rows+1)}
	out.Col, out.Val = make([]int32, 0, m.NNZ()), make([]float64, 0, m.NNZ())
	for _, i := range p {
		cols, vals := m.Row(int(i))
		out.Col, out.Val = append(out.Col, cols...), append(out.Val, vals...)
		out.RowPtr = append(out.RowPtr, int64(len(out.Col)))
	}
	return out
}

// newFactors returns factors without rows, with capacity for entries in each triangle.
func newFactors(n, entries int, symmetric bool) *factors {
	empty := func() rows {
		return rows{make([]int64, 1, n+1), make([]int32, 0, entries), make([]float64, 0, entries)}
	}
	f := &factors{u: empty(), d: make([]float64, n), symmetric: symmetric}
	if !symmetric {
		f.l = empty()
	}
	return f
}

// setPivot sets pivot i, replacing it if it is tiny, and returns the number replaced.
func (f *factors) setPivot(i int, pivot, norm float64) (replaced int) {
	if math.Abs(pivot) <= tinyPivot*norm {
		pivot, replaced = math.Copysign(pivotShift*norm, pivot), 1
	}
	f.d[i] = pivot
	return replaced
}

// ilu factors row by row ([Saad03], algorithm 10.6) and counts the pivots that it
// replaced. The columns below the diagonal that are still to be eliminated are in a heap,
// because eliminating one may add others.
func (s *setup) ilu(m *csr.Matrix, keep selection) (f *factors, shifted int, err error) {
	n := m.Rows
	f = newFactors(n, m.NNZ()/2+1, false)
	watch := s.eliminating(fmt.Sprintf("%d rows", n), float64(n))
	work, in := make([]float64, n), marks(n)
	var lower heap[column]
	var kept, upper []int32
	for i := range n {
		row := int32(i)
		cols, vals := m.Row(i)
		lower, kept, upper = lower[:0], kept[:0], upper[:0]
		work[i], in[i] = 0, row
		norm, multiplications := 0.0, 0
		add := func(j int32, v float64) {
			work[j], in[j] = v, row
			if j < row {
				lower.push(column(j))
			} else if j > row {
				upper = append(upper, j)
			}
		}
		for e, j := range cols {
			add(j, vals[e])
			norm += vals[e] * vals[e]
		}
		norm = math.Sqrt(norm)
		for len(lower) > 0 {
			k := int32(lower.pop())
			if keep.drops(work[k], norm) {
				continue
			}
			factor := work[k] / f.d[k]
			uCols, uVals := f.u.row(int(k))
			multiplications += len(uCols)
			for e, j := range uCols {
				if in[j] == row {
					work[j] -= factor * uVals[e]
				} else {
					add(j, -factor*uVals[e])
				}
			}
			kept = append(kept, k)
		}
		if err := watch.row(queueWork*(len(kept)+1)+len(upper), multiplications); err != nil {
			return nil, 0, err
		}
		kept = keep.keep(i, norm, append(kept, upper...), work)
		if err := s.checkEntries(f.entries()+int64(len(kept)), width(s.Epsilon)); err != nil {
			return nil, 0, err
		}
		diagonal, _ := slices.BinarySearch(kept, row)
		for _, k := range kept[:diagonal] {
			f.l.add(k, work[k]/f.d[k])
		}
		for _, j := range kept[diagonal:] {
			f.u.add(j, work[j])
		}
		f.l.end()
		f.u.end()
		shifted += f.setPivot(i, work[i], norm)
	}
	return f, shifted, nil
}

// Defaults of Options for ILUT and ICT: generous, so that small hard matrices
// take few iterations.
const (
	DefaultDropTol = 1e-5
	DefaultFill    = 10
)

// A selection says which entries the factors keep. The zero value is the pattern of A; one
// that fills is the dual rule of [Saad94]: entries below drop times the norm of
// their row of A are dropped, and then the smallest until the factors have at
// most perRow entries a row so far. What earlier rows leave, later ones may use.
type selection struct {
	fills  bool // entries may appear where A has none
	drop   float64
	perRow float64
	used   float64 // entries kept in the rows so far
	keys   []uint64
}

// threshold returns the selection of the options for factors of m.
func (s *setup) threshold(m *csr.Matrix) selection {
	return selection{fills: true, drop: s.DropTol, perRow: s.Fill * float64(m.NNZ()) / float64(m.Rows)}
}

// drops reports whether v is too small in a row of that norm.
func (t *selection) drops(v, norm float64) bool { return t.fills && math.Abs(v) <= t.drop*norm }

// keep returns, in order, the columns of row i that are kept: cols are those of the
// factors, in order unless entries were filled in, vals their values by column, norm is that
// of row i of A.
func (t *selection) keep(i int, norm float64, cols []int32, vals []float64) []int32 {
	if !t.fills {
		return cols
	}
	kept := cols[:0]
	for _, j := range cols {
		if !t.drops(vals[j], norm) {
			kept = append(kept, j)
		}
	}
	if most := max(int(min(t.perRow*float64(i+1)-t.used, math.MaxInt32)), 0); len(kept) > most {
		t.largest(kept, most, vals)
		kept = kept[:most]
	}
	t.used += float64(len(kept))
	slices.Sort(kept)
	return kept
}

// largest brings the columns of the most largest values to the front, of equal
// ones those of higher columns, by Hoare's selection.
func (t *selection) largest(cols []int32, most int, vals []float64) {
	a := t.keys[:0]
	for _, j := range cols {
		a = append(a, uint64(math.Float32bits(float32(math.Abs(vals[j]))))<<32|uint64(j))
	}
	t.keys = a
	for lo, hi := 0, len(a)-1; lo < hi; {
		pivot, i, j := a[lo+(hi-lo)/2], lo, hi
		for i <= j {
			for a[i] > pivot {
				i++
			}
			for a[j] < pivot {
				j--
			}
			if i <= j {
				a[i], a[j] = a[j], a[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case most-1 <= j:
			hi = j
		case most-1 >= i:
			lo = i
		default:
			lo = hi
		}
	}
	for k, key := range a {
		cols[k] = int32(uint32(key))
	}
}

// nearlyComplete is the drop tolerance up to which the factors are nearly complete, so that
// what counts is how much these fill.
const nearlyComplete = 1e-7

// ordered puts a matrix into the order of Incomplete.order: reverse Cuthill-McKee, in which
// incomplete factors fill less and are closer to the complete ones, or minimum degree, in
// which complete ones fill least.
func (s *setup) ordered(m *csr.Matrix) (*csr.Matrix, placement, error) {
	kind := s.order
	switch {
	case kind == orderAuto && s.DropTol <= nearlyComplete:
		kind = orderAMD
	case kind == orderAuto:
		kind = orderRCM
	case kind != orderAMD && kind != orderRCM:
		return nil, placement{}, fmt.Errorf("unknown order %q", s.order)
	}
	e, err := s.Kept.order(m, kind, func() (order.Elimination, error) {
		if kind == orderRCM {
			p, err := csr.RCM(s.ctx, m)
			return order.Elimination{Order: p}, err
		}
		return order.AMD(s.ctx, order.NewGraph(m, nil), order.Limit{})
	})
	if err != nil {
		return nil, placement{}, ErrInterrupted
	}
	p := e.Order
	return m.Permuted(p, p.Inverse(), s.pool), placement{row: p, col: p}, nil
}

// columnMax returns max_i |a_ij| for each column.
func columnMax(m *csr.Matrix) []float64 {
	t := make([]float64, m.Cols)
	for k, j := range m.Col {
		t[j] = max(t[j], math.Abs(m.Val[k]))
	}
	return t
}
