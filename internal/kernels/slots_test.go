package kernels

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// randomPanel makes a panel of that many chunks; each group has up to maxSlots
// slots of random widths.
func randomPanel(rng *rand.Rand, chunks, maxSlots, cols int) *SlotPanel {
	p := &SlotPanel{}
	for c := range chunks {
		for range rng.IntN(3) {
			g := SlotGroup{Base: uint32(rng.IntN(cols)), Slots: uint16(1 + rng.IntN(maxSlots)), Chunk: uint16(c)}
			p.Groups = append(p.Groups, g)
			for range g.Slots {
				w := 1 + rng.IntN(7)
				p.Widths = append(p.Widths, byte(w))
				for range Lanes {
					p.Index = append(p.Index, uint16(rng.IntN(min(cols-int(g.Base), 1<<16))))
					var b [8]byte
					binary.LittleEndian.PutUint64(b[:], rng.Uint64())
					if rng.IntN(4) == 0 {
						clear(b[:]) // a lane without an element
					}
					p.Values = append(p.Values, b[:w]...)
				}
			}
		}
	}
	p.Values = append(p.Values, make([]byte, SlotPadding)...)
	return p
}

// The assembly gives the bits of the portable loop.
func TestSlotsSIMD(t *testing.T) {
	if slotsSIMD == nil {
		t.Skip("no SIMD kernel for slots on this processor or in this build")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		chunks, cols := 1+rng.IntN(5), 1+rng.IntN(100000)
		p := randomPanel(rng, chunks, 1+rng.IntN(40), cols)
		x := make([]float64, cols)
		for j := range x {
			x[j] = rng.NormFloat64()
		}
		got, want := make([]float64, Lanes*chunks), make([]float64, Lanes*chunks)
		for i := range got {
			got[i] = rng.NormFloat64()
			want[i] = got[i]
		}
		addSlots(want, p, x)
		AddSlots(got, p, x)
		for i := range want {
			if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
				t.Fatalf("row %d is %v, portable %v", i, got[i], want[i])
			}
		}
	}
}

// The portable loop by hand: every width, the ends of its range, both signs.
func TestSlotsByHand(t *testing.T) {
	for w := 1; w < 8; w++ {
		p := &SlotPanel{Groups: []SlotGroup{{Base: 3, Slots: 1}}, Widths: []byte{byte(w)}}
		top := int64(1) << (8*w - 1)
		want := []int64{0, 1, -1, top - 1, -top, 5, -5, top / 2}
		for l, m := range want {
			p.Index = append(p.Index, uint16(l))
			for k := range w {
				p.Values = append(p.Values, byte(m>>(8*k)))
			}
		}
		p.Values = append(p.Values, make([]byte, SlotPadding)...)
		x := []float64{9, 9, 9, 1, 1, 1, 1, 1, 1, 1, 2}
		acc := make([]float64, Lanes)
		AddSlots(acc, p, x)
		for l, m := range want {
			v := float64(m)
			if l == 7 {
				v *= 2
			}
			if acc[l] != v {
				t.Errorf("width %d, lane %d: %g, want %g", w, l, acc[l], v)
			}
		}
	}
}

func BenchmarkAddSlots(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 4))
	p := randomPanel(rng, 128, 8, 60000)
	x, acc := make([]float64, 60000), make([]float64, 128*Lanes)
	for name, add := range map[string]func([]float64, *SlotPanel, []float64){"portable": addSlots, "best": AddSlots} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				add(acc, p, x)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(p.Index)), "ns/element")
		})
	}
}
