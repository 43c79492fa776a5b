package generate

import (
	"fmt"
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"gonum.org/v1/gonum/mat"
)

// TestKnown compares small matrices with ones written out.
func TestKnown(t *testing.T) {
	for _, c := range []struct {
		kind string
		p    Params
		want [][]float64
	}{
		{"poisson2d", Params{"n": 2}, [][]float64{
			{4, -1, -1, 0},
			{-1, 4, 0, -1},
			{-1, 0, 4, -1},
			{0, -1, -1, 4},
		}},
		{"poisson3d", Params{"n": 1}, [][]float64{{6}}},
		// p = (2, 1): upwind neighbours behind -3 and -2, ahead -1.
		{"convdiff2d", Params{"n": 2, "peclet": 2}, [][]float64{
			{7, -1, -1, 0},
			{-3, 7, 0, -1},
			{-2, 0, 7, -1},
			{0, -2, -3, 7},
		}},
		// p = (2, -1): behind -2 and -0.5, ahead 0 (left out) and -1.5.
		{"convdiff2d", Params{"n": 2, "peclet": 2, "vy": -0.5, "upwind": 0}, [][]float64{
			{4, 0, -1.5, 0},
			{-2, 4, 0, -1.5},
			{-0.5, 0, 4, 0},
			{0, -0.5, -2, 4},
		}},
		// D = (0.75 0.25; 0.25 0.75)
		{"anisotropic2d", Params{"n": 2, "angle": 45, "ratio": 0.5}, [][]float64{
			{3, -0.75, -0.75, -0.125},
			{-0.75, 3, 0.125, -0.75},
			{-0.75, 0.125, 3, -0.75},
			{-0.125, -0.75, -0.75, 3},
		}},
		{"anisotropic2d", Params{"n": 2, "angle": 90, "ratio": 0.25}, [][]float64{
			{2.5, -0.25, -1, 0},
			{-0.25, 2.5, 0, -1},
			{-1, 0, 2.5, -0.25},
			{0, -1, -0.25, 2.5},
		}},
		{"trefethen", Params{"n": 6}, [][]float64{
			{2, 1, 1, 0, 1, 0},
			{1, 3, 1, 1, 0, 1},
			{1, 1, 5, 1, 1, 0},
			{0, 1, 1, 7, 1, 1},
			{1, 0, 1, 1, 11, 1},
			{0, 1, 0, 1, 1, 13},
		}},
	} {
		t.Run(fmt.Sprint(c.kind, c.p), func(t *testing.T) {
			got := dense(mustGenerate(t, c.kind, c.p))
			n := len(c.want)
			want := mat.NewDense(n, n, nil)
			for i, row := range c.want {
				want.SetRow(i, row)
			}
			if !mat.EqualApprox(got, want, 1e-15) {
				t.Errorf("got\n%v\nwant\n%v", mat.Formatted(got), mat.Formatted(want))
			}
		})
	}
}

// TestHarmonicMean looks at two cells side by side: their coupling is the
// harmonic mean of their coefficients and stays below twice the smaller one.
func TestHarmonicMean(t *testing.T) {
	p := Params{"n": 12, "decades": 6, "seed": 5}
	_, v := checked(t, "poisson2d", p)
	field := newPoisson(serial(t), 2, v, 0, 12*12).k
	m := mustGenerate(t, "poisson2d", p)
	a, b := field.value[field.index(6, 4, 0)-field.first], field.value[field.index(7, 4, 0)-field.first]
	row := 3*12 + 5 // cell (5, 3), padded (6, 4)
	got := dense(m).At(row, row+1)
	if want := -2 / (1/a + 1/b); math.Abs(got-want) > 1e-14*math.Abs(want) {
		t.Errorf("coupling %g, want %g between coefficients %g and %g", got, want, a, b)
	}
}

