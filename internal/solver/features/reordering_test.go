package features

import (
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

func TestEnvelope(t *testing.T) {
	for _, c := range []struct {
		a         [][]float64
		bandwidth int
		profile   int64
	}{
		{nil, 0, 0},
		{[][]float64{{0, 0}, {0, 0}}, 0, 0},
		{[][]float64{{1, 0}, {0, 1}}, 0, 0},
		{[][]float64{{1, 0, 2}, {0, 1, 0}, {0, 3, 1}}, 2, 1},
		{[][]float64{{0, 0, 1}, {1, 0, 0}, {1, 0, 0}}, 2, 3},
	} {
		b, err := csr.NewBuilder(len(c.a), len(c.a))
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range c.a {
			for j, v := range row {
				if v != 0 {
					if err := b.Add(i, j, v); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		if e := envelope(b.Build()); e.Bandwidth != c.bandwidth || e.Profile != c.profile {
			t.Errorf("%v: bandwidth %d, profile %d", c.a, e.Bandwidth, e.Profile)
		}
	}
}
