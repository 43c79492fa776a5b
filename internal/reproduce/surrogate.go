package reproduce

import (
	_ "embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/mpsolve/mpsolve/pkg/generate"
)

// surrogate is a generated matrix of the same class as one of the papers: same kind
// of problem, unknowns of a node, couplings of a row and spread of magnitudes, at any
// size. Values measured with it are of the class alone.
type surrogate struct {
	Matrix    string          // its name in the collection
	Others    []string        // other names of it
	Generator string          // of package generate
	Params    generate.Params // all but the size
	Imitates  string
	Lacks     string
}

//go:embed surrogates.yaml
var surrogatesYAML []byte

// surrogates returns those of all matrices in the tables of the papers, by class.
var surrogates = sync.OnceValues(func() (list []surrogate, err error) {
	if err := yaml.Unmarshal(surrogatesYAML, &list); err != nil {
		return nil, fmt.Errorf("surrogates.yaml: %w", err)
	}
	return list, nil
})

// findSurrogate returns the surrogate of the matrix of that name, false if it has
// none.
func findSurrogate(name string) (surrogate, bool, error) {
	list, err := surrogates()
	i := slices.IndexFunc(list, func(s surrogate) bool { return s.Matrix == name || slices.Contains(s.Others, name) })
	if i < 0 {
		return surrogate{}, false, err
	}
	return list[i], true, nil
}

// sized returns the parameters of the matrix whose number of nonzeros is nearest to
// nnz; from 5e4 to 1e8 it is within 30 %.
func (s surrogate) sized(nnz int64) (best generate.Params, err error) {
	kind, ok := generate.Find(s.Generator)
	if !ok {
		return nil, fmt.Errorf("%s: there is no generator %q", s.Matrix, s.Generator)
	}
	edges := []string{"n"}
	if kind.Params[0].Name == "nx" {
		edges = []string{"nx", "ny"}
	}
	distance := math.Inf(1)
	try := func(n, shorter int) (size int64) {
		p := maps.Clone(s.Params)
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