// TestDominance: what the help texts promise of the diagonals.
func TestDominance(t *testing.T) {
	for _, c := range []struct {
		kind string
		p    Params
		want float64 // diagonal over the sum of the magnitudes beside it
	}{
		{"stencil27", Params{"n": 5}, 1.01},
		{"stencil27", Params{"n": 5, "window": 31}, 1.01},
		{"powerlaw", Params{"n": 2000}, 1.05},
		{"powerlaw", Params{"n": 2000, "dominance": 3}, 3},
	} {
		m := mustGenerate(t, c.kind, c.p)
		for i := range m.Rows {
			col, val := m.Row(i)
			var diagonal, sum float64
			for k, j := range col {
				if int(j) == i {
					diagonal = val[k]
				} else {
					sum += math.Abs(val[k])
				}
			}
			if len(col) > 1 && math.Abs(diagonal-c.want*sum) > 1e-12*diagonal {
				t.Fatalf("%s: row %d: diagonal %g, %g beside it", c.kind, i, diagonal, sum)
			}
		}
	}
}

// TestShuffleIsAPermutation: the shuffled stencil is P A P' of the natural one.
func TestShuffleIsAPermutation(t *testing.T) {
	const n, window = 5, 40
	natural := dense(mustGenerate(t, "stencil27", Params{"n": n}))
	shuffled := dense(mustGenerate(t, "stencil27", Params{"n": n, "window": window}))
	perm, inverse := shuffle(n*n*n, window, 1)
	moved := 0
	for i, p := range perm {
		if int(inverse[p]) != i || i/window != int(p)/window {
			t.Fatalf("row %d holds point %d", i, p)
		}
		if int(p) != i {
			moved++
		}
		for j, q := range perm {
			if shuffled.At(i, j) != natural.At(int(p), int(q)) {
				t.Fatalf("entry (%d, %d) differs", i, j)
			}
		}
	}
	if moved < n*n*n/2 {
		t.Errorf("only %d rows moved", moved)
	}
}

// TestBrick: a brick resists none of the six rigid motions, and u = (x, -nu y, -nu z)
// has the stress 1 along x and none across, so that the four corners at either end carry
// a quarter each.
func TestBrick(t *testing.T) {
	k := brickStiffness()
	for which, motion := range []func(x, y, z float64) [3]float64{
		func(x, y, z float64) [3]float64 { return [3]float64{x, -poissonRatio * y, -poissonRatio * z} },
		func(_, _, _ float64) [3]float64 { return [3]float64{1, 0, 0} },
		func(_, _, _ float64) [3]float64 { return [3]float64{0, 1, 0} },
		func(_, _, _ float64) [3]float64 { return [3]float64{0, 0, 1} },
		func(x, y, _ float64) [3]float64 { return [3]float64{-y, x, 0} },
		func(_, y, z float64) [3]float64 { return [3]float64{0, -z, y} },
		func(x, _, z float64) [3]float64 { return [3]float64{z, 0, -x} },
	} {
		for a := range 8 {
			var force, want [3]float64
			if which == 0 {
				want[0] = float64(a&1)/2 - 0.25
			}
			for b := range 8 {
				u := motion(float64(b&1), float64(b>>1&1), float64(b>>2))
				for i := range 3 {
					for j := range 3 {
						force[i] += k[a][b][i][j] * u[j]
					}
				}
			}
			for i, f := range force {
				if math.Abs(f-want[i]) > 1e-15 {
					t.Errorf("motion %d: force %v at corner %d, want %v", which, force, a, want)
				}
			}
		}
	}
}

// TestGrain: cells of one grain share a coefficient.
func TestGrain(t *testing.T) {
	f := logNormalField(serial(t), cube(3, 9), 4, 3, 1)
	distinct := map[float64]bool{}
	for i, v := range f.value {
		x, y, z := f.at(i)
		if v != f.value[f.index(x/3*3, y/3*3, z/3*3)] {
			t.Fatalf("cell (%d, %d, %d) is not like its grain", x, y, z)
		}
		distinct[v] = true
	}
	if len(distinct) != 27 {
		t.Errorf("%d coefficients in 27 grains", len(distinct))
	}
}

// TestWathenBounds: the eigenvalues of D^-1 M lie in [1/4, 9/2] (Wathen).
func TestWathenBounds(t *testing.T) {
	m := mustGenerate(t, "wathen", Params{"nx": 4, "ny": 5})
	var eigen mat.EigenSym
	if !eigen.Factorize(unitDiagonal(m), false) {
		t.Fatal("no eigenvalues")
	}
	values := eigen.Values(nil)
	if values[0] < 0.25-1e-12 || values[m.Rows-1] > 4.5+1e-12 {
		t.Errorf("eigenvalues from %g to %g", values[0], values[m.Rows-1])
	}
}

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
