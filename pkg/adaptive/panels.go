package adaptive

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// maxItems bounds the elements of a panel, which an int32 numbers.
const maxItems = math.MaxInt32

const (
	leastPanels  = 64 // if there are so many
	leastOfPart  = 8  // in each of many parts
	mostTogether = 8
)

// slotPanels are the ranges of rows of m that are stored and multiplied each by
// itself, none of more than maxItems elements; at least so many, if there are so many of csr.
func slotPanels(m *csr.Matrix, p slotPlan, least int) ([]int, error) {
	var panels []int
	if p.traits().tiled {
		panels = tileUnits(m)
	} else {
		panels = bounded(m, slicePanels(m, p.block, least), p.block)
	}
	for k, hi := range panels[1:] {
		if lo := panels[k]; m.RowPtr[hi]-m.RowPtr[lo] > maxItems {
			return nil, fmt.Errorf("adaptive: rows %d to %d have more than 2^31-1 elements, too many for blocks", lo+1, hi)
		}
	}
	return panels, nil
}

// slicePanels are the panels of m moved to multiples of a slice of rows, or of
// block rows, and several together where there are many: what is stored of them is
// short, and the first lines of a panel are not prefetched.
func slicePanels(m *csr.Matrix, block, least int) []int {
	all := csr.Panels(m)
	together := min(max((len(all)-1)/least, 1), mostTogether)
	var panels []int
	for k := 0; k < len(all)-1; k += together {
		panels = append(panels, all[k])
	}
	panels = append(panels, m.Rows)
	for k := range panels[:len(panels)-1] {
		panels[k] = panels[k] / (block * lanes) * (block * lanes)
	}
	return slices.Compact(panels)
}

// bounded cuts the ranges of rows that have more than maxItems elements into
// multiples of step rows that do not, or of step rows alone.
func bounded(m *csr.Matrix, ranges []int, step int) []int {
	bounds := ranges[:1:1]
	for _, hi := range ranges[1:] {
		for lo := bounds[len(bounds)-1]; lo < hi; {
			most := sort.Search((hi-lo+step-1)/step-1, func(k int) bool {
				return m.RowPtr[min(lo+(k+2)*step, hi)]-m.RowPtr[lo] > maxItems
			})
			lo = min(lo+(most+1)*step, hi)
			bounds = append(bounds, lo)
		}
	}
	return bounds
}
