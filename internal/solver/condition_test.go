package solver

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"gonum.org/v1/gonum/mat"
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
		if low, high := m.Gershgorin(); name == "grid" {
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
