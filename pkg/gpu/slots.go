package gpu

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// slotStorage is AFX in slots, see source/slots.c.
type slotStorage struct {
	block       int
	slices      int
	ptr, stream buffer  // offsets of SELL slices and of their end, and the slices
	unit        float64 // half the quantum, if all rows have the same
	exps        buffer  // of the halves of the quanta
	own         uint32  // 1 if each row has a quantum of its own
	narrow      uint32  // integers of so many bits are decoded without doubles
	long        longRows
	text        string
	stats       adaptive.Stats
}

// slotKind says what besides single elements with a column may be in slots.
type slotKind struct {
	blocks    bool // dense blocks, if the matrix has them
	diagonals bool // diagonals without columns, where rows have some in common
}

// store stores a matrix in AFX in slots of the kind.
func (kind slotKind) store(d *Device, m *csr.Matrix, s adaptive.Spec, pool *parallel.Pool) (Matrix, error) {
	q, err := adaptive.NewQuantizer(m, s, pool)
	if err != nil {
		return nil, err
	}
	c := &slotConverter{m: m, q: q, block: 1, diagonals: kind.diagonals}
	if kind.blocks {
		c.block = q.BlockSize()
	}
	if c.panels, err = slotPanels(m, c.block); err != nil {
		return nil, err
	}
	t := c.run(d, pool)
	if words := c.words + slotPadding; words > mostWords {
		d.release(t.buffers()...)
		return nil, fmt.Errorf("gpu: the matrix takes %d words in slots; at most %d fit an offset", words, mostWords)
	}
	a, err := made(d, m.Rows, m.Cols, t)
	if err != nil {
		return nil, err
	}
	t.text = c.text(t)
	t.stats = q.Stats(c.tally.NNZ, a.Bytes()-t.exps.bytes, c.tally.Stored)
	t.stats.Scales, t.stats.Bytes = t.exps.bytes, a.Bytes()
	return a, nil
}

func (t *slotStorage) describe() (adaptive.Stats, string) { return t.stats, t.text }

func (t *slotStorage) buffers() []*buffer {
	return append(t.long.buffers(), &t.ptr, &t.stream, &t.exps)
}

// sliceBlocks is the number of blocks for the slices.
func (t *slotStorage) sliceBlocks() uint32 {
	return blocksFor(warp*t.slices, rowBlocks)
}

func (t *slotStorage) blocks() uint32 { return t.sliceBlocks() + t.long.blocks() }

func (t *slotStorage) multiply(d *Device, p *product) {
	blocks := t.sliceBlocks()
	k := spmvSlots1{chunks: uint32(t.slices), narrow: t.narrow, ptr: t.ptr, stream: t.stream, unit: t.unit, exps: t.exps, own: t.own, side: t.long.sums, product: *p}
	switch t.block {
	case 1:
		launchParts(d, blocks, k)
	case 2:
		launchParts(d, blocks, spmvSlots2(k))
	case 3:
		launchParts(d, blocks, spmvSlots3(k))
	case 4:
		launchParts(d, blocks, spmvSlots4(k))
	case 5:
		launchParts(d, blocks, spmvSlots5(k))
	case 6:
		launchParts(d, blocks, spmvSlots6(k))
	}
	t.long.finish(d, oneUnit+t.own, t.exps, blocks, p)
}

// slotConverter makes slots, panel after panel.
type slotConverter struct {
	m         *csr.Matrix
	q         adaptive.Quantizer
	block     int
	diagonals bool
	panels    []int

	mu    sync.Mutex
	ready []*slotPanel // converted, and not yet delivered
	next  int          // panel to deliver
	slotSums
}

// slotSums is what panels add up to.
type slotSums struct {
	words       int64
	ptr         []uint32
	row         []uint32 // rows in segments
	first       []uint32 // their first segments, and the end
	tally       packed.Tally
	onDiagonals int // slots of diagonals
}

const (
	panelElements = 1 << 17 // of a panel, about
	panelRows     = 1 << 15
	mostElements  = math.MaxInt32
	// 2^e is a number, maybe a subnormal one, for e from leastExponent to mostExponent.
	leastExponent, mostExponent = -1074, 1023
	// slotPadding is the number of words behind the stream that kernels may read.
	slotPadding = 2
)

// mostWords is what offsets of slices reach; a variable for tests.
var mostWords int64 = math.MaxUint32

