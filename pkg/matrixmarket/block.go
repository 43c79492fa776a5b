package matrixmarket

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dist"
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

// Entries are the entries of a sparse matrix in a file of another format. [Entries.Content] treats them by the rules for Matrix
// Market files: it expands symmetry, adds duplicates in their order, drops zeros, and counts values that are not finite.
type Entries struct {
	Header
	Rows, Cols int
	Row, Col   []int32   // counted from 0
	Val        []float64 // nil: of a pattern
	Imag       []float64 // nil unless the field is complex

	// Wide holds columns, instead of Col, of a square matrix of more columns than int32 counts, of which there are the rows from First on,
	// to be shared by ranks.
	Wide  []int64
	First int64
}

// entriesPerBlock is the number of entries in a block, which readers that need none of its entries skip.
const entriesPerBlock = 1 << 16

// Content makes the content of the file of that name, which has bytes bytes at least. It takes over the slices of e.
// An index out of range is an *Error.
func (e *Entries) Content(ctx context.Context, name string, bytes int64, opt Options) (*Content, error) {
	if e.Wide != nil {
		return e.narrow(ctx, name, bytes, opt)
	}
	r := &reading{
		parser: parser{e.Header, size{rows: e.Rows, cols: e.Cols, entries: int64(len(e.Row))}, 1},
		pre:    &preamble{file: name}, opt: opt, threads: opt.Threads, shares: 1, limit: opt.budget(name, bytes),
	}
	if r.threads == 0 {
		r.threads = runtime.GOMAXPROCS(0)
	}
	r.threads = min(r.threads, maxThreads)
	if err := r.checkMemory(r.size.entries); err != nil {
		return nil, err
	}
	r.blocks = make([]*block, (len(e.Row)+entriesPerBlock-1)/entriesPerBlock)
	inTurn(r.threads, len(r.blocks), func(k int) { r.blocks[k] = r.block(e, k*entriesPerBlock) })
	for k, b := range r.blocks {
		if b.fault != nil {
			return nil, r.pre.fault(0, 0, "entry %d: %s", int64(k)*entriesPerBlock+b.fault.line+1, b.fault.msg)
		}
	}
	return r.assemble(ctx)
}

// narrow makes the content of wide columns.
func (e *Entries) narrow(ctx context.Context, name string, bytes int64, opt Options) (*Content, error) {
	col, columns, err := dist.Renumber(e.First, int64(e.Rows), e.Wide)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	n := Entries{Header: e.Header, Rows: e.Rows, Cols: len(columns), Row: e.Row, Col: col, Val: e.Val}
	c, err := n.Content(ctx, name, bytes, opt)
	if err != nil {
		return nil, err
	}
	c.columns = columns
	return c, nil
}

// block returns the block of the entries from number first on.
func (r *reading) block(e *Entries, first int) *block {
	end := min(first+entriesPerBlock, len(e.Row))
	b := &block{row: e.Row[first:end], col: e.Col[first:end], lines: int64(end - first), extent: noExtent}
	if e.Val != nil {
		b.val = e.Val[first:end]
	}
	if e.Imag != nil {
		b.imag = e.Imag[first:end]
	}
	for b.entries < end-first {
		i, j, v, im := b.entry(b.entries)
		if uint(i) >= uint(r.rows) || uint(j) >= uint(r.cols) {
			b.fault = &fault{line: int64(b.entries), msg: bad(0, "row %d, column %d is outside a %d x %d matrix", int64(i)+1, int64(j)+1, r.rows, r.cols).msg}
			return b
		}
		if notFinite(v) || notFinite(im) {
			b.note(noteNonFinite)
		}
		if b.val != nil && v == 0 && im == 0 {
			b.zeros++
		}
		if r.Symmetry != General && i <= j {
			r.onOrAbove(b, i, j, v, im)
		}
		b.entries++
	}
	b.bound()
	return b
}

// numbered returns the word for the number of an entry: its line in a Matrix Market file.
func (r *reading) numbered() string {
	if r.in == nil {
		return "entry"
	}
	return "line"
}
