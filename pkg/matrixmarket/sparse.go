package matrixmarket

import (
	"context"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// maxAssemblers bounds the workers that each go through all blocks.
const maxAssemblers = 16

// assembly builds a sparse matrix from the blocks. Each worker owns a range of rows, so
// that no data are shared and no order depends on timing.
type assembly struct {
	*reading
	ranges []rowRange
	ptr    []int64 // becomes RowPtr
	col    []int32
	val    []float64
	imag   []float64
	tagged bool // mirrored entries are marked, to find contradictions
}

// rowRange is the range of rows of a worker, with its results.
type rowRange struct {
	from, to   int   // rows
	start, end int64 // of its entries in col and val
	duplicates int64
	conflict   bool // contradiction between (i, j) and (j, i)
	i, j       int32
	_          [64]byte // the workers write side by side
}

// sparse builds the matrix.
func (r *reading) sparse(ctx context.Context, c *Content) error {
	a := &assembly{reading: r, ptr: make([]int64, r.rows+1)}
	a.split()
	parallel(len(a.ranges), func(w int) { a.count(&a.ranges[w]) })
	var nonzeros int64
	for w := range a.ranges {
		s := &a.ranges[w]
		s.start, nonzeros = nonzeros, nonzeros+s.end
	}
	if err := r.checkMemory(nonzeros); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	a.col, a.val = make([]int32, nonzeros), make([]float64, nonzeros)
	if r.Field == Complex {
		a.imag = make([]float64, nonzeros)
	}
	a.tagged = r.mixed()
	parallel(len(a.ranges), func(w int) { a.fill(&a.ranges[w]) })
	if !a.tagged {
		r.blocks = nil // tagged: a conflict has to be looked up
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	clean := c.Zeros == 0 || r.opt.KeepZeros
	parallel(len(a.ranges), func(w int) { a.tidy(&a.ranges[w], clean) })
	for _, s := range a.ranges {
		if s.conflict {
			return r.conflict(max(s.i, s.j), min(s.i, s.j))
		}
		c.Duplicates += s.duplicates
	}
	r.blocks = nil
	a.close()
	c.Matrix = &csr.Matrix{Rows: r.rows, Cols: r.cols, RowPtr: a.ptr, Col: a.col, Val: a.val}
	c.Imag = a.imag
	return nil
}

// mixed reports whether a symmetric file has entries on both sides of the
// diagonal.
func (r *reading) mixed() bool {
	var entries, upper, diagonal int64
	for _, b := range r.blocks {
		entries += int64(b.entries)
		upper += b.upper
		diagonal += b.diagonal
	}
	return upper > 0 && upper+diagonal < entries
}

// split divides the rows into ranges with about the same number of entries, estimated
// from a sample. The result does not depend on the ranges.
func (a *assembly) split() {
	workers := min(a.threads, maxAssemblers, a.rows, int(a.size.entries/4096)+1)
	if workers <= 1 {
		a.ranges = []rowRange{{to: a.rows}}
		return
	}
	var sample []int32
	stride := int(a.size.entries/4096) | 1
	for _, b := range a.blocks {
		for k := len(b.row) / 2 % stride; k < len(b.row); k += stride {
			sample = append(sample, b.row[k])
			if a.Symmetry != General && b.row[k] != b.col[k] {
				sample = append(sample, b.col[k])
			}
		}
	}
	slices.Sort(sample)
	from := 0
	for w := range workers {
		to := a.rows
		if w+1 < workers {
			to = max(from, int(sample[len(sample)*(w+1)/workers]))
		}
		a.ranges = append(a.ranges, rowRange{from: from, to: to})
		from = to
	}
}

// count puts the number of entries of each row i into ptr[i+1], and their sum
// into s.end.
func (a *assembly) count(s *rowRange) {
	n := a.ptr[s.from+1 : s.to+1]
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
	for i := s.from; i < s.to; i++ {
		a.ptr[i+1], at = at, at+a.ptr[i+1]
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
	next := a.ptr[s.from+1 : s.to+1]
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
	next := a.ptr[s.from+1 : s.to+1]
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
			for i := s.from; i < s.to; i++ {
				a.ptr[i+1] -= by
			}
		}
		end += n
	}
	a.col, a.val, a.imag = trimmed(a.col, int(end)), trimmed(a.val, int(end)), trimmed(a.imag, int(end))
}