// slotPanels cuts the rows into panels of whole slices, as far as that goes.
func slotPanels(m *csr.Matrix, block int) ([]int, error) {
	bounds := []int{0}
	for lo := 0; lo < m.Rows; {
		hi := lo
		for hi < m.Rows && hi-lo < panelRows && (hi == lo || m.RowPtr[hi]-m.RowPtr[lo] < panelElements) {
			step := warp * block
			if far := min(hi+step, m.Rows); m.RowPtr[far]-m.RowPtr[hi] > panelElements {
				step = block
			}
			hi = min(hi+step, m.Rows)
		}
		if m.RowPtr[hi]-m.RowPtr[lo] > mostElements {
			return nil, fmt.Errorf("gpu: rows %d to %d have more than 2^31-1 elements, too many for blocks", lo+1, hi)
		}
		bounds = append(bounds, hi)
		lo = hi
	}
	return bounds, nil
}

// run converts the panels in parallel, while those that are ready go to the device in their
// order.
func (c *slotConverter) run(d *Device, pool *parallel.Pool) *slotStorage {
	exps := slices.Clone(c.q.QuantumExps())
	for k := range exps {
		exps[k]-- // the kernels add up twice the integers
	}
	t := &slotStorage{block: c.block, unit: math.Ldexp(1, int(exps[0])), own: min(uint32(len(exps)-1), 1)}
	t.narrow = d.info.narrow()
	if e := exps[0]; t.own == 0 && (e < leastExponent || e > mostExponent) { // no number is 2^e
		t.own, exps = 1, slices.Repeat(exps, c.m.Rows)
	}
	t.exps = put(d, exps)
	u := newUploader(d, 3*int64(c.m.NNZ())+int64(c.m.Rows))
	c.first = []uint32{0}
	c.ready = make([]*slotPanel, len(c.panels)-1)
	var taken atomic.Int64
	workers := make([]int, pool.Threads()+1)
	for k := range workers {
		workers[k] = k
	}
	pool.RunRanges(workers, func(_, _, _ int) {
		w := c.newWriter()
		for k := int(taken.Add(1)) - 1; k < len(c.panels)-1; k = int(taken.Add(1)) - 1 {
			c.deliver(k, w.panel(c.panels[k], c.panels[k+1]), u)
		}
	})
	u.write(make([]uint32, slotPadding))
	t.stream = u.finish()
	t.ptr = put(d, append(c.ptr, uint32(c.words)))
	t.slices = len(c.ptr)
	if n := len(c.row); n > 0 {
		t.long = longRows{rows: uint32(n), segments: c.first[n], size: uint32(c.block), row: put(d, c.row), start: put(d, c.first)}
		t.long.sums = d.alloc(8 * int64(c.block) * int64(c.first[n]))
	}
	return t
}

// deliver takes a panel and uploads the panels that are next in order.
func (c *slotConverter) deliver(k int, p *slotPanel, u *uploader) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ready[k] = p
	for c.next < len(c.ready) && c.ready[c.next] != nil {
		c.add(c.ready[c.next])
		done := c.m.RowPtr[c.panels[c.next+1]] + int64(c.panels[c.next+1])
		all := int64(c.m.NNZ() + c.m.Rows)
		u.expected = int64(1.02*float64(c.words)*float64(all)/float64(max(done, 1))) + 4096
		if c.words <= mostWords {
			u.write(c.ready[c.next].stream)
		}
		c.ready[c.next] = nil
		c.next++
	}
}

// add counts a panel, and numbers its segments.
func (s *slotSums) add(p *slotPanel) {
	for _, at := range p.slices {
		s.ptr = append(s.ptr, uint32(s.words)+at)
	}
	segment := s.first[len(s.first)-1]
	for k, at := range p.segments {
		p.stream[at] = segment + uint32(k)
	}
	for _, l := range p.long {
		s.row = append(s.row, l.row)
		s.first = append(s.first, s.first[len(s.first)-1]+l.segments)
	}
	s.words += int64(len(p.stream))
	s.onDiagonals += p.onDiagonals
	s.tally.Add(&p.tally)
}

// text describes the layout.
func (c *slotConverter) text(t *slotStorage) string {
	text := "slots: 32 lanes, 16-bit columns"
	switch {
	case c.block > 1:
		text = fmt.Sprintf("slots of %d x %d blocks, 32 lanes", c.block, c.block)
	case c.onDiagonals > 0:
		text = "slots of diagonals, 32 lanes"
	}
	if t.long.rows > 0 {
		text += fmt.Sprintf("; %d long rows in segments", int(t.long.rows)*c.block)
	}
	return text
}
