package features

import (
	"runtime"
	"testing"
)

// The shape of a graph of more rows than 32 bits number is found in memory for the rows that are looked at.
func TestShapeOfManyRows(t *testing.T) {
	for _, c := range []struct {
		edge int64
		dim  int
		want GraphShape
	}{{70_000, 2, Planar}, {2500, 3, Spatial}} {
		n := int64(1)
		for range c.dim {
			n *= c.edge
		}
		columns := func(rows []int64) (columns [][]int64) {
			for _, row := range rows {
				cols := []int64{row}
				for step := int64(1); step < n; step *= c.edge {
					if row/step%c.edge > 0 {
						cols = append(cols, row-step)
					}
					if row/step%c.edge < c.edge-1 {
						cols = append(cols, row+step)
					}
				}
				columns = append(columns, cols)
			}
			return columns
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := shapeOf(n, columns)
		runtime.ReadMemStats(&after)
		if bytes := after.TotalAlloc - before.TotalAlloc; got != c.want || bytes > 64<<20 {
			t.Errorf("%d^%d points: shape %d, want %d; %d bytes", c.edge, c.dim, got, c.want, bytes)
		}
	}
}
