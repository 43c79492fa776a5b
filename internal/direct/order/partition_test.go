package order

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// shuffled returns a matrix with random numbers of its rows and columns.
func shuffled(m *csr.Matrix) *csr.Matrix {
	p := make(csr.Permutation, m.Rows)
	for k, v := range rand.New(rand.NewPCG(1, 2)).Perm(m.Rows) {
		p[k] = int32(v)
	}
	return m.Permuted(p, p.Inverse(), nil)
}

// weights are the nonzeros of each row and the mean.
func weights(m *csr.Matrix) []int64 {
	w := make([]int64, m.Rows)
	for i := range w {
		w[i] = m.RowPtr[i+1] - m.RowPtr[i] + int64(m.NNZ()/m.Rows)
	}
	return w
}

// partsOf returns the vertices of other parts that the rows of all parts refer to, and the largest number of rows and of nonzeros of a part, relative
// to the mean.
func partsOf(m *csr.Matrix, of []int32, parts int) (ghosts int, rows, nonzeros float64) {
	seen := map[[2]int32]bool{}
	count, nnz := make([]int, parts), make([]int64, parts)
	for i := range m.Rows {
		cols, _ := m.Row(i)
		for _, j := range cols {
			if of[j] != of[i] {
				seen[[2]int32{of[i], j}] = true
			}
		}
		count[of[i]]++
		nnz[of[i]] += int64(len(cols))
	}
	return len(seen), float64(slices.Max(count)*parts) / float64(m.Rows), float64(slices.Max(nnz)*int64(parts)) / float64(m.NNZ())
}

// Parts of meshes with random numbers have equal shares of rows and nonzeros, and about as few ghosts as cubes and squares have.
func TestPartition(t *testing.T) {
	ideal := func(parts int, dim, n float64) float64 { // ghosts of halves, quarters, ... of a cube of n points an edge, relative to all
		planes := map[int]float64{2: 1, 8: 3, 64: 9}[parts]
		if dim == 2 {
			planes = map[int]float64{2: 1, 8: 4, 64: 14}[parts]
		}
		return 2 * planes / n
	}
	for _, c := range []struct {
		kind   string
		p      generate.Params
		dim, n float64
		most   float64 // ghosts, relative to ideal
	}{
		{"poisson2d", generate.Params{"n": 128}, 2, 128, 1.1},
		{"poisson3d", generate.Params{"n": 32}, 3, 32, 1.1},
		{"transport3d", generate.Params{"n": 24}, 3, 24, 1.5}, // elements: domains that touch at edges and corners have ghosts, too
	} {
		m, err := generate.Generate(c.kind, c.p)
		if err != nil {
			t.Fatal(err)
		}
		m = shuffled(m)
		g := NewGraph(m, m.Transpose(nil))
		for _, parts := range []int{2, 8, 64} {
			of, err := Partition(t.Context(), g, weights(m), parts, newPool(t, 2))
			if err != nil {
				t.Fatal(err)
			}
			ghosts, rows, nonzeros := partsOf(m, of, parts)
			relative := float64(ghosts) / (ideal(parts, c.dim, c.n) * float64(m.Rows))
			t.Logf("%s in %d parts: ghosts %.2f of ideal, rows %.3f, nonzeros %.3f", c.kind, parts, relative, rows, nonzeros)
			if relative > c.most || rows > 1.06 || nonzeros > 1.06 {
				t.Errorf("%s in %d parts: ghosts %.2f of ideal, rows %.3f and nonzeros %.3f of the mean", c.kind, parts, relative, rows, nonzeros)
			}
			for threads := 1; threads <= 3; threads++ {
				if again, err := Partition(t.Context(), g, weights(m), parts, newPool(t, threads)); err != nil || !slices.Equal(again, of) {
					t.Errorf("%s: %d threads have other parts, %v", c.kind, threads, err)
				}
			}
		}
	}
}

// patterned returns the matrix with these entries.
func patterned(t *testing.T, n int, entries func(add func(i, j int))) *csr.Matrix {
	t.Helper()
	b, err := csr.NewBuilder(n, n)
	if err != nil {
		t.Fatal(err)
	}
	entries(func(i, j int) {
		if err := b.Add(i, j, 1); err != nil {
			t.Fatal(err)
		}
	})
	return b.Build()
}

// Graphs without neighbours, of many parts that are not connected, with a dense row and of one direction alone have balanced parts, too; parts that are
// not connected have no ghosts where they need not be cut.
func TestPartitionOfOddGraphs(t *testing.T) {
	const n = 2400
	for _, c := range []struct {
		name    string
		parts   int
		most    int // ghosts
		entries func(add func(i, j int))
	}{
		{"no neighbours", 7, 0, func(add func(i, j int)) {
			for i := range n {
				add(i, i)
			}
		}},
		{"rings of 24", 5, 40, func(add func(i, j int)) {
			for i := range n {
				add(i, i)
				add(i, i/24*24+(i+1)%24)
			}
		}},
		{"two lines in 8 parts", 8, 16, func(add func(i, j int)) {
			for i := range n {
				add(i, i)
				if j := i + 2; j < n {
					add(i, j)
				}
			}
		}},
		{"a line and a dense row", 4, n + 3*3, func(add func(i, j int)) {
			for i := range n {
				add(i, i)
				add(0, i)
				add(i, max(i-1, 0))
			}
		}},
	} {
		m := shuffled(patterned(t, n, c.entries))
		of, err := Partition(t.Context(), NewGraph(m, m.Transpose(nil)), weights(m), c.parts, nil)
		if err != nil {
			t.Fatal(err)
		}
		loads := make([]int64, c.parts)
		for i, w := range weights(m) {
			loads[of[i]] += w
		}
		ghosts, _, _ := partsOf(m, of, c.parts)
		if ghosts > c.most || float64(slices.Max(loads)) > 1.03*float64(slices.Min(loads)) {
			t.Errorf("%s: %d ghosts and weights %d", c.name, ghosts, loads)
		}
	}
}

// As many parts as vertices, more parts than vertices, and an interruption.
func TestPartitionLimits(t *testing.T) {
	m := patterned(t, 5, func(add func(i, j int)) {
		for i := range 5 {
			add(i, i)
			add(i, (i+1)%5)
		}
	})
	for _, parts := range []int{1, 5, 9} {
		of, err := Partition(t.Context(), NewGraph(m, nil), weights(m), parts, nil)
		if err != nil || slices.Min(of) < 0 || int(slices.Max(of)) >= parts {
			t.Errorf("%d parts: %d, %v", parts, of, err)
		}
	}
	full := patterned(t, 20, func(add func(i, j int)) { // a single class
		for i := range 400 {
			add(i/20, i%20)
		}
	})
	if of, err := Partition(t.Context(), NewGraph(full, nil), weights(full), 3, nil); err != nil || slices.Max(of) != slices.Min(of) {
		t.Errorf("%d, %v", of, err)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if of, err := Partition(done, NewGraph(m, nil), weights(m), 2, nil); !errors.Is(err, context.Canceled) {
		t.Error(fmt.Sprint(of), err)
	}
}
