package matrixmarket

import (
	"math"
	"slices"
)

// tidy sorts the entries of each row of the range by column, adds those of
// the same column in the order of the file and drops zeros, unless the
// explicit ones are to stay or there are none.
func (a *assembly) tidy(s *rowRange) {
	if a.clean && !a.tagged && a.increasing(s) {
		return
	}
	var work rowSorter
	out, at := s.start, s.start
	for i := s.from; i < s.to; i++ {
		end := a.ptr[i-a.from+1]
		row, last := rowOf(a, at, end), int32(math.MaxInt32)
		if a.Symmetry != General {
			last = int32(i) // what is added above the diagonal is the mirror image
		}
		if !ordered(row.col, a.tagged) {
			work.sort(row)
		}
		if a.parts > 1 {
			s.lost = row.losses(s.lost, int32(i), last)
		}
		n, duplicates, other := row.merge(a.tagged, last)
		if other >= 0 {
			s.conflict, s.i, s.j = true, int32(i), other
			return
		}
		s.duplicates += int64(duplicates)
		if !a.opt.KeepZeros && (!a.clean || n < len(row.col)) {
			n = row.dropZeros(n)
		}
		if out != at {
			row.moveTo(a, out, n)
		}
		out += int64(n)
		at = end
		a.ptr[i-a.from+1] = out
	}
	s.end = out
}

// increasing reports whether the columns of all rows of the range are strictly
// increasing, the usual case.
func (a *assembly) increasing(s *rowRange) bool {
	at := s.start
	for _, end := range a.ends(s) {
		prev := int32(-1)
		for _, j := range a.col[at:end] {
			if j <= prev {
				return false
			}
			prev = j
		}
		at = end
	}
	return true
}

// row is one row of a matrix under construction; imag may be nil.
type row struct {
	col       []int32
	val, imag []float64
}

func rowOf(a *assembly, at, end int64) row {
	r := row{col: a.col[at:end], val: a.val[at:end]}
	if a.imag != nil {
		r.imag = a.imag[at:end]
	}
	return r
}

// column removes the tag of a mirrored entry.
func column(j int32) int32 { return j ^ j>>31 }

// ordered reports whether columns do not decrease.
func ordered(cols []int32, tagged bool) bool {
	if !tagged {
		return slices.IsSorted(cols)
	}
	for k := 1; k < len(cols); k++ {
		if column(cols[k-1]) > column(cols[k]) {
			return false
		}
	}
	return true
}

// merge adds entries of the same column to the first of them, which must be
// side by side, and removes the tags. It returns how many are left, how many
// were added to another, and the column of a contradiction: an entry that
// stands in the file both as itself and mirrored (-1 if there is none).
// Only what is added to columns up to last is counted.
func (r row) merge(tagged bool, last int32) (n, duplicates int, conflict int32) {
	if len(r.col) == 0 {
		return 0, 0, -1
	}
	first := r.col[0] // with its tag
	r.col[0] = column(first)
	n = 1
	for k := 1; k < len(r.col); k++ {
		j := column(r.col[k])
		if j == r.col[n-1] {
			if tagged && (first < 0) != (r.col[k] < 0) {
				return 0, 0, j
			}
			r.val[n-1] += r.val[k]
			if r.imag != nil {
				r.imag[n-1] += r.imag[k]
			}
			if j <= last {
				duplicates++
			}
			continue
		}
		first = r.col[k]
		r.col[n], r.val[n] = j, r.val[k]
		if r.imag != nil {
			r.imag[n] = r.imag[k]
		}
		n++
	}
	return n, duplicates, -1
}

// dropZeros removes zeros from the first n entries and returns how many are left.
func (r row) dropZeros(n int) int {
	kept := 0
	for k := range n {
		if r.val[k] == 0 && (r.imag == nil || r.imag[k] == 0) {
			continue
		}
		r.col[kept], r.val[kept] = r.col[k], r.val[k]
		if r.imag != nil {
			r.imag[kept] = r.imag[k]
		}
		kept++
	}
	return kept
}

// moveTo copies the first n entries to position out of the matrix.
func (r row) moveTo(a *assembly, out int64, n int) {
	copy(a.col[out:], r.col[:n])
	copy(a.val[out:], r.val[:n])
	if r.imag != nil {
		copy(a.imag[out:], r.imag[:n])
	}
}

// rowSorter sorts rows by column and keeps entries of the same column in
// order. It holds the memory for that.
type rowSorter struct {
	order     []uint64 // column and place of each entry
	col       []int32
	val, imag []float64
}

func (s *rowSorter) sort(r row) {
	s.order = s.order[:0]
	for k, j := range r.col {
		s.order = append(s.order, uint64(column(j))<<32|uint64(k))
	}
	slices.Sort(s.order)
	s.col, s.val, s.imag = append(s.col[:0], r.col...), append(s.val[:0], r.val...), append(s.imag[:0], r.imag...)
	for k, o := range s.order {
		from := uint32(o)
		r.col[k], r.val[k] = s.col[from], s.val[from]
		if r.imag != nil {
			r.imag[k] = s.imag[from]
		}
	}
}
