package csr

import "math"

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

// Examine computes the facts of m in two passes over the nonzeros.
func Examine(m *Matrix) Facts {
	f := Facts{
		Rows: m.Rows, Cols: m.Cols, NNZ: m.NNZ(),
		MinAbs: math.Inf(1), EmptyRow: -1, EmptyCol: -1, Asymmetry: math.NaN(),
	}
	touched := make([]bool, m.Cols)
	for i := range m.Rows {
		cols, vals := m.Row(i)
		f.LongestRow = max(f.LongestRow, len(cols))
		diagonal, empty := 0.0, true
		for k, j := range cols {
			v := vals[k]
			if v == 0 {
				continue
			}
			empty, touched[j] = false, true
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
	for j, t := range touched {
		if !t {
			f.EmptyCol = j
			break
		}
	}
	if f.MaxAbs == 0 {
		f.MinAbs = 0
	}
	if m.Rows == m.Cols {
		f.Asymmetry = asymmetry(m)
		f.Symmetric = f.Asymmetry <= SymmetryTol
	}
	return f
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

// asymmetry returns max |a_ij - a_ji| / min(s_i, s_j). Rows are visited in
// order, so the entries left of the diagonal of each row are asked for from
// left to right: one cursor per row finds every partner in O(1).
func asymmetry(m *Matrix) float64 {
	scale := m.RowMax()
	worst := 0.0
	note := func(i, j int32, diff float64) {
		if diff != 0 { // NaN included
			worst = math.Max(worst, math.Abs(diff)/math.Min(scale[i], scale[j]))
		}
	}
	cursor := append([]int64(nil), m.RowPtr...)
	for r := range m.Rows {
		i := int32(r)
		for k := m.RowPtr[r]; k < m.RowPtr[r+1]; k++ {
			j := m.Col[k]
			if j <= i {
				if j < i && k >= cursor[r] {
					note(i, j, m.Val[k]) // nothing above the diagonal asked for it
				}
				continue
			}
			c, end := cursor[j], m.RowPtr[j+1]
			for c < end && m.Col[c] < i {
				note(j, m.Col[c], m.Val[c]) // its partner is missing
				c++
			}
			if c < end && m.Col[c] == i {
				note(i, j, m.Val[k]-m.Val[c])
				c++
			} else {
				note(i, j, m.Val[k])
			}
			cursor[j] = c
		}
	}
	return worst
}
