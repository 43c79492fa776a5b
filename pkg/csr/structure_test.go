package csr

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// box is the 7-point pattern of a mesh.
func box(tb testing.TB, nx, ny, nz int) *Matrix {
	tb.Helper()
	b, err := NewBuilder(nx*ny*nz, nx*ny*nz)
	if err != nil {
		tb.Fatal(err)
	}
	at := func(x, y, z int) int { return (z*ny+y)*nx + x }
	for z := range nz {
		for y := range ny {
			for x := range nx {
				i := at(x, y, z)
				for _, j := range [][3]int{{x, y, z}, {x - 1, y, z}, {x + 1, y, z}, {x, y - 1, z}, {x, y + 1, z}, {x, y, z - 1}, {x, y, z + 1}} {
					if j[0] >= 0 && j[0] < nx && j[1] >= 0 && j[1] < ny && j[2] >= 0 && j[2] < nz {
						if err := b.Add(i, at(j[0], j[1], j[2]), 1); err != nil {
							tb.Fatal(err)
						}
					}
				}
			}
		}
	}
	return b.Build()
}

// The width of a mesh is that of its smaller sides; of several components that of the widest; and a
// dense row does not count.
func TestLevelWidth(t *testing.T) {
	width := func(m *Matrix) int {
		t.Helper()
		w, err := LevelWidth(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	for _, c := range []struct {
		nx, ny, nz, least, most int
	}{{100, 1, 1, 1, 1}, {100, 20, 1, 20, 20}, {40, 40, 1, 30, 34}, {60, 5, 5, 25, 25}, {16, 16, 16, 16 * 16 / 2, 16 * 16 * 3 / 4}} {
		if got := width(box(t, c.nx, c.ny, c.nz)); got < c.least || got > c.most {
			t.Errorf("%d x %d x %d: width %d, want %d to %d", c.nx, c.ny, c.nz, got, c.least, c.most)
		}
	}
	const n = 3000 // two chains, and a row that all others are adjacent to
	b, err := NewBuilder(n, n)
	if err != nil {
		t.Fatal(err)
	}
	add := func(i, j int) {
		for _, e := range [][2]int{{i, j}, {j, i}} {
			if err := b.Add(e[0], e[1], 1); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range n - 1 {
		if add(i, n-1); i%1000 != 0 {
			add(i, i-1)
		}
	}
	if got := width(b.Build()); got != 1 {
		t.Errorf("chains with a dense row: width %d", got)
	}
	if got := width(&Matrix{RowPtr: []int64{0}}); got != 0 {
		t.Errorf("no rows: width %d", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := LevelWidth(ctx, box(t, 600, 600, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// Every entry is in the cell that it belongs to, with fewer cells than rows and with more.
func TestDensity(t *testing.T) {
	m, err := New(4, 6, []int{0, 2, 3, 3, 5}, []int{0, 5, 2, 3, 5}, []float64{1, 1, 1, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		high, wide int
		want       []int
	}{
		{1, 1, []int{5}},
		{2, 2, []int{2, 1, 0, 2}},
		{4, 3, []int{1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 1}},
		{8, 2, []int{1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0}},
	} {
		if got := m.Density(c.high, c.wide); !slices.Equal(got, c.want) {
			t.Errorf("%d x %d: %v, want %v", c.high, c.wide, got, c.want)
		}
	}
}
