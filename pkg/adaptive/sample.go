package adaptive

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/packed"
)

// What of a matrix is sampled.
const (
	sampleShare = 100 // one row of so many is in the sample
	sampleLeast = 12_000
	sampleMost  = 400_000 // elements
	sampleParts = 8
	countedRows = 240 // of a range, in which blocks of rows are counted, as that takes long
	leastParts  = 3   // where a range of sampleRows takes more than its part of the elements
	sampleRows  = 480 // ranges begin at multiples of eight rows of blocks of any size
)

// estimate is a kind of slots and the cost of a product with the sample.
type estimate struct {
	slotPlan
	cost
}

// impossible is the cost of slots that a matrix cannot have, or for nothing.
var impossible = func() (c cost) {
	for k := range c.work {
		c.work[k] = math.Inf(1)
	}
	c.bytes = math.Inf(1)
	return c
}()

// sample is what is known about a sample of rows.
type sample struct {
	nnz, stored float64 // elements, and those that are not dropped
	csr         cost
	estimates   []estimate
	firstMisses float64 // elements of x that are not in the first-level cache
	misses      float64 // those that are not in the core's cache
	segments    float64 // of columns that a row has elements in, in all
	parts       []symmetricPart
}

// plans are those that the model compares, in the order of the table of layouts.
func (b *builder) plans() (list []estimate) {
	for _, l := range layoutTable {
		if l.plans == nil || b.spec.DD && !l.dd {
			continue
		}
		for _, p := range l.plans(b) {
			list = append(list, estimate{slotPlan: p})
		}
	}
	return list
}

// sampleRanges are ranges of rows, spread over the matrix; those of rows so long
// that they have more than maxItems elements are left out.
func (b *builder) sampleRanges() (ranges [][2]int) {
	nnz := max(b.m.NNZ(), 1)
	target := min(max(nnz/sampleShare, sampleLeast), sampleMost)
	if nnz <= 2*target { // all rows
		target = nnz
	}
	parts := max(leastParts, min(sampleParts, target*b.m.Rows/(sampleRows*nnz)))
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
	total := sample{estimates: b.plans()}
	if b.mirrored {
		total.parts = b.cutParts(b.panels, 1, 8)
	}
	for _, p := range parts {
		total.nnz += p.nnz
		total.stored += p.stored
		total.firstMisses += p.firstMisses
		total.misses += p.misses
		total.segments += p.segments
		total.csr.add(p.csr)
		for k := range p.estimates {
			total.estimates[k].add(p.estimates[k].cost)
		}
	}
	return total
}

func (b *builder) sampleRange(lo, hi int) sample {
	s := newSlotBuilder(slotPlan{}, b.kernels)
	s.ints.Quantize(b.m, b.part, lo, hi)
	t := &s.ints
	nnz, rows := float64(b.m.RowPtr[hi]-b.m.RowPtr[lo]), float64(hi-lo)
	p := sample{
		nnz: nnz, stored: float64(len(t.Col)), estimates: b.plans(),
	}
	p.csr.work[csrRowWork], p.csr.work[csrWork], p.csr.work[csrTurnWork] = rows, nnz, turns(b.m.RowPtr[lo:hi+1])
	p.csr.bytes = 12*nnz + (8+vectorBytes)*rows
	p.firstMisses, _ = spread(t, firstLines)
	p.misses, p.segments = spread(t, b.model.cacheLines())
	var fills [packed.MaxBlock + 1]float64 // by the size of blocks; 0: not known yet
	for k := range p.estimates {
		e := &p.estimates[k]
		s.setPlan(e.slotPlan)
		if b := e.block; b > 1 && t.Rows >= b && t.First[t.Rows] > 0 {
			if fills[b] == 0 {
				fills[b] = t.Fill(b, sampleRows)
			}
			if fills[b] < leastFill {
				e.cost = impossible
				continue
			}
		}
		switch {
		case s.tiled: // which are estimated from slots
			continue
		case e.layout.FP64():
			e.cost = b.filledCost(e.layout, lo, hi)
			continue
		}
		s.build()
		e.cost = s.panelCost(hi - lo)
	}
	return p
}

// turns counts the rows that have more or fewer fours of elements than the row before: the kernel of FP64 CSR has a
// branch for each four.
func turns(rowPtr []int64) (n float64) {
	fours := func(i int) int64 { return (rowPtr[i+1] - rowPtr[i] + 3) / 4 }
	for i := 1; i < len(rowPtr)-1; i++ {
		if fours(i) != fours(i-1) {
			n++
		}
	}
	return n
}

// filledCost is the cost of a product with the rows lo to hi-1 in SELL8 or BCRS4x1.
func (b *builder) filledCost(l Layout, lo, hi int) (c cost) {
	c.bytes = vectorBytes * float64(hi-lo)
	if l == SELL8 {
		start := kernels.SELL8Start(b.m.RowPtr[lo : hi+1])
		c.work[chunkWork], c.work[chunkSlotWork] = float64(len(start)-1), float64(start[len(start)-1])
		c.bytes += float64(kernels.SELL8Bytes(start))
		return c
	}
	first := min(lo+countedRows, hi)
	start := kernels.BCRSStart(kernels.CountBCRS(lo, first, b.m.RowPtr, b.m.Col))
	all := float64(hi-lo) / float64(first-lo)
	c.work[blockRowWork], c.work[rowBlockWork] = all*float64(len(start)-1), all*float64(start[len(start)-1])
	c.bytes += all * float64(kernels.BCRSBytes(start))
	return c
}

// spread counts the elements of x that a core's cache does not have, unless they
// are in the line behind one that it has, which is fetched in time, and the segments
// of columns of each row.
func spread(t *packed.Integers, cacheLines int) (misses, segments float64) {
	cache := make([]int32, cacheLines)
	lines := int32(cacheLines)
	for i := range t.Rows {
		last := int32(-1)
		for _, j := range t.Col[t.First[i]:t.First[i+1]] {
			if line := j/8 + 1; cache[line%lines] != line {
				if cache[(line-1)%lines] != line-1 {
					misses++
				}
				cache[line%lines] = line
			}
			if j/columnReach != last {
				last = j / columnReach
				segments++
			}
		}
	}
	return misses, segments
}
