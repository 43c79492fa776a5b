package packed

import (
	"bytes"
	"math"
	"slices"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/formats"
)

// Limits of items.
const (
	MaxBlock = kernels.MaxBlock     // rows of a block
	MaxWidth = kernels.MaxSlotWidth // bits of an integer
)

// Items is the elements of a range of rows, or their blocks, as integers. Row, or block row, i has the items First[i]
// to First[i+1]-1, by increasing columns.
type Items struct {
	Block int     // block size b, 1 for elements
	Rows  int     // rows, or block rows
	First []int32 // of each row, and the end
	Col   []int32 // first column of each item
	M     []int64 // the integers, at the positions that Place returns
	Width []uint8 // bits of the widest integer of each item in two's complement, see [GrowWidths]

	// For blocks: where in M the first row is, the distance to the next rows, and the number of elements.
	place, stride []int32
	count         []uint8
}

// Place returns where in M item e is: the position of its first element, or of the first row of its block, and the
// distance to the next rows.
func (t *Items) Place(e int32) (first, stride int32) {
	if t.Block == 1 {
		return e, 0
	}
	return t.place[e], t.stride[e]
}

// Length returns the number of items of row i.
func (t *Items) Length(i int) int { return int(t.First[i+1] - t.First[i]) }

// Filled returns the number of elements in item e.
func (t *Items) Filled(e int32) int {
	if t.Block == 1 {
		return 1
	}
	return int(t.count[e])
}

// Bits returns the bits of the items with a 16-bit column each.
func (t *Items) Bits() (n int) {
	for _, w := range t.Width {
		n += 16 + t.Block*t.Block*int(w)
	}
	return n
}

// Everything is the diagonal for SetBlocks that leaves out nothing.
const Everything = math.MaxInt32

// SetBlocks makes t the b x b blocks of the elements of rows, whose number is a multiple of b. It leaves out the
// blocks of block row i from column diagonal + b(i+1) on. M is the M of rows, to which blocks that are not full are
// appended. k may be nil, for the default kernels.
func (t *Items) SetBlocks(k *kernels.Set, rows *Items, b, diagonal int) {
	k = k.Or()
	n := len(rows.M)
	t.Block, t.Rows, t.M = b, rows.Rows/b, rows.M
	t.First = Grow(t.First, t.Rows+1)
	t.Col, t.Width, t.place, t.stride, t.count = t.Col[:0], t.Width[:0], t.place[:0], t.stride[:0], t.count[:0]
	for i := range t.Rows {
		t.First[i] = int32(len(t.Col))
		end := int32(min(diagonal+b*(i+1), math.MaxInt32))
		if rows.dense(b*i, b) {
			t.denseRow(k, rows, i, end)
		} else {
			t.blockRow(rows, i, end)
		}
	}
	t.First[t.Rows] = int32(len(t.Col))
	t.Width = slices.Grow(t.Width, kernels.WidthPadding)
	rows.M = t.M[:n] // to reuse its memory
}

// dense reports whether b rows from i on consist of full blocks.
func (t *Items) dense(i, b int) bool {
	lo, n := t.First[i], t.First[i+1]-t.First[i]
	if n%int32(b) != 0 {
		return false
	}
	for r := 1; r < b; r++ {
		if t.First[i+r+1]-t.First[i+r] != n {
			return false
		}
	}
	first := t.Col[lo : lo+n]
	for r := int32(1); r < int32(b); r++ {
		if !equal(first, t.Col[lo+r*n:][:n]) {
			return false
		}
	}
	last := b - 1
	for k := 0; k < len(first); k += b {
		if c := first[k]; c%int32(b) != 0 || first[k+last] != c+int32(last) {
			return false
		}
	}
	return true
}

// equal reports whether a and b, of the same length, are equal.
func equal(a, b []int32) bool {
	return len(a) == 0 || bytes.Equal(
		unsafe.Slice((*byte)(unsafe.Pointer(&a[0])), 4*len(a)), unsafe.Slice((*byte)(unsafe.Pointer(&b[0])), 4*len(b)))
}

// before returns the number of elements of row i before column end.
func (t *Items) before(i int, end int32) int {
	n, _ := slices.BinarySearch(t.Col[t.First[i]:t.First[i+1]], end)
	return n
}

// denseRow appends the blocks before column end of b rows that consist of full blocks.
func (t *Items) denseRow(k *kernels.Set, rows *Items, i int, end int32) {
	b := t.Block
	lo, stride := int(rows.First[b*i]), rows.Length(b*i)
	n := rows.before(b*i, end) / b
	at := len(t.Col)
	t.Col, t.Width, t.count = extend(t.Col, n), extend(t.Width, n), extend(t.count, n)
	t.place, t.stride = extend(t.place, n), extend(t.stride, n)
	col := rows.Col[lo:]
	for i := range n {
		t.Col[at+i], t.place[at+i], t.stride[at+i], t.count[at+i] = col[b*i], int32(lo+b*i), int32(stride), uint8(b*b)
	}
	k.BlockWidths(t.Width[at:], rows.Width[lo:], stride, b)
}

// extend lengthens s by n elements of any value.
func extend[T any](s []T, n int) []T { return slices.Grow(s, n)[:len(s)+n] }

// Fill returns the share of the positions in blocks of the first rows that hold an element.
func (t *Items) Fill(b, rows int) float64 {
	rows = min(rows, t.Rows) / b * b
	return float64(t.First[rows]-t.First[0]) / max(float64(b*b*t.countBlocks(b, rows)), 1)
}

