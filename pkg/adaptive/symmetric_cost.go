package adaptive

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// What the model of choose.go knows of symmetric matrices.
const (
	scatterCycles   = 14. // a slot added to eight columns, up to four elements of each
	transposeCycles = 0.8 // eight values of a block, multiplied with once more
)

// lower is the best size of blocks of the lower triangle.
func (s sample) lower(b *builder) choice {
	best := slotPlan{block: 1, symmetric: true}
	least := math.Inf(1)
	for _, k := range s.kinds {
		if k.symmetric {
			k.add(s.sums(b, k.block))
			if t := k.time(math.Inf(1)); t < least {
				best, least = k.slotPlan, t
			}
		}
	}
	return choice{Symmetric, best, "asked for"}
}

// sums is what the sums of a symmetric matrix cost, in proportion to the sample.
func (s sample) sums(b *builder, block int) cost {
	c, widest := partsCost(b.cutParts(b.panels, 1), block)
	share := max(s.nnz, 1) / float64(max(b.m.NNZ(), 1))
	c.bytes *= share
	c.cycles *= share
	if widest > xNear {
		c.cycles += lineCycles * s.lines
	}
	return c
}

// symmetricCost is the cost of a product with a panel of a symmetric matrix.
func symmetricCost(p *kernels.SlotPanel, rows int) cost {
	c := cost{bytes: float64(panelSize(p) + 16*rows), cycles: callCycles * float64(len(p.Values)) / (64 << 10)}
	b := float64(max(p.Block, 1))
	for _, g := range p.Groups {
		slot := gatherCycles + scatterCycles
		switch {
		case g.Flags&kernels.Diagonal != 0:
			slot = b * b * valueCycles
		case p.Block > 1:
			slot = blockCycles + scatterCycles*math.Ceil(b/4) + b*b*(valueCycles+transposeCycles)
		}
		c.cycles += slot * float64(g.Slots)
		if g.Flags&kernels.Last != 0 {
			c.cycles += 2 * chunkCycles * b
		}
	}
	return c
}

// partsCost is the cost of the sums of parts.
func partsCost(parts []symmetricPart, block int) (c cost, widest float64) {
	for _, p := range parts {
		bytes := 8 * float64(kernels.SumStride(block)*(p.to-p.from)) / float64(block)
		c.add(cost{2 * bytes, bytes / 8})
		widest = max(widest, bytes)
	}
	return c, widest
}
