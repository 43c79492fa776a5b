package adaptive

import (
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// choice is a layout and why.
type choice struct {
	layout Layout
	plan   slotPlan
	reason string
}

// String says the layout in words, and why it is this one.
func (c choice) String() string {
	text := map[Layout]string{
		CSR:       "FP64 CSR",
		Bucketed:  "bucketed CSR",
		Slots:     "slots: eight rows at once, 16-bit columns",
		Blocks:    fmt.Sprintf("slots of %d x %d blocks, eight block rows at once", c.plan.block, c.plan.block),
		Diagonals: "slots of diagonals, eight rows at once",
		Tiles:     "slots by segments of columns, eight rows at once",
		Symmetric: fmt.Sprintf("slots of the lower triangle, %d x %d blocks, eight block rows at once", c.plan.block, c.plan.block),
	}[c.layout]
	return text + " (" + c.reason + ")"
}

// Choose returns the layout that Build would give m, and says in words what that is
// and why. Of most matrices it looks at a sample only.
func Choose(m *csr.Matrix, s Spec, pool *linop.Pool) (Layout, string, error) {
	b, err := newBuilder(m, s, pool)
	if err != nil {
		return "", "", err
	}
	c := b.choose()
	return c.layout, c.String(), nil
}

// choose picks the layout for a spec. Whether a matrix is symmetric is first taken
// from a sample and made sure of when it matters.
func (b *builder) choose() choice {
	c, known := b.given()
	if known {
		return c
	}
	b.mirrored = b.part.spec.Layout != Blocks && b.maybeSymmetric()
	sample := b.sample()
	c = sample.best(b)
	if c.layout == Symmetric && !b.symmetric() {
		b.mirrored = false
		sample.kinds = slices.DeleteFunc(sample.kinds, func(k candidate) bool { return k.symmetric })
		c = sample.best(b)
	}
	return c
}

// best is the best plan of the layout that the spec asks for, or of all.
func (s sample) best(b *builder) choice {
	switch b.part.spec.Layout {
	case Blocks:
		return s.blocks()
	case Symmetric:
		return s.lower(b)
	}
	return s.fastest(b)
}

// given is the layout where the spec or the processor leaves no choice.
func (b *builder) given() (c choice, known bool) {
	s := b.part.spec
	fixed := s.Set.kind() == fixedPoint && !s.Set.Uniform
	switch {
	case s.Layout == CSR:
		return choice{layout: CSR, reason: "asked for"}, true
	case !fixed || s.Layout == Bucketed:
		return choice{layout: Bucketed, reason: "the layout of the papers"}, true
	case s.Layout == LayoutAuto && !kernels.HasFastSlots():
		return choice{layout: CSR, reason: "there are no fast kernels for slots on this processor"}, true
	case s.Layout == Slots:
		return choice{layout: Slots, plan: slotPlan{block: 1}, reason: "asked for"}, true
	case s.Layout == Diagonals:
		return choice{layout: Diagonals, plan: slotPlan{block: 1, diagonals: true}, reason: "asked for"}, true
	case s.Layout == Tiles:
		return choice{layout: Tiles, plan: slotPlan{block: 1, tiles: true}, reason: "asked for"}, true
	}
	return c, false
}

// blocks is the best size of blocks.
func (s sample) blocks() choice {
	best := slotPlan{block: 1}
	least := math.Inf(1)
	for _, k := range s.kinds {
		if t := k.time(math.Inf(1)); k.block > 1 && !k.symmetric && t < least {
			best, least = k.slotPlan, t
		}
	}
	if best.block == 1 {
		return choice{Slots, best, "no blocks found"}
	}
	return choice{Blocks, best, "asked for"}
}

// fastest is the layout that the model likes best.
func (s sample) fastest(b *builder) choice {
	share := float64(b.m.NNZ()) / max(s.nnz, 1) // of the whole to the sample
	vectors := 8 * float64(b.m.Rows+b.m.Cols)
	x := float64(b.m.Cols) / 8 // lines
	fetch := cost{}
	if x > cacheLines {
		fetch.instructions = missTime * s.misses
	}
	s.csr.add(fetch)
	csr := s.csr.time(s.csr.bytes*share + vectors)
	best := choice{layout: CSR}
	least := worthwhile * csr
	if s.csr.bytes*share+vectors <= cacheBytes {
		least = worthwhileNear * csr
	}
	consider := func(p slotPlan, c cost) {
		if t := c.time(c.bytes*share + vectors); t < distinct*least {
			least = t
			best.plan, best.layout = p, p.layout()
		}
	}
	for _, k := range s.kinds {
		k.add(fetch)
		if k.symmetric {
			k.add(s.sums(b, k.block))
		}
		consider(k.slotPlan, k.cost)
	}
	if x > cacheLines && s.stored > 0 {
		units := float64(len(tileUnits(b.m)) - 1)
		tiles := cost{bytes: s.kinds[0].bytes + 2*s.segments + 64*x*units/share}
		tiles.instructions = tilePadding*gatherTime*s.stored/lanes + tileTime*s.segments/lanes + missTime*x*units/share
		consider(slotPlan{block: 1, tiles: true}, tiles)
	}
	if best.layout == CSR {
		best.reason = "nothing is faster by the model"
	} else {
		best.reason = fmt.Sprintf("%.1f times as fast as FP64 CSR by the model", csr/least)
	}
	return best
}

func (p slotPlan) layout() Layout {
	switch {
	case p.symmetric:
		return Symmetric
	case p.tiles:
		return Tiles
	case p.block > 1:
		return Blocks
	case p.diagonals:
		return Diagonals
	}
	return Slots
}
