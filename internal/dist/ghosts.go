package dist

import (
	"math/bits"
	"slices"
)

// A finder finds the ghosts of a domain and their indices among the ghosts: by a bit set over all columns between the
// first and the last ghost, if these are not many more than the domain's nonzeros, and otherwise by binary search.
type finder struct {
	lo, hi int64    // own rows
	ghosts []int64  // ascending
	first  int32    // column of the first bit
	set    []uint64 // columns that are ghosts
	before []int32  // ghosts before each word of set
}

// mostBits is the largest number of bits of a finder's set for each nonzero.
const mostBits = 16

// newFinder returns the finder of a domain of rows lo to hi-1 of n, with these columns.
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
		if f.set == nil {
			cols[k] = int32(p.At + p.position(int64(j)))
			continue
		}
		bit := j - f.first
		place := int(f.before[bit>>6]) + bits.OnesCount64(f.set[bit>>6]&(1<<(bit&63)-1))
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
