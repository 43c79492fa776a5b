// Package standin has a generated matrix of the same class for each matrix of
// the papers: same kind of problem, unknowns of a node, couplings of a row and
// spread of magnitudes, at any size. It is for those who do not have the
// matrices themselves; figures measured with it are of the class alone.
package standin

import (
	"maps"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/generate"
)

// Standin is a matrix of the papers and the generator of its class.
type Standin struct {
	Matrix string   // its name in the collection
	Others []string // other names of it
	Kind   string   // generator of package generate

	Imitates string // what of the original the stand-in has
	Not      string // and what it has not

	params generate.Params // all but the size
}

// All returns the stand-ins of all matrices in the tables of the papers, by class.
func All() []Standin {
	return slices.Concat(solids, porous, coupled, flows, galerkin, devices, meshless)
}

// Find returns the stand-in of the matrix of that name.
func Find(name string) (Standin, bool) {
	for _, s := range All() {
		if s.Matrix == name || slices.Contains(s.Others, name) {
			return s, true
		}
	}
	return Standin{}, false
}

// Class returns the parameters of the generator without those of the size.
func (s Standin) Class() generate.Params { return maps.Clone(s.params) }

// Params returns the parameters of the matrix whose number of nonzeros is nearest
// to nnz; from 5e4 to 1e8 it is within 30 %.
func (s Standin) Params(nnz int64) generate.Params {
	kind, ok := generate.Find(s.Kind)
	if !ok {
		panic("standin: no kind " + s.Kind) // excluded by the tests
	}
	edges := []string{"n"}
	if kind.Params[0].Name == "nx" {
		edges = []string{"nx", "ny"}
	}
	best, distance := generate.Params(nil), math.Inf(1)
	try := func(n, shorter int) (size int64) {
		p := s.Class()
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
	return best
}
