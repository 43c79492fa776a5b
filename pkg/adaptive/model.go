package adaptive

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// The layout is chosen by a model of the time of a product on one core, of what the
// instructions take and of what the memory takes for the bytes:
//
//	hypot(instructions, bytes / rate).
//
// A sample of the rows is stored in slots of every kind that could pay, the work of a product
// with it is counted, and a Model says how long a piece of each kind of work takes.

// work is a kind of work of a product.
type work int

const (
	gatherWork    work = iota // a slot with columns
	diagonalWork              // a slot of a diagonal
	blockWork                 // a slot of blocks
	valueWork                 // and eight values of it
	sliceWork                 // a slice of rows, for each row of its blocks
	farWork                   // a slot with 24-bit columns
	tileSlotWork              // eight elements of a tile
	tileWork                  // a slice of rows of a tile
	scatterWork               // a slot added to eight columns, up to four elements of each
	transposeWork             // eight values of a block, multiplied with once more
	sumWork                   // eight bytes of the sums of a part of a symmetric matrix
	csrRowWork                // FP64 CSR: a row
	csrWork                   // and an element
	missWork                  // an element of x that is not in the core's cache, nor just behind one
	farMissWork               // one of a slot with 24-bit columns
	works
)

// workNames are those in files, in the order of the constants.
var workNames = [works]string{
	"slot", "diagonal slot", "block slot", "block value", "slice row", "far slot", "tile slot", "tile slice", "scatter", "transposed value",
	"sum", "CSR row", "CSR element", "cache miss", "far cache miss",
}

const (
	worthwhile     = 0.95 // of the time of FP64 CSR that adaptive storage may take
	worthwhileNear = 0.84 // and where FP64 CSR is in the cache: the model is less sure there
	distinct       = 0.97 // of the time of a simpler kind of slots
	leastFill      = 0.6  // of the places of blocks that hold an element
	vectorBytes    = 24   // x and y, and y once more since it is read before it is written
)

// A Model has the times of the work of a product on one core of a processor with a set of kernels. The choice of a layout depends on it, and so do the bits of products, on nothing else
// of the processor: models are tables, or measured once, and then kept; see ModelOf and Calibrate.
type Model struct {
	Name    string // of the processor, and how the model came about
	Kernels string // name of their set

	times [works]float64 // ns for a piece of work

	Rates Rates
	Sizes Sizes
}

// Rates are bytes per ns that one core reads.
type Rates struct {
	Memory float64 // of memory
	Cache  float64 // of the cache that cores share
}

// Sizes are the bytes that fit in a cache.
type Sizes struct {
	Near   int64 // the cache of the core
	Shared int64 // the cache of all cores, as far as one core may use it
}

// cacheLine is the bytes that memory delivers at once.
const cacheLine = 64

// cacheLines is how many lines of x the core's own cache is taken to hold: half of it.
func (m *Model) cacheLines() int { return int(m.Sizes.Near / 2 / cacheLine) }

// cost is the work of a product, and the bytes that it touches.
type cost struct {
	work  [works]float64
	bytes float64
}

func (c *cost) add(o cost) {
	for k, w := range o.work {
		c.work[k] += w
	}
	c.bytes += o.bytes
}

func (c *cost) scale(factor float64) {
	for k := range c.work {
		c.work[k] *= factor
	}
	c.bytes *= factor
}

// instructions is the time in ns that the work takes where all is in the core's own cache.
func (m *Model) instructions(c cost) (ns float64) {
	for k, w := range c.work {
		ns += w * m.times[k]
	}
	return ns
}

// rate returns the rate of the level of memory that holds so many bytes.
func (m *Model) rate(footprint float64) float64 {
	switch {
	case footprint <= float64(m.Sizes.Near):
		return math.Inf(1)
	case footprint <= float64(m.Sizes.Shared):
		return m.Rates.Cache
	}
	return m.Rates.Memory
}

// time is in ns; footprint is the bytes of all that the product touches.
func (m *Model) time(c cost, footprint float64) float64 {
	return math.Hypot(m.instructions(c), c.bytes/m.rate(footprint))
}

// panelCost is the cost of a product with the panel that was built last.
func (s *slotBuilder) panelCost(rows int) (c cost) {
	p := &s.out
	c.bytes = float64(panelSize(p) + vectorBytes*rows)
	for _, v := range s.streams {
		c.bytes += float64(len(v))
	}
	b := float64(max(p.Block, 1))
	for _, g := range p.Groups {
		slots := float64(g.Slots)
		switch {
		case s.lower:
			c.addLower(g, b)
			continue
		case g.Flags&kernels.Diagonal != 0:
			c.work[diagonalWork] += slots
		case p.Block > 1:
			c.work[blockWork] += slots
			c.work[valueWork] += b * b * slots
		case p.Far:
			c.work[farWork] += slots
		default:
			c.work[gatherWork] += slots
		}
		if g.Flags&kernels.Last != 0 {
			c.work[sliceWork] += b
		}
	}
	return c
}
