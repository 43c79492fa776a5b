package matrixmarket

import (
	"context"
	"slices"
	"strings"
	"sync"
)

// assemble makes the content from the blocks, and releases them.
func (r *reading) assemble(ctx context.Context) (*Content, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := &Content{
		Header: r.Header, Rows: r.rows, Cols: r.cols, Stored: r.size.entries,
		Warnings: r.pre.warnings, limit: r.limit,
	}
	found := r.find(r.pre.line + 1)
	r.report(c, found)
	// The indices of the entries give a lower bound of the nonzeros.
	if err := r.checkMemory(r.size.entries); err != nil {
		return nil, err
	}
	blocks := r.blocks
	if r.parts > 1 {
		blocks = slices.Clone(blocks)
	}
	if err := r.place(ctx, c, found.mixed()); err != nil {
		return nil, err
	}
	c.tellDuplicates()
	return c, r.lower(ctx, c, blocks)
}

// place puts the entries at their positions, and releases the blocks. mixed tells that a symmetric file has entries on both
// sides of the diagonal, which may contradict each other.
func (r *reading) place(ctx context.Context, c *Content, mixed bool) error {
	switch {
	case r.Format == Array:
		r.dense(c)
	case r.Object == vectorObject:
		r.scatter(c)
	default:
		return r.sparse(ctx, c, mixed)
	}
	return nil
}

// tellDuplicates warns of entries that were added to others.
func (c *Content) tellDuplicates() {
	if c.Duplicates > 0 {
		c.warn("%s added to an earlier one with the same indices", plural(int(c.Duplicates), "entry"))
	}
}

// findings are the peculiarities of the entries that warnings mention.
type findings struct {
	notes                    [noteKinds]note
	upper                    note // entries above the diagonal
	diagonal, entries, zeros int64
}

// find goes through the blocks, of which the first begins on that line.
func (r *reading) find(line int64) (f findings) {
	for _, b := range r.blocks {
		for k := range f.notes {
			f.notes[k].add(b.notes[k], line)
		}
		if b.upper > 0 {
			if f.upper.count == 0 {
				f.upper.line = line + b.firstUpper()
			}
			f.upper.count += b.upper
		}
		f.diagonal += b.diagonal
		f.entries += int64(b.entries)
		f.zeros += b.zeros
		line += b.lines
	}
	return f
}

// mixed reports whether a symmetric file has entries on both sides of the
// diagonal.
func (f *findings) mixed() bool {
	return f.upper.count > 0 && f.upper.count+f.diagonal < f.entries
}

// report turns what was found into warnings.
func (r *reading) report(c *Content, f findings) {
	notes := f.notes
	c.Zeros = f.zeros
	c.NonFinite, c.NonFiniteLine = notes[noteNonFinite].count, notes[noteNonFinite].line
	if f.upper.count > 0 {
		c.warn("%s above the diagonal of a %v matrix, the first on %s %d: read as if below",
			plural(int(f.upper.count), "entry"), r.Symmetry, r.numbered(), f.upper.line)
	}
	texts := [noteKinds]struct{ noun, rest string }{
		noteComment:   {"comment line", "below the size line"},
		noteNonFinite: {"value", "not finite: nan, infinity or overflow"},
		noteOverflow:  {"value", "too large for float64 and read as infinity"},
		noteInexact:   {"whole number", "too large to be exact in float64 and rounded"},
		noteDiagonal:  {"diagonal entry", "not zero as a skew-symmetric matrix demands, kept as written"},
		noteZeros:     {"zero", "on the diagonal of a skew-symmetric matrix, where nothing should be written"},
	}
	if r.Symmetry == Hermitian {
		texts[noteDiagonal].rest = "not real as a hermitian matrix demands, kept as written"
	}
	for k, n := range notes {
		if n.count > 0 {
			c.warn("%s %s, the first on %s %d", plural(int(n.count), texts[k].noun), texts[k].rest, r.numbered(), n.line)
		}
	}
}

// firstUpper returns the line of the first entry above the diagonal.
func (b *block) firstUpper() int64 {
	for k, i := range b.row[:b.entries] {
		if i < b.col[k] {
			return b.lineOf(k)
		}
	}
	return 0
}

// inTurn runs f(0) to f(n-1) on so many goroutines.
func inTurn(threads, n int, f func(k int)) {
	workers := min(threads, n)
	parallel(workers, func(w int) {
		for k := w; k < n; k += workers {
			f(k)
		}
	})
}

