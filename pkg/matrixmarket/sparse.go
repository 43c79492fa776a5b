package matrixmarket

import (
	"context"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// maxAssemblers bounds the workers that each go through all blocks.
const maxAssemblers = 16

// assembly builds rows from to to-1 of a sparse matrix from blocks. Each worker owns a range of them, so
// that no data are shared and no order depends on timing.
type assembly struct {
	*reading
	blocks   []*block // in the order of the file; entries of other rows are passed over
	from, to int
	tagged   bool // mirrored entries are marked, to find contradictions
	clean    bool // no zeros are to be dropped but sums

	ranges     []rowRange
	ptr        []int64 // becomes RowPtr
	col        []int32
	val        []float64
	imag       []float64
	duplicates int64
}

// rowRange is the range of rows of a worker, with its results.
type rowRange struct {
	from, to   int   // rows
	start, end int64 // of its entries in col and val
	duplicates int64
	lost       []entry // to rounding of sums
	conflict   bool    // contradiction between (i, j) and (j, i)
	i, j       int32
	_          [64]byte // the workers write side by side
}

// sparse builds the matrix.
func (r *reading) sparse(ctx context.Context, c *Content, mixed bool) error {
	a := &assembly{reading: r, blocks: r.blocks, to: r.rows, tagged: mixed, clean: c.Zeros == 0 || r.opt.KeepZeros}
	if !a.tagged {
		r.blocks = nil // tagged: a conflict has to be looked up
	}
	if err := a.build(ctx, r.checkMemory); err != nil {
		return err
	}
	if i, j, found := a.conflict(); found {
		return r.contradiction(r.linesOf(i, j, r.pre.line+1))
	}
	r.blocks = nil
	for _, s := range a.ranges {
		r.lost = append(r.lost, s.lost...)
	}
	c.Matrix, c.Imag, c.Duplicates = a.matrix(), a.imag, a.duplicates
	return nil
}

// build builds the rows. check is asked whether there is memory for so many nonzeros.
func (a *assembly) build(ctx context.Context, check func(nonzeros int64) error) error {
	a.ptr = make([]int64, a.to-a.from+1)
	a.split()
	parallel(len(a.ranges), func(w int) { a.count(&a.ranges[w]) })
	var nonzeros int64
	for w := range a.ranges {
		s := &a.ranges[w]
		s.start, nonzeros = nonzeros, nonzeros+s.end
	}
	if err := check(nonzeros); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	a.col, a.val = make([]int32, nonzeros), make([]float64, nonzeros)
	if a.Field == Complex {
		a.imag = make([]float64, nonzeros)
	}
	parallel(len(a.ranges), func(w int) { a.fill(&a.ranges[w]) })
	a.blocks = nil
	if err := ctx.Err(); err != nil {
		return err
	}
	parallel(len(a.ranges), func(w int) { a.tidy(&a.ranges[w]) })
	for _, s := range a.ranges {
		a.duplicates += s.duplicates
	}
	return nil
}

// conflict returns the first entry whose mirror image is in the file too, by rows, if there is one.
func (a *assembly) conflict() (i, j int32, found bool) {
	for _, s := range a.ranges {
		if s.conflict {
			return max(s.i, s.j), min(s.i, s.j), true
		}
	}
	return 0, 0, false
}

// matrix returns the rows, with the columns of all.
func (a *assembly) matrix() *csr.Matrix {
	a.close()
	return &csr.Matrix{Rows: a.to - a.from, Cols: a.cols, RowPtr: a.ptr, Col: a.col, Val: a.val}
}

// ends returns the elements of ptr behind the elements of the rows of the range.
func (a *assembly) ends(s *rowRange) []int64 { return a.ptr[s.from-a.from+1 : s.to-a.from+1] }

// split divides the rows into ranges with about the same number of entries, estimated
// from a sample. The result does not depend on the ranges.
func (a *assembly) split() {
	workers := min(a.threads, maxAssemblers, a.to-a.from, int(a.size.entries/int64(4096*a.shares))+1)
	if workers <= 1 {
		a.ranges = []rowRange{{from: a.from, to: a.to}}
		return
	}
	var sample []int32
	add := func(i int32) {
		if int(i) >= a.from && int(i) < a.to {
			sample = append(sample, i)
		}
	}
	stride := int(a.size.entries/4096) | 1
	for _, b := range a.blocks {
		for k := len(b.row) / 2 % stride; k < len(b.row); k += stride {
			add(b.row[k])
			if a.Symmetry != General && b.row[k] != b.col[k] {
				add(b.col[k])
			}
		}
	}
	slices.Sort(sample)
	from := a.from
	for w := range workers {
		to := a.to
		if w+1 < workers && len(sample) > 0 {
			to = min(to, max(from, int(sample[len(sample)*(w+1)/workers])))
		}
		a.ranges = append(a.ranges, rowRange{from: from, to: to})
		from = to
	}
}

// count puts the number of entries of each row i into ptr[i+1], and their sum
// into s.end.
func (a *assembly) count(s *rowRange) {
	n := a.ends(s)
	from, width := int32(s.from), uint32(s.to-s.from)
	mirror := a.Symmetry != General
	for _, b := range a.blocks {
		if b.touches(s, false) {
			for _, i := range b.row {
				if k := uint32(i - from); k < width {
					n[k]++
				}
			}
		}
		if mirror && b.touches(s, true) {
			for k, j := range b.col {
				if at := uint32(j - from); at < width && b.row[k] != j {
					n[at]++
				}
			}
		}
	}
	for _, k := range n {
		s.end += k
	}
}

// touches reports whether rows of the block, or columns if it is mirrored,
// may lie in the range.
func (b *block) touches(s *rowRange, mirrored bool) bool {
	if mirrored {
		return b.entries > 0 && int(b.maxCol) >= s.from && int(b.minCol) < s.to
	}
	return b.entries > 0 && int(b.maxRow) >= s.from && int(b.minRow) < s.to
}

// fill puts the entries of the range into its rows, in the order of the file.
// While it does, ptr[i+1] is where the next entry of row i goes; at the end it
// is the end of the row.
func (a *assembly) fill(s *rowRange) {
	at := s.start
	ends := a.ends(s)
	for k, n := range ends {
		ends[k], at = at, at+n
	}
	s.end = at
	for _, b := range a.blocks {
		if b.touches(s, false) || a.Symmetry != General && b.touches(s, true) {
			if a.Symmetry == General {
				a.fillGeneral(s, b)
			} else {
				a.fillMirrored(s, b)
			}
		}
	}
}

func (a *assembly) fillGeneral(s *rowRange, b *block) {
	from, width := int32(s.from), uint32(s.to-s.from)
	next := a.ends(s)
	for k, i := range b.row {
		row := uint32(i - from)
		if row >= width {
			continue
		}
		at := next[row]
		next[row]++
		a.col[at] = b.col[k]
		a.val[at] = 1
		if b.val != nil {
			a.val[at] = b.val[k]
		}
		if b.imag != nil {
			a.imag[at] = b.imag[k]
		}
	}
}

func (a *assembly) fillMirrored(s *rowRange, b *block) {
	from, width := int32(s.from), uint32(s.to-s.from)
	next := a.ends(s)
	skew := a.Symmetry == SkewSymmetric
	for k, i := range b.row {
		j := b.col[k]
		v := 1.0
		if b.val != nil {
			v = b.val[k]
		}
		if row := uint32(i - from); row < width {
			at := next[row]
			next[row]++
			a.col[at], a.val[at] = j, v
			if b.imag != nil {
				a.imag[at] = b.imag[k]
			}
		}
		if row := uint32(j - from); row < width && i != j {
			at := next[row]
			next[row]++
			if skew {
				v = -v
			}
			a.col[at], a.val[at] = i, v
			if a.tagged {
				a.col[at] = ^i
			}
			if b.imag != nil {
				a.imag[at] = b.imag[k]
				if a.Symmetry != Symmetric {
					a.imag[at] = -b.imag[k]
				}
			}
		}
	}
}

// close moves the ranges together where entries went away.
func (a *assembly) close() {
	end := int64(0)
	for _, s := range a.ranges {
		n := s.end - s.start
		if by := s.start - end; by > 0 {
			copy(a.col[end:end+n], a.col[s.start:s.end])
			copy(a.val[end:end+n], a.val[s.start:s.end])
			if a.imag != nil {
				copy(a.imag[end:end+n], a.imag[s.start:s.end])
			}
			ends := a.ends(&s)
			for k := range ends {
				ends[k] -= by
			}
		}
		end += n
	}
	a.col, a.val, a.imag = trimmed(a.col, int(end)), trimmed(a.val, int(end)), trimmed(a.imag, int(end))
}
