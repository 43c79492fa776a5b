package precond

import (
	"math"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// path is the Laplacian of a path of n nodes, singular.
func path(t *testing.T, n int) *csr.Matrix {
	return sparse(t, n, func(add func(i, j int, v float64)) {
		for i := 1; i < n; i++ {
			add(i, i, 1)
			add(i-1, i-1, 1)
			add(i, i-1, -1)
			add(i-1, i, -1)
		}
	})
}

// A singular matrix is inverted without its null space, which is logged.
func TestPseudoInverse(t *testing.T) {
	m := path(t, 30)
	constant := Constants(m.Rows, 1)[0]
	p, said := logged(t, AMG, m, Options{Symmetric: true})
	if !strings.Contains(said, "null space of dimension 1") {
		t.Errorf("logged %q", said)
	}
	b, x := times(m, random(m.Rows, 3)), make(vector, m.Rows) // b has no part in the null space
	p.Apply(x, b)
	closeTo(t, "A x", times(m, x), b, 1e-12)
	if sum := dotted(x, constant); !(math.Abs(sum) < 1e-10) {
		t.Errorf("the solution has a sum of %g", sum)
	}
	p.Apply(x, constant)
	if size := math.Sqrt(dotted(x, x)); !(size < 1e-10) {
		t.Errorf("the null space is mapped to vectors of norm %g", size)
	}
}
