package csr

import (
	"slices"
	"testing"
)

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
