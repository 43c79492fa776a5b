package dist

import (
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// A finder finds the ghosts of a domain and their indices among the ghosts: by a bit set over all columns between the
// first and the last ghost, if these are not many more than the domain's nonzeros, and otherwise by binary search.
type finder struct {
	lo, hi int64    // own rows, as columns
	ghosts []int64  // columns, ascending
	first  int32    // column of the first bit
	set    []uint64 // columns that are ghosts
	before []int32  // ghosts before each word of set
}

// mostBits is the largest number of bits of a finder's set for each nonzero.
const mostBits = 16

// newFinder returns the finder of a domain with these columns of n, of which lo to hi-1 are its own rows.
func newFinder(cols []int32, n, lo, hi int64) *finder {
	f := &finder{lo: lo, hi: hi}
	least, most := int32(0), int32(n-1)
	first, width := uint32(lo), uint32(hi-lo)
	if n > mostBits*int64(len(cols)) {
		least, most = most, least
		for _, j := range cols {
			if uint32(j)-first >= width {
				least, most = min(least, j), max(most, j)
			}
		}
		if most < least {
			return f // no ghosts
		}
	}
	if int(most-least) > mostBits*len(cols) {
		f.ghosts = ghostsOf(cols, lo, hi)
		return f
	}
	words := int(most-least)/64 + 1
	f.first, f.set, f.before = least, make([]uint64, words), make([]int32, words)
	for _, j := range cols {
		if uint32(j)-first >= width {
			f.set[(j-least)>>6] |= 1 << ((j - least) & 63)
		}
	}
	for k, word := range f.set {
		f.before[k] = int32(len(f.ghosts))
		for ; word != 0; word &= word - 1 {
			f.ghosts = append(f.ghosts, int64(least)+int64(64*k+bits.TrailingZeros64(word)))
		}
	}
	return f
}

// place replaces columns by positions in vectors with the segment p.
func (f *finder) place(cols []int32, p Part) {
	first, width, at := uint32(f.lo), uint32(f.hi-f.lo), int32(p.First())-int32(f.lo)
	for k, j := range cols {
		if uint32(j)-first < width {
			cols[k] = j + at
			continue
		}
		var place int
		if f.set == nil {
			place, _ = slices.BinarySearch(f.ghosts, int64(j))
		} else {
			bit := j - f.first
			place = int(f.before[bit>>6]) + bits.OnesCount64(f.set[bit>>6]&(1<<(bit&63)-1))
		}
		if place >= p.Below {
			place += p.Own
		}
		cols[k] = int32(p.At + place)
	}
}

// ghostsOf returns the columns outside of lo to hi-1, ascending, each once.
func ghostsOf[I int32 | int64](cols []I, lo, hi int64) []int64 {
	var ghosts []int64
	compact := func() {
		slices.Sort(ghosts)
		ghosts = slices.Compact(ghosts)
	}
	const atLeast = 1 << 16
	next := atLeast // so many are sorted at a time, to bound memory
	last := int64(-1)
	for _, j := range cols {
		if j := int64(j); (j < lo || j >= hi) && j != last {
			ghosts = append(ghosts, j)
			last = j
		}
		if len(ghosts) >= next {
			compact()
			next = 2*len(ghosts) + atLeast
		}
	}
	compact()
	return slices.Clip(ghosts)
}

// GhostRows returns, for each part, the rows of its ghosts, in the order of Part.Ghosts, fetched from their owners.
// The values are those of local, a matrix with the pattern of Local. It is collective.
func (m *Matrix) GhostRows(local *csr.Matrix) []Rows {
	return m.FetchRows(nil, func(at int) int {
		return int(local.RowPtr[at+1] - local.RowPtr[at])
	}, func(at int, columns []int64, values []float64) {
		cols, vals := local.Row(at)
		p := m.Parts[m.Part(at)]
		for e, j := range cols {
			columns[e] = p.global(int(j) - p.At)
		}
		copy(values, vals)
	})
}

// FetchRows returns, for each part, rows of its ghosts, in the order of Part.Ghosts, as their owners define them. For
// the own element at a position, length returns the number of entries of its row and put sets them, with columns that
// mean the same on all ranks; calls of put run concurrently on the threads of pool. FetchRows is collective.
func (l *Layout) FetchRows(pool *parallel.Pool, length func(at int) int, put func(at int, cols []int64, vals []float64)) []Rows {
	c := l.Comm
	to := make([][]byte, c.Size())
	for _, k := range l.Halo.links {
		to[k.rank] = raw(packedRows(k.send, pool, length, put))
	}
	from := make([]int32, l.Len) // for a ghost: the own element that it copies or, if that is on another rank, ^k, where k is the row there
	for _, k := range l.Halo.local {
		from[k.to] = k.from
	}
	var there []packedRow
	messages := c.Alltoall(to)
	for _, k := range l.Halo.links {
		words := numbers[int64](messages[k.rank])
		entries := (len(words) - len(k.recv)) / 2
		cols, vals := words[len(k.recv):], words[len(k.recv)+entries:]
		for i, ghost := range k.recv {
			n := words[i]
			from[ghost] = ^int32(len(there))
			there = append(there, packedRow{cols[:n], vals[:n]})
			cols, vals = cols[n:], vals[n:]
		}
	}
	parts := make([]Rows, len(l.Parts))
	for k, p := range l.Parts {
		from := slices.Concat(from[p.At:p.First()], from[p.End():p.Next()])
		r := Rows{RowPtr: make([]int64, len(from)+1)}
		for i, at := range from {
			if at >= 0 {
				r.RowPtr[i+1] = r.RowPtr[i] + int64(length(int(at)))
			} else {
				r.RowPtr[i+1] = r.RowPtr[i] + int64(len(there[^at].cols))
			}
		}
		r.Col, r.Val = make([]int64, r.RowPtr[len(from)]), make([]float64, r.RowPtr[len(from)])
		eachRange(len(from), pool, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				cols, vals := r.Col[r.RowPtr[i]:r.RowPtr[i+1]], r.Val[r.RowPtr[i]:r.RowPtr[i+1]]
				if from[i] >= 0 {
					put(int(from[i]), cols, vals)
				} else {
					there[^from[i]].put(cols, vals)
				}
			}
		})
		parts[k] = r
	}
	return parts
}

