package adaptive

import (
	"math"
	"math/bits"
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

// bitsOf is the length of m as a two's complement number.
func bitsOf(m int64) uint8 { return uint8(bits.Len64(uint64(m^m>>63)) + 1) }

// blocks makes items of b x b blocks of the elements of rows, a multiple of b.
func (t *items) blocks(rows *items, b int) {
	t.block, t.rows = b, rows.rows/b
	t.first = grow(t.first, t.rows+1)
	t.col, t.m, t.width, t.count = t.col[:0], t.m[:0], t.width[:0], t.count[:0]
	for i := range t.rows {
		t.first[i] = int32(len(t.col))
		t.blockRow(rows, i)
	}
	t.first[t.rows] = int32(len(t.col))
}

// blockRow merges the elements of b rows.
func (t *items) blockRow(rows *items, i int) {
	b := t.block
	var at, end [maxBlock]int32
	for r := range b {
		at[r], end[r] = rows.first[b*i+r], rows.first[b*i+r+1]
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
