package matrixmarket

import (
	"context"
	"runtime"
)

// Entries are the entries of a sparse matrix in a file of another format. [Entries.Content] treats them by the rules for Matrix
// Market files: it expands symmetry, adds duplicates in their order, drops zeros, and counts values that are not finite.
type Entries struct {
	Header
	Rows, Cols int
	Row, Col   []int32   // counted from 0
	Val        []float64 // nil: of a pattern
	Imag       []float64 // nil unless the field is complex
}

// entriesPerBlock is the number of entries in a block, which readers that need none of its entries skip.
const entriesPerBlock = 1 << 16

// Content makes the content of the file of that name, which has bytes bytes at least. It takes over the slices of e.
// An index out of range is an *Error.
func (e *Entries) Content(ctx context.Context, name string, bytes int64, opt Options) (*Content, error) {
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
