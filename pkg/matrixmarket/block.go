package matrixmarket

import (
	"math"
	"slices"
)

// A block holds the entries of one piece of text, in the order of the text.
// Indices count from 0. What the file does not have (rows of an array, values
// of a pattern) stays nil.
type block struct {
	row, col  []int32
	val, imag []float64
	low       [][]float64 // parts of values below val; nil for a part that is zero
	entries   int
	lines     int64 // lines of the piece

	extent

	upper, diagonal int64 // entries above and on the diagonal
	zeros           int64
	notes           [noteKinds]note
	gaps            []gap
	fault           *fault
}

// extent bounds the indices of a block, to skip whole blocks. Bounds of columns are used only where entries are mirrored.
type extent struct{ minRow, maxRow, minCol, maxCol int32 }

// noExtent is the extent of a block without entries.
var noExtent = extent{minRow: math.MaxInt32, minCol: math.MaxInt32}

// fault is an error in a piece, its line counted from 0 within the piece.
// Where cause is set it is not about the text: reading failed.
type fault struct {
	line, column int64
	msg          string
	cause        error
}

// A gap is a run of lines without entry, behind the given number of entries of
// the block. With the gaps the line of each entry is known without storing it.
type gap struct{ entries, lines int32 }

// note counts occurrences that deserve a warning, with the line of the first.
type note struct{ count, line int64 }

type noteKind int

const (
	noteComment   noteKind = iota // comment below the size line
	noteNonFinite                 // nan, inf or overflow
	noteOverflow                  // finite decimal number beyond float64
	noteInexact                   // whole number that float64 does not hold
	noteDiagonal                  // diagonal entry that the symmetry forbids
	noteZeros                     // explicit zero on the diagonal of a skew-symmetric matrix
	noteKinds
)

// note counts a case on the line of entry b.entries.
func (b *block) note(kind noteKind) {
	n := &b.notes[kind]
	if n.count == 0 {
		n.line = b.lineOf(b.entries)
	}
	n.count++
}

// add appends the note of the next block, in front of which lie so many lines.
func (n *note) add(next note, before int64) {
	if n.count == 0 && next.count > 0 {
		n.line = next.line + before
	}
	n.count += next.count
}

// skip notes that the next line holds no entry.
func (b *block) skip() {
	if k := len(b.gaps) - 1; k >= 0 && int(b.gaps[k].entries) == b.entries {
		b.gaps[k].lines++
		return
	}
	b.gaps = append(b.gaps, gap{int32(b.entries), 1})
}

// lineOf returns the line of entry k, counted from 0 within the piece. With k
// the number of entries so far it is the line behind them and their gaps.
func (b *block) lineOf(k int) int64 {
	line := int64(k)
	for _, g := range b.gaps {
		if int(g.entries) > k {
			break
		}
		line += int64(g.lines)
	}
	return line
}

// entry returns entry k of a coordinate matrix.
func (b *block) entry(k int) (row, col int32, v, im float64) {
	row, col = b.row[k], b.col[k]
	if b.val != nil {
		v = b.val[k]
	}
	if b.imag != nil {
		im = b.imag[k]
	}
	return row, col, v, im
}

// reserve makes room for n entries.
func (b *block) reserve(h Header, n int) {
	if h.indices() > 0 {
		b.row = make([]int32, n)
	}
	if h.indices() > 1 {
		b.col = make([]int32, n)
	}
	if h.values() > 0 {
		b.val = make([]float64, n)
	}
	if h.values() > 1 {
		b.imag = make([]float64, n)
	}
}

// trim releases memory that was reserved for lines without entries.
func (b *block) trim() {
	b.row, b.col = trimmed(b.row, b.entries), trimmed(b.col, b.entries)
	b.val, b.imag = trimmed(b.val, b.entries), trimmed(b.imag, b.entries)
	for k := range b.low {
		b.low[k] = trimmed(b.low[k], b.entries)
	}
}

// trimmed returns s[:n], copied if more than an eighth would be unused.
func trimmed[T any](s []T, n int) []T {
	if s == nil {
		return nil
	}
	if len(s)-n > len(s)/8 {
		return slices.Clone(s[:n])
	}
	return s[:n]
}
