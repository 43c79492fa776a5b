package adaptive

import (
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// The layout is chosen by a model of the time of a product on one core, of what
// the instructions take and of what the memory takes for the bytes:
//
//	hypot(instructions, bytes / rate).
//
// A sample of the rows is stored in slots of every kind that could pay, and what
// it takes is added up with the constants below. They are least-squares fits to 75
// matrices in all layouts on a Sapphire Rapids core (15 GB/s), with a median error
// of a tenth; testdata/layouts.jsonl has the measurements. Times are in ns.
const (
	gatherTime   = 3.1  // a slot with columns
	diagonalTime = 2.0  // a slot of a diagonal
	blockTime    = 5.1  // a slot of blocks
	valueTime    = 0.8  // and eight values of it
	chunkTime    = 2.9  // a chunk of rows, for each row of its blocks
	tileTime     = 5.2  // a chunk of rows of a tile
	csrRowTime   = 1.64 // FP64 CSR: a row
	csrTime      = 0.24 // and an element
	missTime     = 3.0  // an element of x that is not in the core's cache, nor just behind one

	memoryRate = 17.     // bytes per ns
	cacheRate  = 40.     // where the cache that cores share holds all
	nearBytes  = 2 << 20 // what is touched is in the core's own cache
	cacheBytes = 24 << 20
	cacheLines = 1 << 14 // of x in the core's own cache

	worthwhile     = 0.95 // of the time of FP64 CSR that adaptive storage may take
	worthwhileNear = 0.88 // and where FP64 CSR is in the cache: the model is less sure there
	distinct       = 0.97 // of the time of a simpler kind of slots
	leastFill      = 0.6  // of the places of blocks that hold an element
	tilePadding    = 1.15 // lanes of tiles for an element
	sampleShare    = 100  // one row of so many is in the sample
	sampleLeast    = 40_000
	sampleMost     = 400_000 // elements
	sampleParts    = 8
	sampleRows     = 480 // ranges begin at multiples of eight rows of blocks of any size
	vectorBytes    = 24  // x and y, and y once more since it is read before it is written
)

// cost is what a product takes, by the model.
type cost struct{ instructions, bytes float64 }

func (c *cost) add(o cost) { c.instructions += o.instructions; c.bytes += o.bytes }

// time is in ns; footprint is the bytes of all that the product touches.
func (c cost) time(footprint float64) float64 {
	switch {
	case footprint <= nearBytes:
		return c.instructions
	case footprint <= cacheBytes:
		return math.Hypot(c.instructions, c.bytes/cacheRate)
	}
	return math.Hypot(c.instructions, c.bytes/memoryRate)
}

// panelCost is the cost of a product with the panel that was built last.
func (s *slotBuilder) panelCost(rows int) cost {
	p := &s.SlotPanel
	c := cost{bytes: float64(panelSize(p) + vectorBytes*rows)}
	for _, v := range s.streams {
		c.bytes += float64(len(v))
	}
	b := float64(max(p.Block, 1))
	for _, g := range p.Groups {
		if s.slotPlan.symmetric {
			c.instructions += lowerTime(g, b)
			continue
		}
		slot := gatherTime
		switch {
		case g.Flags&kernels.Diagonal != 0:
			slot = diagonalTime
		case p.Block > 1:
			slot = blockTime + b*b*valueTime
		}
		c.instructions += slot * float64(g.Slots)
		if g.Flags&kernels.Last != 0 {
			c.instructions += chunkTime * b
		}
	}
	return c
}

// candidate is a kind of slots and what a sample took.
type candidate struct {
	slotPlan
	cost
}

// sample is what is known about a sample of rows.
type sample struct {
	nnz, stored float64 // elements, and those that are not dropped
	csr         cost
	kinds       []candidate
	misses      float64 // elements of x that are not in the cache
	segments    float64 // of columns that a row has elements in, in all
	parts       []symmetricPart
}

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

// kinds are the plans that the model compares, in this order; those that the
// dimensions forbid are left out.
func (b *builder) kinds() []candidate {
	kinds := []candidate{{slotPlan: slotPlan{block: 1}}, {slotPlan: slotPlan{block: 1, diagonals: true}}}
	for size := 2; size <= maxBlock; size++ {
		if b.m.Rows%size == 0 && b.m.Cols%size == 0 {
			kinds = append(kinds, candidate{slotPlan: slotPlan{block: size}})
		}
	}
	if b.mirrored { // large blocks first
		for _, k := range slices.Backward(kinds) {
			if k.block > 1 {
				kinds = append(kinds, candidate{slotPlan: slotPlan{block: k.block, symmetric: true}})
			}
		}
	}
	return kinds
}

// sampleRanges are ranges of rows, spread over the matrix; those of rows so long
// that they have more than maxItems elements are left out.
func (b *builder) sampleRanges() (ranges [][2]int) {
	target := min(max(b.m.NNZ()/sampleShare, sampleLeast), sampleMost)
	parts := sampleParts
	if b.m.NNZ() <= 2*target {
		parts, target = 1, math.MaxInt
	}
	next := 0
	for k := range parts {
		lo := max(next, k*b.m.Rows/parts/sampleRows*sampleRows)
		hi := lo
		for hi < b.m.Rows && int(b.m.RowPtr[hi]-b.m.RowPtr[lo]) < target/parts {
			hi = min(hi+sampleRows, b.m.Rows)
		}
		if lo < hi && b.m.RowPtr[hi]-b.m.RowPtr[lo] <= maxItems {
			ranges = append(ranges, [2]int{lo, hi})
		}
		next = hi
	}
	return ranges
}

// sample stores a sample of the rows in slots of every kind.
func (b *builder) sample() sample {
	ranges := b.sampleRanges()
	parts := make([]sample, len(ranges))
	numbers := make([]int, len(ranges)+1)
	for k := range numbers {
		numbers[k] = k
	}
	b.pool.RunRanges(numbers, func(k, _, _ int) { parts[k] = b.sampleRange(ranges[k][0], ranges[k][1]) })
	total := sample{kinds: b.kinds()}
	if b.mirrored {
		total.parts = b.cutParts(b.panels, 1, 8)
	}
	for _, p := range parts {
		total.nnz += p.nnz
		total.stored += p.stored
		total.misses += p.misses
		total.segments += p.segments
		total.csr.add(p.csr)
		for k := range p.kinds {
			total.kinds[k].add(p.kinds[k].cost)
		}
	}
	return total
}

func (b *builder) sampleRange(lo, hi int) sample {
	var s slotBuilder
	s.ints.quantize(b, lo, hi)
	t := &s.ints.items
	nnz, rows := float64(b.m.RowPtr[hi]-b.m.RowPtr[lo]), float64(hi-lo)
	p := sample{
		nnz: nnz, stored: float64(len(t.col)), kinds: b.kinds(),
		csr: cost{csrRowTime*rows + csrTime*nnz, 12*nnz + (8+vectorBytes)*rows},
	}
	p.misses, p.segments = t.spread()
	for k := range p.kinds {
		kind := &p.kinds[k]
		s.slotPlan = kind.slotPlan
		if b := kind.block; b > 1 {
			if t.rows >= b && t.first[t.rows] > 0 && t.fill(b, sampleRows) < leastFill {
				kind.cost = cost{math.Inf(1), math.Inf(1)}
				continue
			}
		}
		s.build()
		kind.cost = s.panelCost(hi - lo)
	}
	return p
}

// spread counts the elements of x that a core's cache does not have, unless they
// are in the line behind one that it has, which is fetched in time, and the segments
// of columns of each row.
func (t *items) spread() (misses, segments float64) {
	cache := make([]int32, cacheLines)
	for i := range t.rows {
		last := int32(-1)
		for _, j := range t.col[t.first[i]:t.first[i+1]] {
			if line := j/8 + 1; cache[line%cacheLines] != line {
				if cache[(line-1)%cacheLines] != line-1 {
					misses++
				}
				cache[line%cacheLines] = line
			}
			if j/reach != last {
				last = j / reach
				segments++
			}
		}
	}
	return misses, segments
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

// plain is the matrix in FP64 CSR.
func (b *builder) plain(c choice) *Matrix {
	nnz := 0
	for _, v := range b.m.Val {
		if v != 0 {
			nnz++
		}
	}
	a := newMatrix(b, c)
	a.plain = linop.NewCSR(b.m, b.pool)
	a.stats = Stats{
		Formats: []FormatStats{{format("FP64"), nnz, b.m.Bytes()}},
		NNZ:     nnz, Bytes: b.m.Bytes(),
	}
	return a
}
