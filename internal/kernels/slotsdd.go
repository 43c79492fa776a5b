package kernels

import (
	"github.com/mpsolve/mpsolve/pkg/dd"
)

type slotsDDKernel = func(dst dd.Vec, p *SlotPanel, x dd.Vec, row0 int, d Units, add bool)

// MulSlotsDD is MulSlots for double-double vectors and slots of single elements: the integers are
// exact, and so is the multiplication by a unit, so that the error is that of CSR. Integers of more than 53 bits
// are rounded to float64, as MulSlots does it.
func (k *Set) MulSlotsDD(dst dd.Vec, p *SlotPanel, x dd.Vec, row0 int, d Units, add bool) {
	k.slotsDD(dst, p, x, row0, d, add)
}

func mulSlotsDD(dst dd.Vec, p *SlotPanel, x dd.Vec, row0 int, d Units, add bool) {
	var sums [2][Lanes]dd.DD // of the even and the odd slots
	row, rows, widths, index := 0, p.rows(dst.Len()), p.Widths, p.Index
	values := [2][]byte{p.Values, p.Values[p.Odd:]}
	for _, g := range p.Groups {
		for k := range int(g.Slots) {
			var m [Lanes]float64
			var cols [Lanes]int
			from := &values[k&1]
			slotValues(&m, *from, int(widths[k]), g.Flags)
			*from = (*from)[widths[k]:]
			first := int(g.Base)
			if g.Flags&Diagonal != 0 {
				first = row0 + row + int(p.Offsets[int(g.Base)+k])
				cols = [Lanes]int{0, 1, 2, 3, 4, 5, 6, 7}
			} else {
				index = p.columns(&cols, index)
			}
			for l, c := range cols {
				sums[k&1][l] = ddAccumulate(sums[k&1][l], dProd(m[l], x.At(first+c)))
			}
		}
		widths = widths[g.Slots:]
		if g.Flags&Last == 0 {
			continue
		}
		n, s := min(Lanes, rows-row), &sums[0]
		for l := range s {
			s[l] = ddAccumulate(s[l], sums[1][l])
		}
		if g.Flags&OneRow != 0 {
			n = 1
			for h := Lanes / 2; h > 0; h /= 2 {
				for l := range h {
					s[l] = ddAccumulate(s[l], s[l+h])
				}
			}
		}
		for l := range n {
			i := row + l
			if p.Order != nil {
				i = int(p.Order[i])
			}
			u := d.at(i)
			sum := dd.DD{Hi: s[l].Hi * u, Lo: s[l].Lo * u}
			if add {
				sum = ddAccumulate(dst.At(i), sum)
			}
			dst.Set(i, ddSum(sum))
		}
		row += n
		sums = [2][Lanes]dd.DD{}
	}
}
