package adaptive

import (
	"math"
	"slices"
)

// items is what slots are made of: the elements of a range of rows, or their
// blocks, as integers.
type items struct {
	block int     // b, 1 for elements
	rows  int     // rows, or block rows
	first []int32 // of each row, and the end
	col   []int32 // first column
	m     []int64 // b^2 for each item
	width []uint8 // bits of the widest m as a two's complement number
	count []uint8 // of m that are not 0, for blocks
}

func (t *items) length(i int) int { return int(t.first[i+1] - t.first[i]) }

// filled is the number of elements in item e.
func (t *items) filled(e int32) int {
	if t.block == 1 {
		return 1
	}
	return int(t.count[e])
}

// blocks makes items of b x b blocks of the elements of rows, a multiple of b. Of
// block row i those from column diagonal + b(i+1) on are left out.
func (t *items) blocks(rows *items, b, diagonal int) {
	t.block, t.rows = b, rows.rows/b
	t.first = grow(t.first, t.rows+1)
	t.col, t.m, t.width, t.count = t.col[:0], t.m[:0], t.width[:0], t.count[:0]
	for i := range t.rows {
		t.first[i] = int32(len(t.col))
		end := int32(min(diagonal+b*(i+1), math.MaxInt32))
		if rows.dense(b*i, b) {
			t.denseRow(rows, i, end)
		} else {
			t.blockRow(rows, i, end)
		}
	}
	t.first[t.rows] = int32(len(t.col))
}

// dense tells whether b rows from i on are full blocks.
func (t *items) dense(i, b int) bool {
	lo, n := t.first[i], t.first[i+1]-t.first[i]
	if n%int32(b) != 0 {
		return false
	}
	for r := 1; r < b; r++ {
		if t.first[i+r+1]-t.first[i+r] != n {
			return false
		}
	}
	last := int32(b - 1)
	for k := lo; k < lo+n; k += int32(b) {
		c := t.col[k]
		if c%int32(b) != 0 || t.col[k+last] != c+last {
			return false
		}
		for r, at := int32(1), k+n; r <= last; r, at = r+1, at+n {
			if t.col[at] != c || t.col[at+last] != c+last {
				return false
			}
		}
	}
	return true
}

// before is the number of elements of row i in front of column end.
func (t *items) before(i int, end int32) int {
	n, _ := slices.BinarySearch(t.col[t.first[i]:t.first[i+1]], end)
	return n
}

// everything is the diagonal for blocks that leaves nothing out.
const everything = math.MaxInt32

// denseRow appends the blocks in front of column end of b rows that are full of them.
func (t *items) denseRow(rows *items, i int, end int32) {
	b := t.block
	lo, stride := int(rows.first[b*i]), rows.length(b*i)
	n := rows.before(b*i, end)
	at, items := len(t.m), len(t.col)
	t.m = slices.Grow(t.m, b*n)[:at+b*n]
	t.col = slices.Grow(t.col, n/b)[:items+n/b]
	t.width = slices.Grow(t.width, n/b)[:items+n/b]
	t.count = slices.Grow(t.count, n/b)[:items+n/b]
	for k := 0; k < n; k += b {
		width := uint8(0)
		for r := range b {
			from := lo + r*stride + k
			m, w := rows.m[from:from+b], rows.width[from:from+b]
			to := t.m[at : at+b]
			for c, v := range m { // shorter than a call of copy
				to[c] = v
				width = max(width, w[c])
			}
			at += b
		}
		t.col[items], t.width[items], t.count[items] = rows.col[lo+k], width, uint8(b*b)
		items++
	}
}

// fill is the share of the places of blocks of the first rows that hold an element.
func (t *items) fill(b, rows int) float64 {
	rows = min(rows, t.rows) / b * b
	return float64(t.first[rows]-t.first[0]) / max(float64(b*b*t.countBlocks(b, rows)), 1)
}

// countBlocks is the number of items that blocks would make of the first rows.
func (t *items) countBlocks(b, rows int) (n int) {
	for i := range rows / b {
		var at [maxBlock]int32
		copy(at[:], t.first[b*i:b*i+b])
		for {
			least := int32(math.MaxInt32)
			for r, k := range at[:b] {
				if k < t.first[b*i+r+1] {
					least = min(least, t.col[k])
				}
			}
			if least == math.MaxInt32 {
				break
			}
			n++
			next := least - least%int32(b) + int32(b)
			for r := range b {
				for at[r] < t.first[b*i+r+1] && t.col[at[r]] < next {
					at[r]++
				}
			}
		}
	}
	return n
}

// blockRow merges the elements of b rows in front of column `until`.
func (t *items) blockRow(rows *items, i int, until int32) {
	b := t.block
	var at, end [maxBlock]int32
	for r := range b {
		at[r] = rows.first[b*i+r]
		end[r] = at[r] + int32(rows.before(b*i+r, until))
	}
	for {
		least := int32(math.MaxInt32)
		for r := range b {
			if at[r] < end[r] {
				least = min(least, rows.col[at[r]])
			}
		}
		if least == math.MaxInt32 {
			return
		}
		least -= least % int32(b)
		n := len(t.m)
		t.m = append(t.m, zeros[:b*b]...)
		m := t.m[n:]
		width, count := uint8(1), uint8(0)
		for r := range b {
			k := at[r]
			for ; k < end[r]; k++ {
				j := rows.col[k] - least
				if j >= int32(b) {
					break
				}
				m[r*b+int(j)] = rows.m[k]
				width = max(width, rows.width[k])
				count++
			}
			at[r] = k
		}
		t.col, t.width, t.count = append(t.col, least), append(t.width, width), append(t.count, count)
	}
}

var zeros [maxBlock * maxBlock]int64
