package kernels

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// BenchmarkSlots multiplies with random panels of single elements and of blocks, with rows of 27 elements in FP64
// CSR, and with panels of 3 x 3 blocks, 27 per row, in the second-level cache.
func BenchmarkSlots(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, k := range Sets() {
		run := func(name string, elements int, mul func()) {
			b.Run(name+"/"+k.String(), func(b *testing.B) {
				for b.Loop() {
					mul()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(elements), "ns/element")
			})
		}
		p := randomPanel(rng, 1000, 8, 60000)
		x, dst := make([]float64, p.cols), make([]float64, p.rows)
		run("random", Lanes*len(p.Widths), func() { k.MulSlots(dst, &p.SlotPanel, x, p.row0, p.units, false) })
		c := randomCSR[float64](rng, slices.Repeat([]int{27}, 2000), 6000)
		y := make([]float64, c.rows())
		run("csr", len(c.val), func() { CSRMulVec(k, y, 0, c.rows(), c.ptr, c.col, c.val, c.x) })
		for _, w := range []int{14, 24, 43} {
			const count, slots, cols = 64, 27, 6000
			p := blockPanel(rng, count, slots, cols, w)
			x, dst := make([]float64, cols), make([]float64, 3*Lanes*count)
			run(fmt.Sprint("blocks of ", w, " bits"), 72*count*slots, func() { k.MulSlots(dst, p, x, 0, Units{Factor: 1}, false) })
		}
		for _, block := range []int{2, 3, 6} {
			p := randomSymmetric(rng, block, 1000, 20)
			x, sums := p.vectors(rng)
			run(fmt.Sprint("symmetric, blocks of ", block), block*block*Lanes*len(p.Widths), func() { k.MulSymmetric(sums, &p.SlotPanel, x, p.SymmetricRange) })
		}
	}
}

// blockPanel returns a panel of zero 3 x 3 blocks of one width.
func blockPanel(rng *rand.Rand, slices, slots, cols, w int) *SlotPanel {
	p := &SlotPanel{Block: 3}
	for range slices {
		p.Groups = append(p.Groups, SlotGroup{0, uint16(slots), Last})
		for range slots {
			p.Widths = append(p.Widths, byte(w))
			for l := range Lanes {
				p.Index = append(p.Index, uint16(3*(rng.IntN(cols/3-Lanes)+l)))
			}
		}
	}
	p.Values = make([]byte, 9*w*slices*slots+SlotPadding)
	return p
}

// BenchmarkAccessor reads float32 vectors in the first-level cache and in memory; Fold reads as many bytes of one
// stream.
func BenchmarkAccessor(b *testing.B) {
	for _, n := range []int{1 << 11, 1 << 26} {
		x, y, stream := make([]float32, n), make([]float32, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = 1, 2
		}
		for _, k := range Sets() {
			for name, dot := range map[string]func(){
				"Dot32": func() { k.Dot32(x, y) }, "DotMixed": func() { k.DotMixed(x, y) },
				"MulAdds":   func() { MulAdds(k, new([MulAddLanes]float64), x, 4, 0.75, 0.3) },
				"MulAdds32": func() { k.MulAdds32(new([MulAddLanes32]float32), x, 4, 0.75, 0.3) },
				"Fold":      func() { k.Fold(stream, 1) },
			} {
				b.Run(fmt.Sprintf("%s/%d/%s", name, n, k), func(b *testing.B) {
					b.SetBytes(int64(8 * n))
					for b.Loop() {
						dot()
					}
				})
			}
		}
	}
}
