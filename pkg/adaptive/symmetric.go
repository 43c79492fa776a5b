package adaptive

import (
	"math"
	"slices"
	"sync"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// A symmetric matrix has only its lower triangle in slots, see
// kernels.MulSymmetric: each block counts for its rows and for its columns. A
// product goes in two steps. The panels are divided into parts, at most
// mostParts of them whatever the number of threads; each has its own sums,
// which reach from its lowest column to its last row. Then the sums of a row are
// added in the order of the parts.
const (
	mostParts  = 64
	leastPart  = 1 << 17 // elements of the matrix
	largeParts = 16      // from here on parts have at least largePart elements: sums of many overlap
	largePart  = 1 << 20
)

// symmetricMatrix is a symmetric matrix in slots of its lower triangle.
type symmetricMatrix struct {
	slotMatrix
	parts []symmetricPart
	pool  *parallel.Pool
	x     []float64 // of the product that runs
	k     int       // its number of vectors
}

// symmetricPart is a range of panels and the range of block rows of its sums.
type symmetricPart struct {
	first, last int // panels first to last-1
	from, own   int // the block rows from..own-1 have columns only
	to          int
	sums        []float64
	several     []float64 // sums of several vectors, from their first product on
}

// cutParts cuts the panels with these bounds into parts, without their sums; it
// looks at one row of so many.
func (b *builder) cutParts(bounds []int, block, step int) []symmetricPart {
	lowest := make([]int, len(bounds)-1) // columns
	b.pool.RunRanges(bounds, func(panel, lo, hi int) {
		low := lo
		for i := lo; i < hi; i += step {
			if k := b.m.RowPtr[i]; k < b.m.RowPtr[i+1] {
				low = min(low, int(b.m.Col[k]))
			}
		}
		lowest[panel] = low
	})
	total := b.m.NNZ()
	count := max(1, min(total/leastPart, max(largeParts, min(mostParts, total/largePart))))
	var parts []symmetricPart
	for k, low := range lowest {
		if len(parts) == 0 || int(b.m.RowPtr[bounds[k]])*count >= total*len(parts) && total > 0 {
			parts = append(parts, symmetricPart{first: k, from: bounds[k] / block, own: bounds[k] / block})
		}
		p := &parts[len(parts)-1]
		p.last, p.to = k+1, bounds[k+1]/block
		p.from = min(p.from, low/block)
	}
	return parts
}

// symmetric stores the lower triangle of the matrix, or the matrix in another layout if it turns
// out not to be symmetric.
func (b *builder) symmetric(c choice) (Matrix, error) {
	slots, stats, err := b.packed(c.slotPlan)
	if err != nil {
		return nil, err
	}
	if b.mirror != 0 {
		return b.build(b.otherwise())
	}
	s := &symmetricMatrix{slotMatrix: *slots, parts: b.cutParts(b.panels, c.block, 1), pool: b.pool}
	for k := range s.parts {
		p := &s.parts[k]
		p.sums = make([]float64, kernels.SumStride(c.block)*(p.to-p.from))
		stats.Work += int64(8 * len(p.sums))
	}
	a := newMatrix(b, c, s)
	a.stats = stats
	return a, nil
}

// Begin computes the sums of all parts.
func (s *symmetricMatrix) Begin(x []float64) {
	s.x = x
	s.pool.Run(len(s.parts), s)
	s.x = nil
}

// Do computes the sums of a part.
func (s *symmetricMatrix) Do(part int) {
	p, block := &s.parts[part], s.plan.block
	clear(p.sums)
	for k := p.first; k < p.last; k++ {
		panel := &s.panels[k][0]
		r := kernels.SymmetricRange{Row: panel.lo / block, Rows: (panel.hi - panel.lo) / block, Sums: p.from}
		s.kernels.MulSymmetric(p.sums, &panel.SlotPanel, s.x, r)
	}
}

// MulRows adds up the sums of rows, times their unit.
func (s *symmetricMatrix) MulRows(dst []float64, _, lo, hi int, _ []float64) {
	block := s.plan.block
	stride := kernels.SumStride(block)
	first, end := lo/block, hi/block
	for k := range s.parts {
		p := &s.parts[k]
		if p.to < end || p.from >= end {
			continue
		}
		at := max(first, p.from)
		kernels.AddSums(dst[block*at:hi], p.sums[stride*(at-p.from):stride*(end-p.from)], block, s.units.Factor, p.own > first)
	}
	s.scale(dst[lo:hi], lo)
}

// maybeSymmetric reports whether a sample of the rows speaks for a matrix that is
// symmetric as it is stored.
func (b *builder) maybeSymmetric() bool {
	if b.m.Rows != b.m.Cols || b.part.Criterion != packed.NW || b.part.NoDrop {
		return false
	}
	for _, r := range b.sampleRanges() {
		if b.unpaired(r[0], min(r[1], r[0]+pairedRows)) == different {
			return false
		}
	}
	return true
}

// pairedRows is the number of rows of each range of the sample that are looked at.
const pairedRows = 100

// different is what unpaired returns if a pair is not the same.
const different = math.MaxInt

// unpaired compares the elements below the diagonal of the rows lo to hi-1 with
// those above in their columns, where they must be, and returns the number of those
// above the diagonal of these rows less that of those below. Elements that round to
// zero do not count.
func (b *builder) unpaired(lo, hi int) int {
	n := 0
	m := b.m
	half := math.Ldexp(0.5, b.part.Tol.Exponent(0)-b.part.UnitQuanta) // of the quantum
	if b.spec.Set.lossless() {
		half = 0
	}
	next := make([]int64, hi) // element of row j to look at next, 0 before the first
	for i := lo; i < hi; i++ {
		k, end := m.RowPtr[i], m.RowPtr[i+1]
		for ; k < end && int(m.Col[k]) < i; k++ {
			j, v := m.Col[k], m.Val[k]
			if math.Abs(v) <= half {
				continue
			}
			n--
			at, last := next[j], m.RowPtr[j+1]
			if at == 0 {
				first, _ := slices.BinarySearch(m.Col[m.RowPtr[j]:last], int32(i))
				at = m.RowPtr[j] + int64(first)
			}
			for at < last && int(m.Col[at]) < i {
				at++
			}
			if at == last || int(m.Col[at]) != i || m.Val[at] != v && b.multiple(m.Val[at]) != b.multiple(v) {
				return different
			}
			next[j] = at + 1
		}
		for _, v := range m.Val[k:end] {
			if math.Abs(v) > half {
				n++
			}
		}
		if k < end && int(m.Col[k]) == i && math.Abs(m.Val[k]) > half {
			n--
		}
	}
	return n
}

// multiple is the multiple of the quantum that v is stored as, for NW; v itself if it is stored as it is.
func (b *builder) multiple(v float64) float64 {
	if b.spec.Set.lossless() {
		return v
	}
	return math.RoundToEven(dd.Ldexp(v, b.part.UnitQuanta-b.part.Tol.Exponent(0)))
}

// blockColumns turns columns into block columns.
func (s *slotBuilder) blockColumns() {
	for k := range s.out.Groups {
		s.out.Groups[k].Base /= uint32(s.Block)
	}
	for k := range s.out.Index {
		s.out.Index[k] /= uint16(s.Block)
	}
}

// ownBlocks writes the slot of the blocks on the diagonal, the last ones of their block
// rows, of a slice of these block rows.
func (s *slotBuilder) ownBlocks(rows []int) {
	var cols [lanes]int32
	for l, i := range rows {
		cols[l] = int32(s.ints.Lo + s.Block*i)
	}
	if s.Last(cols[:len(rows)]) {
		s.group(0, 1, kernels.Diagonal)
		s.slots(shortWidths, 1, 0)
	}
}

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

// weights are odd pseudo-random numbers w_i, one for each row, by which a matrix M of integers is
// told from its transpose: the sum over j > i of w_i w_j (f(m_ij) - f(m_ji)) modulo 2^64, where f
// is one to one and moves high bits down. It is 0 if M is symmetric, never 0 if a single pair
// differs, and otherwise by chance. Sums of integers do not depend on their order.
type weights []uint64

func newWeights(n int, pool *parallel.Pool) weights {
	w := make(weights, n)
	const part = 1 << 16
	pool.Each((n+part-1)/part, func(k int) {
		for i := k * part; i < min((k+1)*part, n); i++ {
			v := uint64(i+1) * 0x9e3779b97f4a7c15 // the finalizer of SplitMix64
			v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
			v = (v ^ v>>27) * 0x94d049bb133111eb
			w[i] = v ^ v>>31 | 1
		}
	})
	return w
}

// mirrorOf is the part of the sum of rows.
func (b *builder) mirrorOf(w weights, t *packed.Integers) uint64 {
	return b.kernels.Mirror(t.First, t.Col, t.M, w, t.Lo)
}

// isSymmetric reports whether the matrix is symmetric as it is stored: a_ij and a_ji
// are the same multiple of the same quantum.
func (b *builder) isSymmetric() bool {
	w := newWeights(b.m.Rows, b.pool)
	parts := make([]uint64, len(b.panels)-1)
	scratch := sync.Pool{New: func() any { return new(packed.Integers) }}
	b.pool.RunRanges(b.panels, func(k, lo, hi int) {
		t := scratch.Get().(*packed.Integers)
		defer scratch.Put(t)
		t.Quantize(b.m, b.part, lo, hi)
		parts[k] = b.mirrorOf(w, t)
	})
	sum := uint64(0)
	for _, p := range parts {
		sum += p
	}
	return sum == 0
}
