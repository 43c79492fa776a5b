package features

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
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

// A grid beyond the cache is scattered if its points have random numbers, but not where rows next to each other have columns near each other.
func TestScattered(t *testing.T) {
	few, many := generated(t, "poisson2d", generate.Params{"n": 100}), generated(t, "poisson2d", generate.Params{"n": 300})
	shuffled := func(m *csr.Matrix) *csr.Matrix {
		var p csr.Permutation
		for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(m.Rows) {
			p = append(p, int32(i))
		}
		return m.Permuted(p, p.Inverse(), nil)
	}
	for _, c := range []struct {
		name string
		m    *csr.Matrix
		want bool
	}{
		{"in the cache", shuffled(few), false},
		{"in order", many, false},
		{"shuffled", shuffled(many), true},
		{"rows that differ", generated(t, "powerlaw", generate.Params{"n": 3000}), true},
	} {
		if s := (&Matrix{M: c.m}); s.Scattered() != c.want {
			t.Errorf("%s: scattered: %v, irregular: %v", c.name, s.Scattered(), s.Irregular())
		}
	}
}
