package sell

import (
	"math"
	"slices"
)

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
