package reproduce

import (
	"fmt"
	"maps"
	"math"

	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// sized returns the parameters of the surrogate whose number of nonzeros is nearest to nnz; from 5e4 to 1e8 nonzeros
// it is within 30 %.
func sized(s *matrixio.Surrogate, nnz int64) (best generate.Params, err error) {
	kind, ok := generate.Find(s.Generator)
	if !ok {
		return nil, fmt.Errorf("there is no generator %q", s.Generator)
	}
	edges := []string{"n"}
	if kind.Params[0].Name == "nx" {
		edges = []string{"nx", "ny"}
	}
	distance := math.Inf(1)
	try := func(n, shorter int) (size int64) {
		p := generate.Params(maps.Clone(s.Params))
		for i, edge := range edges {
			p[edge] = float64(n - i*shorter)
		}
		_, size, err := kind.Estimate(p)
		if err != nil {
			return math.MaxInt64
		}
		if d := math.Abs(math.Log(float64(size) / float64(nnz))); d < distance {
			best, distance = p, d
		}
		return size
	}
	// Edges up to the first that is too long.
	lo, hi := 1, int(kind.Params[0].Max)
	for lo < hi {
		if mid := lo + (hi-lo)/2; try(mid, 0) < nnz {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	for n := max(lo-1, 1); n <= lo; n++ {
		try(n, 0)
		if n > 1 {
			try(n, 1)
		}
	}
	return best, nil
}
