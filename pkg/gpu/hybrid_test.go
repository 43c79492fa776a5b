package gpu

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// hybridOracle is what a product with ELL of some columns and COO is to give: in COO the elements of a
// row are added one by one in each thread's part of 4, these in each tile, and then the tiles.
func hybridOracle(m *csr.Matrix, width int, x []float64) []float64 {
	at := 0 // of the next element in COO
	return eachOf(m.Rows, func(i int) float64 {
		cols, vals := m.Row(i)
		k := min(len(cols), width)
		var y, sum, tile, part float64
		for j := range k {
			y = math.FMA(vals[j], x[cols[j]], y)
		}
		for j := k; j < len(cols); j++ {
			if j > k && at%4 == 0 {
				tile, part = tile+part, 0
			}
			if j > k && at%cooTile == 0 {
				sum, tile = sum+tile, 0
			}
			part += float64(vals[j] * x[cols[j]])
			at++
		}
		return y + (sum + (tile + part))
	})
}

// Rows that end anywhere in the parts of threads and tiles, with empty ones, and long ones of several
// tiles; more rows and tiles than blocks.
func TestHybrid(t *testing.T) {
	limitBlocks(t, 10)
	matrices := map[string]*csr.Matrix{
		"empty":   sparse(0, 0, nil),
		"zero":    sparse(10, 10, func(int) int { return 0 }),
		"1":       sparse(1, 1, func(int) int { return 1 }),
		"many":    sparse(30_001, 1000, func(i int) int { return i % 3 }),
		"wide":    sparse(1000, 1000, func(i int) int { return i % 60 }),
		"long":    sparse(5, 40000, func(i int) int { return []int{2048, 4097, 0, 40000, 8192}[i] }),
		"exactly": sparse(40, 5000, func(i int) int { return 256 << (i % 5) }),
		"long among short": sparse(3000, 9000, func(i int) int {
			if i%100 == 77 {
				return 4090 + i/100
			}
			return i % 4
		}),
	}
	eachDevice(t, func(t *testing.T, d *Device) {
		for _, name := range slices.Sorted(maps.Keys(matrices)) {
			m := matrices[name]
			x := normal(m.Cols, 1)
			for _, width := range []int{0, 1, 3, adaptive.HybridWidth(m), min(m.LongestRow(), 70)} {
				if spent(d, 200_000) {
					continue
				}
				a, err := newHybrid(d, m, width, "")
				if err != nil {
					t.Fatal(err)
				}
				s := a.(*deviceMatrix).stored.(*hybridStorage)
				checkProducts(t, fmt.Sprintf("%s, width %d", name, width), a, x, hybridOracle(m, width, x),
					rowsOracle(0, s.blocks(), 0, nil))
				a.Close()
			}
		}
	})
}

// The layouts are requested by name.
func TestHybridLayouts(t *testing.T) {
	m := sparse(1000, 1000, func(i int) int { return 1 + i%7 })
	eachDevice(t, func(t *testing.T, d *Device) {
		for _, c := range []struct {
			layout adaptive.Layout
			width  int
		}{{adaptive.COO, 0}, {adaptive.ELL, 7}, {adaptive.Hybrid, 6}} {
			a, err := NewMatrix(d, m, adaptive.Spec{Layout: c.layout}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if s, ok := a.(*deviceMatrix).stored.(*hybridStorage); !ok || s.width != c.width {
				t.Errorf("%s has %d columns of ELL, want %d", c.layout, s.width, c.width)
			}
			if bytes := int64(12*c.width*1024 + 16*1000); a.Bytes() < bytes-16*1000 || a.Bytes() > bytes+16*4000+8*1000+100 {
				t.Errorf("%s: %d bytes", c.layout, a.Bytes())
			}
			a.Close()
		}
	})
}
