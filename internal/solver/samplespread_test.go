package solver

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// seen is all that the rules see of a matrix.
type seen struct {
	n, nnz, nodes      int
	mMatrix, dominated bool
	shape              features.GraphShape
	sums               features.RowSums
	direction          float64
}

func look(m features.Source) (s seen) {
	s.n, s.nnz = m.Size()
	s.nodes, s.mMatrix, s.dominated = m.Nodes(), m.MostRows(features.LikeMMatrix), m.MostRows(features.Dominant)
	s.shape, s.sums, s.direction = m.Shape(), m.Sums(), m.Direction()
	return s
}

// The features of a matrix over ranks (Concurrent) are those of the matrix on one rank, with the same bits for any number
// of ranks.
func TestConcurrentRanksLookAsOne(t *testing.T) {
	matrices := map[string]*csr.Matrix{
		"plane":        grid(40, 0, 0),
		"convection":   grid(30, 0.3, 0.2),
		"space":        box(12, 0.1),
		"random graph": randomGraph(3000, 8, 1.01),
		"chain":        grid(1, 0, 0),
	}
	for _, kind := range []string{"elasticity3d", "consolidation3d"} {
		m, err := generate.Generate(kind, generate.Params{"n": 6})
		if err != nil {
			t.Fatal(err)
		}
		matrices[kind] = m
	}
	nodes, shapes := map[int]bool{}, map[features.GraphShape]bool{}
	for name, m := range matrices {
		want := look(features.LocalMatrix{Matrix: m})
		nodes[want.nodes], shapes[want.shape] = true, true
		for _, domains := range []int{1, 2, 3, 8} {
			if testing.Short() && domains != 3 {
				continue
			}
			var first *seen
			for _, ranks := range []int{1, 2, 3, 5} {
				var mu sync.Mutex
				where := fmt.Sprintf("%s, %d domains, %d ranks", name, domains, ranks)
				if domains > m.Rows {
					continue
				}
				dist.Run(ranks, func(c dist.Comm) {
					a, err := dist.Spread(c, m, domains)
					if err != nil {
						t.Error(err)
						return
					}
					got := look(features.SpreadMatrix{Matrix: a})
					mu.Lock()
					defer mu.Unlock()
					if first == nil {
						same := got
						first = &same
					}
					if got != *first {
						t.Errorf("%s: %+v, others %+v", where, got, *first)
					}
					for _, pair := range [][2]*float64{{&got.direction, &want.direction}, {&got.sums.Mean, &want.sums.Mean}} {
						if math.Abs(*pair[0]-*pair[1]) > 1e-13*math.Abs(*pair[1]) {
							t.Errorf("%s: %g, want %g", where, *pair[0], *pair[1])
						}
						*pair[0] = *pair[1]
					}
					if got != want {
						t.Errorf("%s: %+v, want %+v", where, got, want)
					}
				})
			}
		}
	}
	if len(nodes) < 3 || len(shapes) < 3 {
		t.Errorf("matrices have nodes of %v unknowns and shapes %v", nodes, shapes)
	}
}
