package csr

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/mpsolve/mpsolve/internal/parallel"
)

// SymmetryTol is the relative tolerance of numerical symmetry: a matrix is
// symmetric when |a_ij - a_ji| <= SymmetryTol min(s_i, s_j) for all i, j, with
// s_i the largest magnitude of row i. The smaller one, since next to a row of
// huge entries anything would look symmetric.
const SymmetryTol = 1e-12

// Position is the place of an entry, from 0.
type Position struct{ Row, Col int }

// Facts is what one look at a matrix tells.
type Facts struct {
	Rows, Cols, NNZ int
	LongestRow      int // most entries in a row

	Symmetric bool    // numerically, see SymmetryTol; square matrices only
	Asymmetry float64 // max |a_ij - a_ji| / min(s_i, s_j); NaN unless square

	DiagonalPositive, DiagonalNegative, DiagonalZero int // zero: missing or 0

	MinAbs, MaxAbs float64 // least and largest magnitude of the nonzeros; 0 if none

	EmptyRow, EmptyCol int // first row and column without a nonzero; -1: none
	NonFinite          int // entries that are NaN or Inf
	FirstNonFinite     Position
}

// DiagonalSign is +1 or -1 if the whole diagonal has that sign, otherwise 0.
func (f Facts) DiagonalSign() int {
	switch n := min(f.Rows, f.Cols); {
	case n == 0:
		return 0
	case f.DiagonalPositive == n:
		return 1
	case f.DiagonalNegative == n:
		return -1
	}
	return 0
}

// Spread is log10(max|a| / min|a|) over the nonzeros, 0 if there are none.
func (f Facts) Spread() float64 {
	if f.MinAbs == 0 {
		return 0
	}
	return math.Log10(f.MaxAbs) - math.Log10(f.MinAbs)
}

// Examine computes the facts of m in two passes over the nonzeros, on the threads
// of pool (nil: serially).
func Examine(m *Matrix, pool *parallel.Pool) Facts {
	parts := make([]Facts, len(Panels(m))-1)
	touched := make([]atomic.Bool, m.Cols)
	eachPanel(m, pool, func(panel, lo, hi int) {
		f := noFacts()
		for i := lo; i < hi; i++ {
			f.addRow(m, i, touched)
		}
		parts[panel] = f
	})
	f := noFacts()
	f.Rows, f.Cols, f.NNZ, f.Asymmetry = m.Rows, m.Cols, m.NNZ(), math.NaN()
	for k := range parts {
		f.merge(&parts[k])
	}
	for j := range touched {
		if !touched[j].Load() {
			f.EmptyCol = j
			break
		}
	}
	if f.MaxAbs == 0 {
		f.MinAbs = 0
	}
	if m.Rows == m.Cols {
		f.Asymmetry = asymmetry(m, pool)
		f.Symmetric = f.Asymmetry <= SymmetryTol
	}
	return f
}

func noFacts() Facts { return Facts{MinAbs: math.Inf(1), EmptyRow: -1, EmptyCol: -1} }

// addRow takes in row i and marks its columns.
func (f *Facts) addRow(m *Matrix, i int, touched []atomic.Bool) {
	cols, vals := m.Row(i)
	f.LongestRow = max(f.LongestRow, len(cols))
	diagonal, empty := 0.0, true
	for k, j := range cols {
		v := vals[k]
		if v == 0 {
			continue
		}
		empty = false
		if !touched[j].Load() {
			touched[j].Store(true)
		}
		if int(j) == i {
			diagonal = v
		}
		a := math.Abs(v)
		if !(a <= math.MaxFloat64) {
			if f.NonFinite == 0 {
				f.FirstNonFinite = Position{i, int(j)}
			}
			f.NonFinite++
			continue
		}
		f.MinAbs, f.MaxAbs = min(f.MinAbs, a), max(f.MaxAbs, a)
	}
	if empty && f.EmptyRow < 0 {
		f.EmptyRow = i
	}
	if i < m.Cols {
		f.addDiagonal(diagonal)
	}
}

// merge takes in what was found in later rows.
func (f *Facts) merge(g *Facts) {
	f.LongestRow = max(f.LongestRow, g.LongestRow)
	f.DiagonalPositive += g.DiagonalPositive
	f.DiagonalNegative += g.DiagonalNegative
	f.DiagonalZero += g.DiagonalZero
	f.MinAbs, f.MaxAbs = min(f.MinAbs, g.MinAbs), max(f.MaxAbs, g.MaxAbs)
	if f.EmptyRow < 0 {
		f.EmptyRow = g.EmptyRow
	}
	if f.NonFinite == 0 {
		f.FirstNonFinite = g.FirstNonFinite
	}
	f.NonFinite += g.NonFinite
}

func (f *Facts) addDiagonal(v float64) {
	switch {
	case v > 0:
		f.DiagonalPositive++
	case v < 0:
		f.DiagonalNegative++
	default:
		f.DiagonalZero++
	}
}

// asymmetry returns max |a_ij - a_ji| / min(s_i, s_j): of every entry the partner
// is looked up, which is compared with once and has to exist.
func asymmetry(m *Matrix, pool *parallel.Pool) float64 {
	scale := m.RowMax(pool)
	worst := make([]float64, len(Panels(m))-1)
	eachPanel(m, pool, func(panel, lo, hi int) {
		w := 0.0
		for i := lo; i < hi; i++ {
			cols, vals := m.Row(i)
			for k, j := range cols {
				partner, found := m.find(int(j), i)
				if found && int(j) <= i {
					continue // compared in row j
				}
				if diff := vals[k] - partner; diff != 0 { // NaN included
					w = math.Max(w, math.Abs(diff)/math.Min(scale[i], scale[j]))
				}
			}
		}
		worst[panel] = w
	})
	all := 0.0
	for _, w := range worst {
		all = math.Max(all, w)
	}
	return all
}

// find returns entry (i, j), and whether it is stored.
func (m *Matrix) find(i, j int) (v float64, found bool) {
	lo, hi := m.RowPtr[i], m.RowPtr[i+1]
	if k, found := slices.BinarySearch(m.Col[lo:hi], int32(j)); found {
		return m.Val[lo+int64(k)], true
	}
	return 0, false
}
