package generate

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/internal/testsupport"
)

// published reads a matrix of the collection beside the repository.
func published(t *testing.T, name string) *mat.Dense {
	t.Helper()
	return dense(testsupport.Matrix(t, name))
}

func serial(t *testing.T) *parallel.Pool {
	pool := parallel.New(1)
	t.Cleanup(pool.Close)
	return pool
}

func TestTrefethen2000(t *testing.T) {
	want := published(t, "Trefethen_2000")
	if got := dense(mustGenerate(t, "trefethen", Params{"n": 2000})); !mat.Equal(got, want) {
		t.Error("not the published matrix")
	}
}

// TestWathen3030 takes the random densities from the published matrix, which
// shows them between opposite corners of the elements, and makes the rest.
func TestWathen3030(t *testing.T) {
	const nx, ny = 30, 30
	want := published(t, "wathen_30_30")
	s := serendipity{nx: nx, ny: ny}
	s.density = func(element int) float64 {
		i, j := element%nx, element/nx
		return want.At(s.node(2*i, 2*j), s.node(2*i+2, 2*j+2)) * 45 / massMatrix[0][4]
	}
	m := assemble(serial(t), 3*nx*ny+2*nx+2*ny+1, s)
	if m.NNZ() != 42781 {
		t.Errorf("%d nonzeros, want 42781", m.NNZ())
	}
	got := dense(m)
	if rows, cols := want.Dims(); rows != m.Rows || cols != m.Cols {
		t.Fatalf("%d x %d, want %d x %d", m.Rows, m.Cols, rows, cols)
	}
	for i := range m.Rows {
		for j := range m.Cols {
			g, w := got.At(i, j), want.At(i, j)
			if math.Abs(g-w) > 1e-13*math.Abs(w) || (g == 0) != (w == 0) {
				t.Fatalf("entry (%d, %d) is %g, want %g", i, j, g, w)
			}
		}
	}
}