// parallel runs f(0) to f(n-1) on a goroutine each.
func parallel(n int, f func(k int)) {
	var wg sync.WaitGroup
	for k := range n {
		wg.Go(func() { f(k) })
	}
	wg.Wait()
}

// dense puts the values of an array file at their positions.
func (r *reading) dense(c *Content) {
	c.Dense = make([]float64, r.rows*r.cols)
	if r.Field == Complex {
		c.Imag = make([]float64, r.rows*r.cols)
	}
	first := make([]int, len(r.blocks)+1) // number of the first entry of each block
	for k, b := range r.blocks {
		first[k+1] = first[k] + b.entries
	}
	inTurn(r.threads, len(r.blocks), func(k int) {
		b := r.blocks[k]
		if r.Symmetry == General {
			copy(c.Dense[first[k]:], b.val)
			if b.imag != nil {
				copy(c.Imag[first[k]:], b.imag)
			}
		} else {
			r.unpack(c, b, first[k])
		}
		r.blocks[k] = nil
	})
	if r.Symmetry != Hermitian || c.Imag == nil {
		return
	}
	for i := range r.rows {
		if c.Imag[i*r.rows+i] != 0 {
			c.warn("the diagonal of a hermitian matrix must be real, that of row %d is not: kept as written", i+1)
			return
		}
	}
}

// unpack puts the values of a packed triangle and their mirror images into a
// dense matrix. The first value of the block has the given number.
func (r *reading) unpack(c *Content, b *block, first int) {
	top := 0 // the column begins that far below the diagonal
	if r.Symmetry == SkewSymmetric {
		top = 1
	}
	j := 0
	for n := r.rows - top; j < r.cols && first >= n; n-- {
		first -= n
		j++
	}
	i := j + top + first
	for k, v := range b.val {
		for i == r.rows { // the last column of a skew-symmetric matrix is empty
			j++
			i = j + top
		}
		at, mirror := j*r.rows+i, i*r.rows+j
		c.Dense[at] = v
		if at != mirror {
			if r.Symmetry == SkewSymmetric {
				v = -v
			}
			c.Dense[mirror] = v
		}
		if b.imag != nil {
			im := b.imag[k]
			c.Imag[at] = im
			if at != mirror {
				if r.Symmetry != Symmetric {
					im = -im
				}
				c.Imag[mirror] = im
			}
		}
		i++
	}
}

// scatter adds the entries of a coordinate vector, in the order of the file.
func (r *reading) scatter(c *Content) {
	c.Dense = make([]float64, r.rows)
	if r.Field == Complex {
		c.Imag = make([]float64, r.rows)
	}
	seen := make([]uint64, (r.rows+63)/64)
	for _, b := range r.blocks {
		for k, i := range b.row {
			if bit := uint64(1) << (i & 63); seen[i>>6]&bit != 0 {
				c.Duplicates++
			} else {
				seen[i>>6] |= bit
			}
			v := 1.0
			if b.val != nil {
				v = b.val[k]
			}
			if r.parts > 1 {
				r.lost = keepLost(r.lost, c.Dense[i], v, i, 0)
			}
			c.Dense[i] += v
			if b.imag != nil {
				c.Imag[i] += b.imag[k]
			}
		}
	}
	r.blocks = nil
}

// linesOf returns the lines of the first entries (i, j) and (j, i) of the blocks, of which the first begins on that
// line; 0 for none.
func (r *reading) linesOf(i, j int32, line int64) (entry, mirrored mention) {
	entry, mirrored = mention{i: i, j: j}, mention{i: j, j: i}
	for _, b := range r.blocks {
		for k := range b.row {
			for _, m := range []*mention{&entry, &mirrored} {
				if m.line == 0 && b.row[k] == m.i && b.col[k] == m.j {
					m.line = line + b.lineOf(k)
				}
			}
		}
		line += b.lines
	}
	return entry, mirrored
}

// mention is an entry and the line where it is.
type mention struct {
	i, j int32
	line int64
}

// contradiction returns the error that two entries of the file contradict each other.
func (r *reading) contradiction(a, b mention) error {
	line := max(a.line, b.line)
	if r.in == nil {
		line = 0
	}
	return r.pre.fault(line, 0,
		"a %v file must hold only one of the entries (%d, %d) and (%d, %d), but they are on %s %d and %d; leave one of them out, or write \"general\" in the banner",
		r.Symmetry, a.i+1, a.j+1, b.i+1, b.j+1, strings.TrimPrefix(plural(2, r.numbered()), "2 "), a.line, b.line)
}
