package adaptive

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// Products with COO have the bits of CSR; those of ELL are added one by one, and Hybrid adds to such a
// sum of its first elements that of CSR of the others.
func TestHybrid(t *testing.T) {
	for name, m := range map[string]*csr.Matrix{
		"graph":     generated(t, "powerlaw", generate.Params{"n": 3000}),
		"body":      generated(t, "elasticity3d", generate.Params{"n": 9}),
		"empty":     pattern(t, 5000, 5000, func(i int) int { return i % 3 * (i % 2) }),
		"long":      pattern(t, 400, 4000, func(i int) int { return 1 + 3999*(i/399) }),
		"few rows":  pattern(t, 3, 20, func(i int) int { return 6 * i }),
		"no column": {Rows: 3, RowPtr: make([]int64, 4)},
	} {
		x := random(5, m.Cols)
		for _, c := range []struct {
			layout Layout
			width  int
		}{{COO, 0}, {ELL, m.LongestRow()}, {Hybrid, HybridWidth(m)}} {
			a := build(t, m, Spec{Set: set(t, "AFX"), Epsilon: 0x1p-24, Layout: c.layout})
			y, rest := make([]float64, m.Rows), int64(0)
			a.Apply(y, x)
			for i, v := range y {
				cols, vals := m.Row(i)
				k := min(len(cols), c.width)
				var want float64
				for j := range k {
					want += float64(vals[j] * x[cols[j]])
				}
				if want += fourSums(cols[k:], vals[k:], x); v != want {
					t.Fatalf("%s in %s: row %d is %g, want %g", name, c.layout, i+1, v, want)
				}
				rest += int64(len(cols) - k)
			}
			bytes := 12*int64(c.width)*int64(m.Rows) + 16*rest
			if rest > 0 {
				bytes += 8 * int64(len(csr.Panels(m)))
			}
			if a.Bytes() != bytes || a.Stats().NNZ != m.NNZ() || !c.layout.FP64() {
				t.Errorf("%s in %s: %d bytes of %d nonzeros, want %d of %d", name, c.layout, a.Bytes(), a.Stats().NNZ, bytes, m.NNZ())
			}
		}
	}
}

// fourSums is a row of CSR times x.
func fourSums(cols []int32, vals, x []float64) float64 {
	var s [4]float64
	for k, c := range cols {
		s[k%4] += float64(vals[k] * x[c])
	}
	return (s[0] + s[1]) + (s[2] + s[3])
}

// Four rows of five are no longer than the width.
func TestHybridWidth(t *testing.T) {
	for _, c := range []struct {
		lengths []int
		want    int
	}{
		{nil, 0},
		{[]int{0, 0, 0, 0, 9}, 0},
		{[]int{1, 2, 3, 4, 5}, 4},
		{[]int{9, 1, 1, 9, 1}, 9},
		{[]int{5, 5, 5, 5, 5, 5}, 5},
		{[]int{3, 1, 2, 9, 8, 7, 4, 5, 6, 10}, 8},
	} {
		m := &csr.Matrix{Rows: len(c.lengths), RowPtr: []int64{0}}
		for i, n := range c.lengths {
			m.RowPtr = append(m.RowPtr, m.RowPtr[i]+int64(n))
		}
		if w := HybridWidth(m); w != c.want {
			t.Errorf("%v: %d, want %d", c.lengths, w, c.want)
		}
	}
}

// A long row does not fill the memory.
func TestELLOfLongRows(t *testing.T) {
	const n = 1 << 13
	m := pattern(t, n, n, func(i int) int { return 1 + (n-1)*(i/(n-1)) })
	_, err := Build(m, Spec{Set: set(t, "AFX"), Epsilon: 0x1p-24, Layout: ELL}, newPool(t, 1))
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("up to %d elements", m.LongestRow())) {
		t.Errorf("%v", err)
	}
	build(t, m, Spec{Set: set(t, "AFX"), Epsilon: 0x1p-24, Layout: Hybrid})
}
