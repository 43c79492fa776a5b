package order

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

func ghostsIn(m *csr.Matrix, of []int32) int {
	seen := map[[2]int32]bool{}
	for i := range m.Rows {
		cols, _ := m.Row(i)
		for _, j := range cols {
			if of[j] != of[i] {
				seen[[2]int32{of[i], j}] = true
			}
		}
	}
	return len(seen)
}

func TestX(t *testing.T) {
	for _, c := range []struct {
		name string
		p    generate.Params
	}{{"poisson2d", generate.Params{"n": 200}}, {"poisson3d", generate.Params{"n": 32}}, {"transport3d", generate.Params{"n": 24}}, {"wathen", generate.Params{"nx": 40, "ny": 40}}} {
		name := c.name
		m, err := generate.Generate(name, c.p)
		if err != nil {
			t.Fatal(err)
		}
		p := make(csr.Permutation, m.Rows)
		for k, v := range rand.New(rand.NewPCG(1, 2)).Perm(m.Rows) {
			p[k] = int32(v)
		}
		m = m.Permuted(p, p.Inverse(), nil)
		w := make([]int64, m.Rows)
		mean := int64(m.NNZ() / m.Rows)
		for i := range w {
			w[i] = mean + m.RowPtr[i+1] - m.RowPtr[i]
		}
		for _, parts := range []int{2, 3, 8, 64} {
			of, err := Partition(t.Context(), NewGraph(m, nil), w, parts, nil)
			if err != nil {
				t.Fatal(err)
			}
			rows, nnz := make([]int, parts), make([]int64, parts)
			for i, k := range of {
				rows[k]++
				nnz[k] += m.RowPtr[i+1] - m.RowPtr[i]
			}
			var mr, mn float64
			for k := range parts {
				mr = max(mr, float64(rows[k])*float64(parts)/float64(m.Rows))
				mn = max(mn, float64(nnz[k])*float64(parts)/float64(m.NNZ()))
			}
			fmt.Println(name, m.Rows, parts, float64(ghostsIn(m, of))/float64(m.Rows), mr, mn)
		}
	}
}
