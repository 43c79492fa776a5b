package features

import (
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// A class has the features of its matrices, and the same words for any number of threads.
func TestClass(t *testing.T) {
	for _, c := range []struct {
		kind   string
		params generate.Params
		want   string
	}{
		{"poisson2d", generate.Params{"n": 30}, "symmetric: true, diagonal of one sign: true, planar, nodes of 1, 4^5 rows, 4^1 nonzeros a row"},
		{"poisson2d", generate.Params{"n": 45}, "symmetric: true, diagonal of one sign: true, planar, nodes of 1, 4^5 rows, 4^1 nonzeros a row"}, // 2025 < 2^11
		{"poisson2d", generate.Params{"n": 46}, "symmetric: true, diagonal of one sign: true, planar, nodes of 1, 4^6 rows, 4^1 nonzeros a row"}, // 2116 > 2^11
		{"elasticity3d", generate.Params{"n": 12}, "symmetric: true, diagonal of one sign: true, spatial, nodes of 3, 4^6 rows, 4^3 nonzeros a row"},
		{"convdiff3d", generate.Params{"n": 20}, "symmetric: false, diagonal of one sign: true, spatial, nodes of 1, 4^6 rows, 4^1 nonzeros a row"},
		{"stokes2d", generate.Params{"n": 20}, "symmetric: true, diagonal of one sign: false, planar, nodes of 1, 4^5 rows, 4^1 nonzeros a row"},
		{"powerlaw", generate.Params{"n": 3000}, "symmetric: false, diagonal of one sign: true, expander, nodes of 1, 4^6 rows, 4^2 nonzeros a row"},
	} {
		m, err := generate.Generate(c.kind, c.params)
		if err != nil {
			t.Fatal(err)
		}
		for _, threads := range []int{1, 3} {
			pool := parallel.New(threads)
			s := Matrix{M: m, Pool: pool, Facts: csr.Examine(m, pool)}
			if got := s.Class(); got != c.want {
				t.Errorf("%s %v: %s, want %s", c.kind, c.params, got, c.want)
			}
			pool.Close()
		}
	}
}
