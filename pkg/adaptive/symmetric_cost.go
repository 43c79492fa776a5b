package adaptive

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/kernels"
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
			return choice{best.slotPlan, "requested"}
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
	c.scale(max(s.nnz, 1) / float64(max(b.m.NNZ(), 1)))
	if widest > float64(cacheLine*b.model.cacheLines()) {
		c.work[missWork] += s.misses
	}
	c.add(e.cost)
	return c
}

// addLower adds a group of blocks of the lower triangle, and the end of its slice.
func (c *cost) addLower(g kernels.SlotGroup, b float64) {
	slots := float64(g.Slots)
	c.work[valueWork] += b * b * slots
	if g.Flags&kernels.Diagonal == 0 {
		c.work[blockWork] += slots
		c.work[scatterWork] += math.Ceil(b/4) * slots
		c.work[transposeWork] += b * b * slots
	}
	if g.Flags&kernels.Last != 0 {
		c.work[sliceWork] += 2 * b
	}
}

// partsCost is the cost of the sums of parts, each written and read once.
func partsCost(parts []symmetricPart, block int) (c cost, widest float64) {
	for _, p := range parts {
		sums := float64(kernels.SumStride(block)*(p.to-p.from)) / float64(block)
		c.work[sumWork] += sums
		c.bytes += 2 * 8 * sums
		widest = max(widest, 8*sums)
	}
	return c, widest
}
