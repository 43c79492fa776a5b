package adaptive

import (
	"errors"
	"fmt"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// A place for an element in the FP64 layouts takes so long in a product with double-double vectors, relative to SELL8: what takes time are
// the operations, of which SELL8 has a gather for four places, BCRS4x1 a broadcast, and CSR the ends of rows besides. Measured
// on Zen 3 (BenchmarkDD).
const (
	csrPlace  = 1.3
	bcrsPlace = 0.75
)

// chooseFP64DD chooses the layout in FP64 for double-double vectors, by how much rows of a sample have to be filled up.
func (b *builder) chooseFP64DD() choice {
	var elements, sell, bcrs int64
	for _, r := range b.sampleRanges() {
		lo, hi := r[0], r[1]
		elements += b.m.RowPtr[hi] - b.m.RowPtr[lo]
		start := kernels.SELL8Start(b.m.RowPtr[lo : hi+1])
		sell += kernels.Lanes * start[len(start)-1]
		for _, n := range kernels.CountBCRS(lo, hi, b.m.RowPtr, b.m.Col) {
			bcrs += kernels.BCRSRows * n
		}
	}
	best := choice{slotPlan{layout: CSR}, "for double-double vectors; the others would have to be filled up"}
	least := csrPlace * float64(elements)
	for _, l := range []struct {
		layout Layout
		places int64
		time   float64
	}{{SELL8, sell, float64(sell)}, {BCRS4x1, bcrs, bcrsPlace * float64(bcrs)}} {
		if l.time < least {
			least = l.time
			best = choice{slotPlan{layout: l.layout}, fmt.Sprintf("for double-double vectors; %.2f places for an element", float64(l.places)/float64(elements))}
		}
	}
	return best
}

// buildFP64DD stores the matrix as chosen, and in CSR if that takes too much memory.
func (b *builder) buildFP64DD(c choice) (Matrix, error) {
	a, err := c.layout.row().build(b, c)
	if errors.Is(err, ErrMemory) {
		return b.plain(choice{slotPlan{layout: CSR}, fmt.Sprintf("for double-double vectors; %s takes too much memory", c.layout)})
	}
	return a, err
}
