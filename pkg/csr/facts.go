package csr

import (
	"math"
	"sync/atomic"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Position is the row and column of an entry, counted from 0.
type Position struct{ Row, Col int }

// Facts are properties of a matrix that [Examine] computes.
type Facts struct {
	Rows, Cols, NNZ int
	LongestRow      int // most entries in a row

	Symmetric bool    // numerically; square matrices only
	Asymmetry float64 // see SymmetryTol; of a sample of the rows where it is large in a large matrix; NaN unless square

	DiagonalPositive, DiagonalNegative, DiagonalZero int // zero: missing or 0

	MinAbs, MaxAbs float64 // least and largest magnitude of the nonzeros; 0 if none

	EmptyRow, EmptyCol int // first row and column without a nonzero; -1: none
	NonFinite          int // entries that are NaN or Inf
	FirstNonFinite     Position
}

// DiagonalSign returns +1 or -1 if the whole diagonal has that sign, otherwise 0.
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

// Examine computes the facts of m in one pass over the nonzeros if it is exactly symmetric, and
// two or three otherwise, on the threads of pool (nil: serially).
func Examine(m *Matrix, pool *parallel.Pool) Facts {
	f, mirror := ExamineRows(m, 0, m.Rows, func(i int) uint64 { return uint64(rowMirror(m, i)) }, pool)
	f.Rows, f.Cols, f.NNZ, f.Asymmetry = m.Rows, m.Cols, m.NNZ(), math.NaN()
	if m.Rows < m.Cols || f.DiagonalZero > 0 {
		f.EmptyCol = emptyColumn(m, pool)
	}
	if f.MaxAbs == 0 {
		f.MinAbs = 0
	}
	if m.Rows == m.Cols {
		f.Asymmetry = 0
		if f.NonFinite > 0 || mirror != 0 {
			f.Asymmetry = asymmetry(m, pool)
		}
		f.Symmetric = f.Asymmetry <= SymmetryTol
	}
	return f
}

// ExamineRows computes the facts of rows lo to hi-1, without dimensions, symmetry and empty columns, which are properties of
// the whole matrix. MinAbs is +Inf if there is no nonzero. sum is the sum of hash over these rows.
func ExamineRows(m *Matrix, lo, hi int, hash func(i int) uint64, pool *parallel.Pool) (f Facts, sum uint64) {
	bounds := PanelsOf(m, lo, hi)
	parts, sums := make([]Facts, len(bounds)-1), make([]uint64, len(bounds)-1)
	pool.RunRanges(bounds, func(panel, lo, hi int) {
		f, sum := noFacts(), uint64(0)
		for i := lo; i < hi; i++ {
			f.addRow(m, i)
			sum += hash(i)
		}
		parts[panel], sums[panel] = f, sum
	})
	f = noFacts()
	for k, v := range sums {
		f.Merge(parts[k])
		sum += v
	}
	return f, sum
}

// noFacts returns the facts of a matrix without rows, to be merged with others.
func noFacts() Facts { return Facts{MinAbs: math.Inf(1), EmptyRow: -1, EmptyCol: -1} }

// TouchedColumns returns a function that reports whether column j of m has a nonzero. It keeps one bit a column.
func TouchedColumns(m *Matrix, pool *parallel.Pool) (touched func(j int) bool) {
	set := newBitset(m.Cols)
	pool.RunRanges(Panels(m), func(_, lo, hi int) {
		from, to := m.RowPtr[lo], m.RowPtr[hi]
		for k, j := range m.Col[from:to] {
			word, bit := &set[j>>6], uint64(1)<<(j&63)
			if m.Val[from+int64(k)] != 0 && atomic.LoadUint64(word)&bit == 0 {
				atomic.OrUint64(word, bit)
			}
		}
	})
	return func(j int) bool { return set.has(int32(j)) }
}

// emptyColumn returns the first column of m without a nonzero; -1: none.
func emptyColumn(m *Matrix, pool *parallel.Pool) int {
	touched := TouchedColumns(m, pool)
	for j := range m.Cols {
		if !touched(j) {
			return j
		}
	}
	return -1
}

// addRow adds row i.
func (f *Facts) addRow(m *Matrix, i int) {
	diagonal := 0.0
	cols, vals := m.Row(i)
	f.LongestRow = max(f.LongestRow, len(cols))
	least, most, empty := f.MinAbs, f.MaxAbs, true
	for k, j := range cols {
		v := vals[k]
		if v == 0 {
			continue
		}
		empty = false
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
		if a < least { // faster than min, which handles NaN
			least = a
		}
		if a > most {
			most = a
		}
	}
	f.MinAbs, f.MaxAbs = least, most
	if empty && f.EmptyRow < 0 {
		f.EmptyRow = i
	}
	if i < m.Cols {
		f.addDiagonal(diagonal)
	}
}

// Merge adds the facts of later rows, as ExamineRows returns them.
func (f *Facts) Merge(g Facts) {
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
