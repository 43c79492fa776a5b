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

// lower is the best size of blocks of the lower triangle, or of the matrix if it
// has no such blocks or is not symmetric.
func (s sample) lower(b *builder) choice {
	best := choice{layout: Symmetric, reason: "asked for"}
	least := math.Inf(1)
	for _, k := range s.kinds {
		if k.symmetric {
			k.add(s.sums(b, k.block))
			if t := k.time(math.Inf(1)); t < least {
				best.plan, least = k.slotPlan, t
			}
		}
	}
	switch {
	case !b.mirrored:
		best = s.blocks()
		best.reason = "the matrix is not symmetric as it would be stored"
	case math.IsInf(least, 1):
		best = s.blocks()
	}
	return best
}

// sums is what the sums of a symmetric matrix cost, in proportion to the sample.
func (s sample) sums(b *builder, block int) cost {
	c, widest := partsCost(s.parts, block)
	share := max(s.nnz, 1) / float64(max(b.m.NNZ(), 1))
	c.bytes *= share
	c.cycles *= share
	if widest > xNear {
		c.cycles += lineCycles * s.lines
	}
	return c
}

// lowerCycles are those of a group of blocks of the lower triangle, and of the end of
// its chunk.
func lowerCycles(g kernels.SlotGroup, b float64) float64 {
	slot := b * b * valueCycles
	if g.Flags&kernels.Diagonal == 0 {
		slot += blockCycles + scatterCycles*math.Ceil(b/4) + b*b*transposeCycles
	}
	cycles := slot * float64(g.Slots)
	if g.Flags&kernels.Last != 0 {
		cycles += 2 * chunkCycles * b
	}
	return cycles
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
