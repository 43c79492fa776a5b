package kernels

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// panelCase is a random panel with the other arguments of MulSlots.
type panelCase struct {
	SlotPanel
	rows, cols, row0 int
	units            Units
	add              bool
	streams          [MaxBlock][]byte // values of the rows of blocks, or of even and odd slots
}

// randomPanel makes a panel of at least so many rows of a matrix with so many columns; each group has up to maxSlots
// slots of random widths.
func randomPanel(rng *rand.Rand, rows, maxSlots, cols int) *panelCase {
	p := &panelCase{cols: cols, row0: rng.IntN(cols), add: rng.IntN(2) == 0, units: Units{Factor: 0.25}}
	if b := 1 + rng.IntN(MaxBlock); b > 1 && b <= cols {
		p.Block, p.add = b, false
	}
	p.Far = p.Block == 0 && rng.IntN(3) == 0
	b := max(p.Block, 1)
	ordered := rng.IntN(2) == 0
	for p.rows < rows {
		done := min(Lanes, rows-p.rows)
		var last uint16
		if rng.IntN(4) == 0 && b == 1 {
			done, last = 1, OneRow
		}
		groups := rng.IntN(3)
		for g := range groups + 1 {
			n := rng.IntN(maxSlots + 1)
			flags := last
			if g == groups {
				flags |= Last
			}
			least, most := -p.row0-p.rows, cols-Lanes-p.row0-p.rows // offsets that stay inside
			switch kind := rng.IntN(4); {
			case kind == 0 && b == 1 && !p.Far && !ordered && last == 0 && least <= most:
				p.diagonals(rng, n, flags|Diagonal|uint16(rng.IntN(min(n, 1)+1)*Float), least, most)
			case kind == 1 && n > 0:
				p.gathers(rng, n, flags|Float)
			default:
				p.gathers(rng, n, flags)
			}
		}
		p.rows += done
	}
	if ordered {
		for _, i := range rng.Perm(p.rows) {
			p.Order = append(p.Order, uint16(i))
		}
	}
	if rng.IntN(2) == 0 {
		p.units = Units{Shift: -20}
		for range b * p.rows {
			p.units.Exp = append(p.units.Exp, int32(rng.IntN(2000)-980))
		}
	}
	p.rows *= b
	p.join()
	return p
}

// join makes Values of the streams.
func (p *panelCase) join() {
	if p.Block <= 1 {
		p.Odd = len(p.streams[0])
	}
	p.Values = append(slices.Concat(p.streams[:]...), make([]byte, SlotPadding)...)
}

func (p *panelCase) diagonals(rng *rand.Rand, n int, flags uint16, least, most int) {
	p.Groups = append(p.Groups, SlotGroup{uint32(len(p.Offsets)), uint16(n), flags})
	for k := range n {
		p.Offsets = append(p.Offsets, int32(least+rng.IntN(most-least+1)))
		p.slot(rng, k, flags, true)
	}
}

func (p *panelCase) gathers(rng *rand.Rand, n int, flags uint16) {
	b := max(p.Block, 1)
	base := rng.IntN(p.cols - b + 1)
	p.Groups = append(p.Groups, SlotGroup{uint32(base), uint16(n), flags})
	wide := rng.IntN(2) == 0
	for k := range n {
		var cols [Lanes]int32
		for l := range cols {
			reach := 1 << 16
			if p.Far {
				reach = 1 << 24
			}
			cols[l] = int32(rng.IntN(min(p.cols-base-b+1, reach)))
		}
		if p.Far {
			p.Index = PackFar(p.Index, &cols)
		} else {
			for _, c := range cols {
				p.Index = append(p.Index, uint16(c))
			}
		}
		p.slot(rng, k, flags, wide)
	}
}

// slot appends slot k of a group: integers of a random width, or float32 or float64 numbers of a group that is Float.
func (p *panelCase) slot(rng *rand.Rand, k int, flags uint16, wide bool) {
	b := max(p.Block, 1)
	w := 1 + rng.IntN(MaxSlotWidth)
	if flags&Float != 0 {
		if w = 32; wide {
			w = 64
		}
	}
	p.Widths = append(p.Widths, byte(w))
	var values []byte
	for len(values) < b*b*w {
		switch {
		case flags&Float == 0:
			values = append(values, byte(rng.Uint32()))
		case wide:
			values = binary.LittleEndian.AppendUint64(values, math.Float64bits(rng.NormFloat64()))
		default:
			values = binary.LittleEndian.AppendUint32(values, math.Float32bits(float32(rng.NormFloat64())))
		}
	}
	if b == 1 {
		p.streams[k&1] = append(p.streams[k&1], values...)
		return
	}
	for i := range b {
		p.streams[i] = append(p.streams[i], values[i*b*w:(i+1)*b*w]...)
	}
}

// put copies the panel into an arena.
func (p *panelCase) put(a *arena) *SlotPanel {
	return &SlotPanel{
		Block: p.Block, Far: p.Far, Odd: p.Odd,
		Groups: put(a, p.Groups), Widths: put(a, p.Widths), Index: put(a, p.Index),
		Offsets: put(a, p.Offsets), Values: put(a, p.Values), Order: put(a, p.Order),
	}
}

// All sets give the same bits.
func TestSlots(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	a := &arena{t: t}
	for k := range 500 {
		p := randomPanel(rng, 1+rng.IntN(40), 1+rng.IntN(20), 1+rng.IntN(120000))
		if k%2 == 0 {
			p = randomPanel(rng, 1+rng.IntN(20), 1+rng.IntN(9), 1+rng.IntN(500))
		}
		x, y := normal[float64](rng, p.cols), normal[float64](rng, p.rows)
		everywhere(a, "MulSlots", nil, func(k *Set) []float64 {
			units := p.units
			units.Exp = put(a, units.Exp)
			dst := put(a, y)
			k.MulSlots(dst, p.put(a), put(a, x), p.row0, units, p.add)
			return dst
		})
	}
}

// TestSlotsByHand: every width, the ends of its range, both signs.
func TestSlotsByHand(t *testing.T) { eachSet(t, testSlotsByHand) }

func testSlotsByHand(t *testing.T, k *Set) {
	for w := 4; w <= MaxSlotWidth; w++ {
		p := &SlotPanel{Groups: []SlotGroup{{Base: 3, Slots: 1, Flags: Last}}, Widths: []byte{byte(w)}}
		top := int64(1) << (w - 1)
		want := []int64{0, 1, -1, top - 1, -top, 5, -5, top / 2}
		p.Values = make([]byte, w+SlotPadding)
		for l, m := range want {
			p.Index = append(p.Index, uint16(l))
			stored := uint64(m) ^ flipped(w)
			for k := range w {
				p.Values[(l*w+k)/8] |= byte(stored>>k&1) << ((l*w + k) % 8)
			}
		}
		x := []float64{9, 9, 9, 1, 1, 1, 1, 1, 1, 1, 2}
		got := make([]float64, Lanes)
		k.MulSlots(got, p, x, 0, Units{Factor: 0.5}, false)
		for l, m := range want {
			v := float64(m) / 2
			if l == 7 {
				v *= 2
			}
			if got[l] != v {
				t.Errorf("width %d, lane %d: %g, want %g", w, l, got[l], v)
			}
		}
	}
}
