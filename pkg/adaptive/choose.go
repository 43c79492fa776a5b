package adaptive

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// choice is a layout and why it was chosen.
type choice struct {
	slotPlan
	reason string
}

// String describes the layout, and why it was chosen.
func (c choice) String() string {
	blocks := fmt.Sprintf("%d x %d", c.block, c.block)
	return strings.ReplaceAll(c.layout.row().text, "b x b", blocks) + " (" + c.reason + ")"
}

// Choose returns the layout that Build would give m, and a sentence on what that is and
// why. It examines a sample of most matrices.
func Choose(m *csr.Matrix, s Spec, pool *parallel.Pool) (Layout, string, error) {
	b, err := newBuilder(m, s, pool)
	if err != nil {
		return "", "", err
	}
	c := b.choose()
	if c.traits().lower && !b.isSymmetric() {
		c = b.otherwise()
	}
	return c.layout, c.String(), nil
}

// choose picks the layout for a spec.
func (b *builder) choose() choice {
	s := b.spec
	switch {
	case s.Layout != LayoutAuto:
		return s.Layout.row().choose(b)
	case s.DD && !b.part.Fixed():
		return b.chooseFP64DD()
	case !b.part.Fixed():
		return Bucketed.row().choose(b)
	case !b.kernels.HasFastSlots():
		return choice{slotPlan{layout: CSR}, "there are no fast kernels for slots on this processor"}
	}
	return b.sampled((*sample).fastest)
}

// sampled is the best choice by a sample. Whether the matrix is symmetric is taken from the
// sample; if that turns out wrong, b.otherwise is the choice.
func (b *builder) sampled(best func(*sample, *builder) choice) choice {
	b.mirrored = b.maybeSymmetric()
	s := b.sample()
	b.otherwise = func() choice {
		b.mirrored = false
		s.estimates = slices.DeleteFunc(s.estimates, func(e estimate) bool { return e.traits().lower })
		return best(&s, b)
	}
	return best(&s, b)
}

// fastest is the layout that the model likes best.
func (s *sample) fastest(b *builder) choice {
	share := s.share(b)
	vectors := b.vectors()
	fp64 := s.csr
	fp64.add(s.fetch(b, CSR))
	csr := b.model.time(fp64, fp64.bytes*share+vectors)
	best := choice{slotPlan: slotPlan{layout: CSR}}
	least := worthwhile * csr
	for _, e := range s.estimates {
		c := e.cost
		c.add(s.fetch(b, e.layout))
		e.cost = c
		if adjust := e.layout.row().cost; adjust != nil {
			c = adjust(s, b, e)
		}
		if t := b.model.time(c, c.bytes*share+vectors); t < distinct*least {
			least, best.slotPlan = t, e.slotPlan
		}
	}
	if best.layout == CSR {
		best.reason = "the fastest according to the model"
	} else {
		best.reason = fmt.Sprintf("%.1f times as fast as FP64 CSR according to the model", csr/least)
	}
	return best
}

// fetch is the cost of the elements of x that are not in the caches. Tiles count them for themselves, and slots with 24-bit
// columns wait less for them.
func (s *sample) fetch(b *builder, l Layout) (c cost) {
	row := l.row()
	if row.tiled {
		return c
	}
	switch {
	case b.m.Cols/8 <= firstLines || float64(b.m.Bytes())+b.vectors() < float64(b.model.Sizes.Near):
	case row.fp64:
		c.work[plainMissWork] = s.firstMisses
	default:
		c.work[firstMissWork] = s.firstMisses
	}
	switch {
	case !b.farX():
	case row.far:
		c.work[farMissWork] = s.misses
	default:
		c.work[missWork] = s.misses
	}
	return c
}

// share is the size of the matrix relative to the size of the sample.
func (s *sample) share(b *builder) float64 { return float64(b.m.NNZ()) / max(s.nnz, 1) }

// vectors is the bytes of x and y.
func (b *builder) vectors() float64 { return 8 * float64(b.m.Rows+b.m.Cols) }

// farX reports whether x is larger than a core's own cache.
func (b *builder) farX() bool { return b.m.Cols/8 > b.model.cacheLines() }

// cheapest is the plan of a layout whose instructions take the least time in the sample.
func (s *sample) cheapest(l Layout, b *builder) (best estimate, ok bool) {
	least := math.Inf(1)
	for _, e := range s.estimates {
		if e.layout != l {
			continue
		}
		if adjust := l.row().cost; adjust != nil {
			e.cost = adjust(s, b, e)
		}
		if t := b.model.time(e.cost, math.Inf(1)); t < least {
			best, least = e, t
		}
	}
	return best, !math.IsInf(least, 1)
}

// blockPlans are blocks of the sizes that the dimensions allow.
func (b *builder) blockPlans() (list []slotPlan) {
	for size := 2; size <= kernels.MaxBlock; size++ {
		if b.m.Rows%size == 0 && b.m.Cols%size == 0 {
			list = append(list, slotPlan{Blocks, size})
		}
	}
	return list
}

// chooseBlocks is the best size of blocks.
func (b *builder) chooseBlocks() choice {
	s := b.sample()
	return s.blocks(b)
}

func (s *sample) blocks(b *builder) choice {
	if best, ok := s.cheapest(Blocks, b); ok {
		return choice{best.slotPlan, "requested"}
	}
	return choice{slotPlan{Slots, 1}, "no blocks found"}
}

// A place for an element in the FP64 layouts takes so long in a product with double-double vectors, relative to SELL8: what takes time are
// the operations, of which SELL8 has a gather for four places, BCRS4x1 a broadcast, and CSR the ends of rows besides. Measured
// on Zen 3 (BenchmarkDD).
const (
	csrPlace  = 1.3
	bcrsPlace = 0.75
)

// chooseFP64DD chooses the layout in FP64 for double-double vectors, by how much rows of a sample have to be filled up.
func (b *builder) chooseFP64DD() choice {
	var elements, sell, bcrs float64
	for _, r := range b.sampleRanges() {
		lo, hi := r[0], r[1]
		elements += float64(b.m.RowPtr[hi] - b.m.RowPtr[lo])
		sell += kernels.Lanes * b.filledCost(SELL8, lo, hi).work[chunkSlotWork]
		bcrs += kernels.BCRSRows * b.filledCost(BCRS4x1, lo, hi).work[rowBlockWork]
	}
	best := choice{slotPlan{layout: CSR}, "for double-double vectors; the others would have to be filled up"}
	least := csrPlace * elements
	for _, l := range []struct {
		layout Layout
		places float64
		time   float64
	}{{SELL8, sell, sell}, {BCRS4x1, bcrs, bcrsPlace * bcrs}} {
		if l.time < least {
			least = l.time
			best = choice{slotPlan{layout: l.layout}, fmt.Sprintf("for double-double vectors; %.2f places for an element", l.places/elements)}
		}
	}
	return best
}

// buildFP64 stores the matrix in a layout of FP64 as chosen, and in CSR if that takes too much memory.
func (b *builder) buildFP64(c choice) (Matrix, error) {
	a, err := c.layout.row().build(b, c)
	if errors.Is(err, ErrMemory) {
		return b.plain(choice{slotPlan{layout: CSR}, fmt.Sprintf("%s takes too much memory", c.layout)})
	}
	return a, err
}
