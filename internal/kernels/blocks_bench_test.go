package kernels

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkBlocks multiplies with a panel of 3 x 3 blocks, 27 to a row, that is in
// the second-level cache.
func BenchmarkBlocks(b *testing.B) {
	const chunks, slots, cols = 64, 27, 6000
	for _, w := range []int{14, 24, 43} {
		b.Run(fmt.Sprint(w), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(3, 4))
			p := &SlotPanel{Block: 3}
			for range chunks {
				p.Groups = append(p.Groups, SlotGroup{0, slots, Last})
				for range slots {
					p.Widths = append(p.Widths, byte(w))
					for l := range Lanes {
						p.Index = append(p.Index, uint16(3*(rng.IntN(cols/3-Lanes)+l)))
					}
				}
			}
			p.Values = make([]byte, 9*w*chunks*slots+SlotPadding)
			x, dst := make([]float64, cols), make([]float64, 3*Lanes*chunks)
			for b.Loop() {
				MulSlots(dst, p, x, 0, Units{Factor: 1}, false)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(72*chunks*slots), "ns/element")
		})
	}
}
