package solver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// The estimate is no more than the condition number of the dense inverse, and at least a third; a singular matrix has none.
func TestCondition(t *testing.T) {
	for name, m := range map[string]*csr.Matrix{
		"grid": shifted(8, 0), "unsymmetric": permutedTriangle(rand.New(rand.NewPCG(3, 4)), 30, 0.2), "graph": randomGraph(40, 4, 1.1),
	} {
		got, err := Condition(t.Context(), m, solve.Options{})
		if err != nil {
			t.Fatal(name, err)
		}
		dense := mat.NewDense(m.Rows, m.Cols, nil)
		m.DoNonZero(func(i, j int, v float64) { dense.Set(i, j, v) })
		var inverse mat.Dense
		if err := inverse.Inverse(dense); err != nil {
			t.Fatal(err)
		}
		want := mat.Norm(dense, 1) * mat.Norm(&inverse, 1)
		if !(got <= want*(1+1e-6) && got >= want/3) {
			t.Errorf("%s: %.3e, truly %.3e", name, got, want)
		}
		if low, high := features.Gershgorin(m); name == "grid" {
			var e mat.EigenSym
			e.Factorize(mat.NewSymDense(m.Rows, dense.RawMatrix().Data), false)
			if v := e.Values(nil); low > v[0] || high < v[len(v)-1] {
				t.Errorf("eigenvalues %g to %g, bounds %g and %g", v[0], v[len(v)-1], low, high)
			}
		}
	}
	if c, err := Condition(t.Context(), neumann(6), solve.Options{}); err == nil && math.Abs(c) < 1e12 {
		t.Errorf("singular: %g", c)
	}
}

// Ritz values are inside of the spectrum, reach its ends where there are enough steps, and scale with the matrix.
func TestRitz(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	for name, m := range map[string]*csr.Matrix{"grid": shifted(8, 0), "large": shifted(16, 0), "one": shifted(1, 0), "negative": shifted(7, -3)} {
		dense := mat.NewSymDense(m.Rows, nil)
		m.DoNonZero(func(i, j int, v float64) { dense.SetSym(i, j, v) })
		var e mat.EigenSym
		if !e.Factorize(dense, false) {
			t.Fatal(name)
		}
		want := e.Values(nil)
		least, most := want[0], want[len(want)-1]
		slack := 0x1p-45 * math.Max(math.Abs(least), math.Abs(most))
		low, high, steps, err := features.Ritz(t.Context(), m, pool)
		if err != nil || low < least-slack || high > most+slack || steps < 1 || steps > features.RitzSteps {
			t.Errorf("%s: %g to %g in %d steps, the spectrum %g to %g: %v", name, low, high, steps, least, most, err)
		}
		if wide := most - least; high < most-0.02*wide || low > least+0.02*wide {
			t.Errorf("%s: %g to %g is not near %g to %g", name, low, high, least, most)
		}
		if m.Rows <= features.RitzSteps && (math.Abs(low-least) > 1e-9 || math.Abs(high-most) > 1e-9) {
			t.Errorf("%s: %g to %g, want %g to %g", name, low, high, least, most)
		}
		for _, power := range []int{-900, 900} {
			scaled := *m
			scaled.Val = make([]float64, len(m.Val))
			for k, v := range m.Val {
				scaled.Val[k] = math.Ldexp(v, power)
			}
			if l, h, _, err := features.Ritz(t.Context(), &scaled, pool); err != nil || l != math.Ldexp(low, power) || h != math.Ldexp(high, power) {
				t.Errorf("%s times 2^%d: %g to %g: %v", name, power, l, h, err)
			}
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, _, _, err := features.Ritz(ended, shifted(8, 0), pool); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// seen is all that the rules see of a matrix.
type seen struct {
	n, nnz, nodes      int
	mMatrix, dominated bool
	shape              features.GraphShape
	sums               features.RowSums
	direction, ordered float64
	spread             float64
}

func look(m features.Source) (s seen) {
	s.n, s.nnz = m.Size()
	s.nodes, s.mMatrix, s.dominated = m.Nodes(), m.MostRows(features.LikeMMatrix), m.MostRows(features.Dominant)
	c := m.Couplings()
	s.shape, s.sums, s.direction, s.ordered, s.spread = m.Shape(), m.Sums(), c.Direction(), c.Ordered(), m.Spread()
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
					for _, pair := range [][2]*float64{{&got.direction, &want.direction}, {&got.ordered, &want.ordered}, {&got.sums.Mean, &want.sums.Mean}, {&got.sums.Excess, &want.sums.Excess}} {
						if math.Abs(*pair[0]-*pair[1]) > 1e-13 {
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