// countBlocks returns the number of blocks in the first rows.
func (t *Items) countBlocks(b, rows int) (n int) {
	for i := range rows / b {
		var at [MaxBlock]int32
		copy(at[:], t.First[b*i:b*i+b])
		for {
			least := int32(math.MaxInt32)
			for r, k := range at[:b] {
				if k < t.First[b*i+r+1] {
					least = min(least, t.Col[k])
				}
			}
			if least == math.MaxInt32 {
				break
			}
			n++
			next := least - least%int32(b) + int32(b)
			for r := range b {
				for at[r] < t.First[b*i+r+1] && t.Col[at[r]] < next {
					at[r]++
				}
			}
		}
	}
	return n
}

// blockRow merges the elements of b rows before column `until`.
func (t *Items) blockRow(rows *Items, i int, until int32) {
	b := t.Block
	var at, end [MaxBlock]int32
	for r := range b {
		at[r] = rows.First[b*i+r]
		end[r] = at[r] + int32(rows.before(b*i+r, until))
	}
	for {
		least := int32(math.MaxInt32)
		for r := range b {
			if at[r] < end[r] {
				least = min(least, rows.Col[at[r]])
			}
		}
		if least == math.MaxInt32 {
			return
		}
		least -= least % int32(b)
		n := len(t.M)
		t.M = append(t.M, zeros[:b*b]...)
		m := t.M[n:]
		width, count := uint8(1), uint8(0)
		for r := range b {
			k := at[r]
			for ; k < end[r]; k++ {
				j := rows.Col[k] - least
				if j >= int32(b) {
					break
				}
				m[r*b+int(j)] = rows.M[k]
				width = max(width, rows.Width[k])
				count++
			}
			at[r] = k
		}
		t.Col, t.Width, t.count = append(t.Col, least), append(t.Width, width), append(t.count, count)
		t.place, t.stride = append(t.place, int32(n)), append(t.stride, int32(b))
	}
}

var zeros [MaxBlock * MaxBlock]int64

// LongestFirst returns the rows by decreasing length, in the memory of order if that suffices; rows of the same
// length keep their order.
func LongestFirst[I uint16 | int32](t *Items, order []I) []I {
	longest := 0
	for i := range t.Rows {
		longest = max(longest, t.Length(i))
	}
	places := make([]int32, longest+1) // of the rows of each length, and the next one
	for i := range t.Rows {
		places[t.Length(i)]++
	}
	next := int32(0)
	for n := longest; n >= 0; n-- {
		places[n], next = next, next+places[n]
	}
	order = Grow(order, t.Rows)
	for i := range t.Rows {
		n := t.Length(i)
		order[places[n]] = I(i)
		places[n]++
	}
	return order
}

// Grow sets the length of a slice without keeping its elements.
func Grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// GrowWidths is Grow for widths, whose capacity is larger by kernels.WidthPadding.
func GrowWidths(w []uint8, n int) []uint8 { return Grow(w, n+kernels.WidthPadding)[:n] }

// Tally counts slots, their bytes and elements.
type Tally struct {
	Bytes      [MaxWidth + 1]int64 // of the slots of each width, with their columns
	Elements   [MaxWidth + 1]int   // in slots of each width
	FloatBytes int64               // of slots of float32 or float64 numbers
	Floats     int                 // elements in them
	NNZ        int                 // of the matrix, including dropped ones
}

// Add adds the counts of o.
func (t *Tally) Add(o *Tally) {
	for w := range t.Bytes {
		t.Bytes[w] += o.Bytes[w]
		t.Elements[w] += o.Elements[w]
	}
	t.FloatBytes += o.FloatBytes
	t.Floats += o.Floats
	t.NNZ += o.NNZ
}

// Stored returns the number of elements that are stored in f, and the bytes of their slots. The format of an element is the AFX
// format that its slot would fit, or a float.
func (t *Tally) Stored(f formats.Format) (elements int, bytes int64) {
	if f.Kind != formats.Fixed {
		return t.Floats, t.FloatBytes
	}
	for w := 8*f.Bytes - 7; w <= min(8*f.Bytes, MaxWidth); w++ {
		elements += t.Elements[w]
		bytes += t.Bytes[w]
	}
	return elements, bytes
}

// Tiny is an element that must be kept although it rounds to zero: the diagonal, or the largest of a row that has no
// other element.
type Tiny struct {
	Row, Col int32   // row within the range
	Value    float32 // in units of the quantum
}

// TinyOf returns the elements of rows lo to hi-1 in a list that is sorted by rows.
func TinyOf(list []Tiny, lo, hi int) []Tiny {
	row := func(e Tiny, i int) int { return int(e.Row) - i }
	from, _ := slices.BinarySearchFunc(list, lo, row)
	to, _ := slices.BinarySearchFunc(list, hi, row)
	return list[from:to]
}

// Floats takes one tiny element from each lane that has one within reach of the first remaining column, or block
// column, which is the base of the slot, and passes it to visit; ok is false if none remains.
func (p *Packer) Floats(visit func(lane int, base int32, e Tiny)) (base int32, ok bool) {
	if len(p.Tiny) == 0 {
		return 0, false
	}
	b := int32(p.Block)
	base = math.MaxInt32
	for _, list := range p.tiny[:p.Lanes] {
		if len(list) > 0 {
			base = min(base, list[0].Col/b*b)
		}
	}
	if base == math.MaxInt32 {
		return 0, false
	}
	for l, list := range p.tiny[:p.Lanes] {
		if len(list) > 0 && int(list[0].Col/b*b-base) < p.Reach {
			visit(l, base, list[0])
			p.tiny[l] = list[1:]
		}
	}
	return base, true
}
