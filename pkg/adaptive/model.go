package adaptive

import (
	"math"

	"github.com/klauspost/cpuid/v2"

	"github.com/mpsolve/mpsolve/internal/kernels"
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
	sliceTime    = 2.9  // a slice of rows, for each row of its blocks
	tileTime     = 5.2  // a slice of rows of a tile
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
	vectorBytes    = 24   // x and y, and y once more since it is read before it is written
)

// tileFactor is how much longer tiles take on this processor than on that one. On Zen 5 a product
// of a power-law matrix of 1e6 rows takes 2.3 times as long in tiles as in FP64 CSR, by the model
// 0.6 times: gathers and sums of rows that are loaded and stored again cost more there.
var tileFactor = func() float64 {
	if cpuid.CPU.VendorID == cpuid.AMD {
		return 3.6
	}
	return 1
}()

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
	p := &s.out
	c := cost{bytes: float64(panelSize(p) + vectorBytes*rows)}
	for _, v := range s.streams {
		c.bytes += float64(len(v))
	}
	b := float64(max(p.Block, 1))
	for _, g := range p.Groups {
		if s.lower {
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
			c.instructions += sliceTime * b
		}
	}
	return c
}
