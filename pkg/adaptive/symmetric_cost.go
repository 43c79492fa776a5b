package adaptive

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// What the model of model.go knows of symmetric matrices.
const (
	scatterTime   = 4.5  // a slot added to eight columns, up to four elements of each
	transposeTime = 0.27 // eight values of a block, multiplied with once more
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
	c.instructions *= share
	if widest > 64*cacheLines {
		c.instructions += missTime * s.misses
	}
	return c
}

// lowerTime is that of a group of blocks of the lower triangle, and of the end of
// its chunk.
func lowerTime(g kernels.SlotGroup, b float64) float64 {
	slot := b * b * valueTime
	if g.Flags&kernels.Diagonal == 0 {
		slot += blockTime + scatterTime*math.Ceil(b/4) + b*b*transposeTime
	}
	time := slot * float64(g.Slots)
	if g.Flags&kernels.Last != 0 {
		time += 2 * chunkTime * b
	}
	return time
}

// partsCost is the cost of the sums of parts.
func partsCost(parts []symmetricPart, block int) (c cost, widest float64) {
	for _, p := range parts {
		bytes := 8 * float64(kernels.SumStride(block)*(p.to-p.from)) / float64(block)
		c.add(cost{bytes / 24, 2 * bytes})
		widest = max(widest, bytes)
	}
	return c, widest
}
