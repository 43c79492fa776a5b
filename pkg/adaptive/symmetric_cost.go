package adaptive

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// What the model of model.go knows of symmetric matrices.
const (
	scatterTime   = 4.5  // a slot added to eight columns, up to four elements of each
	transposeTime = 0.27 // eight values of a block, multiplied with once more
)

// symmetricPlans are blocks of all sizes, large ones first, if the matrix may be symmetric.
func (b *builder) symmetricPlans() (list []slotPlan) {
	if !b.mirrored {
		return nil
	}
	for _, p := range slices.Backward(b.blockPlans()) {
		list = append(list, slotPlan{Symmetric, p.block})
	}
	return list
}

// chooseSymmetric is the best size of blocks of the lower triangle, or of the matrix if it
// has no such blocks or is not symmetric.
func (b *builder) chooseSymmetric() choice {
	return b.sampled(func(s *sample, b *builder) choice {
		best, ok := s.cheapest(Symmetric, b)
		if ok && b.mirrored {
			return choice{best, "requested"}
		}
		c := s.blocks(b)
		if !b.mirrored {
			c.reason = "the matrix is not symmetric as it would be stored"
		}
		return c
	})
}

// symmetricCost adds what the sums cost, in proportion to the sample.
func (s *sample) symmetricCost(b *builder, e estimate) cost {
	c, widest := partsCost(s.parts, e.block)
	share := max(s.nnz, 1) / float64(max(b.m.NNZ(), 1))
	c.bytes *= share
	c.instructions *= share
	if widest > 64*cacheLines {
		c.instructions += missTime * s.misses
	}
	c.add(e.cost)
	return c
}

// lowerTime is that of a group of blocks of the lower triangle, and of the end of
// its slice.
func lowerTime(g kernels.SlotGroup, b float64) float64 {
	slot := b * b * valueTime
	if g.Flags&kernels.Diagonal == 0 {
		slot += blockTime + scatterTime*math.Ceil(b/4) + b*b*transposeTime
	}
	time := slot * float64(g.Slots)
	if g.Flags&kernels.Last != 0 {
		time += 2 * sliceTime * b
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