// packedRow is a row in a message: its columns and the bits of its values.
type packedRow struct{ cols, vals []int64 }

func (r packedRow) put(cols []int64, vals []float64) {
	copy(cols, r.cols)
	for e, v := range r.vals {
		vals[e] = math.Float64frombits(uint64(v))
	}
}

// packedRows packs rows of own elements into a message: the numbers of entries of all rows, their columns, and their
// values.
func packedRows(rows []int32, pool *parallel.Pool, length func(at int) int, put func(at int, cols []int64, vals []float64)) []int64 {
	n := len(rows)
	first := make([]int, n+1)
	for k, at := range rows {
		first[k+1] = first[k] + length(int(at))
	}
	words := make([]int64, n+2*first[n])
	cols := words[n:][:first[n]]
	vals := unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(words[n+first[n]:]))), first[n])
	eachRange(n, pool, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			words[k] = int64(first[k+1] - first[k])
			put(int(rows[k]), cols[first[k]:first[k+1]], vals[first[k]:first[k+1]])
		}
	})
	return words
}

// eachRange calls do for ranges of 0 to n-1 on the threads of pool.
func eachRange(n int, pool *parallel.Pool, do func(lo, hi int)) {
	pool.Each((n+chunkSize-1)/chunkSize, func(k int) { do(k*chunkSize, min((k+1)*chunkSize, n)) })
}

// Block returns the diagonal block of part k in local, a matrix with the pattern of Local: its own rows and columns.
func (m *Matrix) Block(local *csr.Matrix, k int) *csr.Matrix {
	p := m.Parts[k]
	first, end := int32(p.First()), int32(p.End())
	entries := local.RowPtr[end] - local.RowPtr[first] // with ghosts
	ptr, col, val := make([]int64, 1, p.Own+1), make([]int32, entries), make([]float64, entries)
	n := 0
	for i := p.First(); i < p.End(); i++ {
		cols, vals := local.Row(i)
		if last := len(cols) - 1; last >= 0 && (cols[0] < first || cols[last] >= end) {
			lo, _ := slices.BinarySearch(cols, first)
			hi, _ := slices.BinarySearch(cols, end)
			cols, vals = cols[lo:hi], vals[lo:hi]
		}
		copy(val[n:], vals)
		to := col[n : n+len(cols)]
		for e, j := range cols {
			to[e] = j - first
		}
		n += len(cols)
		ptr = append(ptr, int64(n))
	}
	return &csr.Matrix{Rows: p.Own, Cols: p.Own, RowPtr: ptr, Col: col[:n], Val: val[:n]}
}

// TransposedBlocks returns the transposes of the diagonal blocks in local, a matrix with the pattern of Local, in its
// positions.
func (m *Matrix) TransposedBlocks(local *csr.Matrix, pool *parallel.Pool) *csr.Matrix {
	var blocks []RowBlock
	for k, p := range m.Parts {
		b := m.Block(local, k).Transpose(pool)
		blocks = append(blocks, ShiftedBlock(p.First(), b, 0, b.Rows, p.First()))
	}
	return Stacked(m.Len, m.Len, blocks, pool)
}

// Segment returns the rows and columns of the whole segment of part k: its own rows in local, a matrix with the
// pattern of Local, and the rows of its ghosts, as GhostRows returns them, without the columns outside of the
// segment.
func (m *Matrix) Segment(local *csr.Matrix, k int, ghosts Rows, pool *parallel.Pool) *csr.Matrix {
	p := m.Parts[k]
	within := Rows{RowPtr: make([]int64, 1, len(ghosts.RowPtr))}
	for i := range ghosts.RowPtr[1:] {
		for e := ghosts.RowPtr[i]; e < ghosts.RowPtr[i+1]; e++ {
			if at, ok := p.find(ghosts.Col[e]); ok {
				within.Col, within.Val = append(within.Col, int64(at)), append(within.Val, ghosts.Val[e])
			}
		}
		within.RowPtr = append(within.RowPtr, int64(len(within.Col)))
	}
	below, above := GhostBlocks(0, p, within)
	own := ShiftedBlock(p.Below, local, p.First(), p.End(), -p.At)
	return Stacked(p.Next()-p.At, p.Next()-p.At, []RowBlock{below, own, above}, pool)
}
