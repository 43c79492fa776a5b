package precond

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// matrix is the tentative prolongator as a matrix.
func (t *tentative) matrix() *csr.Matrix {
	n := len(t.first)
	return byRows(n, t.coarse, []int{0, n}, nil, func(i int, row *accumulator) { t.add(row, i, 1) })
}

// times is m x.
func times(m *csr.Matrix, x vector) vector {
	y := make(vector, m.Rows)
	for i := range y {
		cols, vals := m.Row(i)
		for k, j := range cols {
			y[i] += vals[k] * x[j]
		}
	}
	return y
}

// bodyModes are the rigid-body modes of the elasticity3d matrix of that parameter.
func bodyModes(tb testing.TB, n int) [][]float64 {
	tb.Helper()
	kind, _ := generate.Find("elasticity3d")
	count, dim, columns, err := kind.Coordinates(generate.Params{"n": float64(n)})
	if err != nil {
		tb.Fatal(err)
	}
	x := make([]float64, count*dim)
	for i := range count {
		for axis := range dim {
			x[i*dim+axis] = columns[axis*count+i]
		}
	}
	modes, err := RigidBodyModes(dim, x)
	if err != nil {
		tb.Fatal(err)
	}
	return modes
}

// T has orthonormal columns and T B_c = B, whatever B is in an aggregate.
func TestTentative(t *testing.T) {
	m := generated(t, "elasticity3d", generate.Params{"n": 5})
	n, modes := m.Rows, bodyModes(t, 5)
	ones := make(vector, n)
	for i := range ones {
		ones[i] = 1
	}
	partly := slices.Clone(ones) // zero in many aggregates
	clear(partly[n/2:])
	other := slices.Clone(ones)
	clear(other[:n/2])
	for name, c := range map[string]struct {
		size int
		null [][]float64
	}{
		"constants":       {3, Constants(n, 3)},
		"rigid body":      {3, modes},
		"dependent":       {3, [][]float64{modes[0], modes[0], modes[3], modes[1], modes[0]}},
		"more than nodes": {1, [][]float64{random(n, 1), random(n, 2), random(n, 3), random(n, 4), random(n, 5), random(n, 6), random(n, 7), random(n, 8), random(n, 9)}},
		"vanishing":       {1, [][]float64{partly}},
		"0 or 2":          {1, [][]float64{partly, times(m, partly)}},
		"either":          {3, [][]float64{partly, other}},
		"huge and tiny":   {3, [][]float64{times(m, random(n, 1)), scaledBy(1e120, modes[4]), scaledBy(1e-120, modes[5])}},
	} {
		nd := equalBlocks(n, c.size)
		threshold := defaultThreshold
		if c.size == 1 { // small aggregates: pairs
			threshold = 0.3
		}
		s := newStrength(m, nd, spreading{}, nil)
		a := aggregate(s, s.strong(connecting{threshold: threshold}, nil), nil)
		tt := newTentative(nd, a, c.null, newPool(t, 2))
		p := tt.matrix()
		if err := p.Validate(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		orthonormal(t, name, p)
		for q, b := range c.null {
			want := slices.Clone(b)
			for i := range want {
				if a.of[nd.Of[i]] < 0 {
					want[i] = 0
				}
			}
			closeTo(t, fmt.Sprintf("%s: vector %d", name, q), times(p, tt.null[q]), want, 1e-14)
		}
		for k := range tt.coarse.count() {
			lo, hi := tt.coarse.First[k], tt.coarse.First[k+1]
			if hi == lo {
				t.Errorf("%s: node %d of the coarse level has no unknown", name, k)
			}
			for i := lo; i < hi; i++ {
				if tt.coarse.Of[i] != int32(k) {
					t.Errorf("%s: unknown %d belongs to node %d, want %d", name, i, tt.coarse.Of[i], k)
				}
			}
		}
	}
}

func scaledBy(f float64, x vector) vector {
	y := make(vector, len(x))
	for i, v := range x {
		y[i] = f * v
	}
	return y
}

// orthonormal checks P^T P = I.
func orthonormal(t *testing.T, name string, p *csr.Matrix) {
	t.Helper()
	g, err := productOf(p.Transpose(nil), p, equalBlocks(p.Cols, 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range g.Rows {
		cols, vals := g.Row(i)
		found := false
		for k, j := range cols {
			want := 0.0
			if int(j) == i {
				want, found = 1, true
			}
			if !(math.Abs(vals[k]-want) < 1e-14) {
				t.Fatalf("%s: columns %d and %d have the product %g", name, i, j, vals[k])
			}
		}
		if !found {
			t.Fatalf("%s: column %d is zero", name, i)
		}
	}
}

// P is (I - omega D^-1 A_F) T element by element; where A annihilates the near-null space and
// nothing is weak, P reproduces it.
func TestSmoothedProlongator(t *testing.T) {
	const omega = 0.6
	grid := generated(t, "poisson2d", generate.Params{"n": 20})
	anisotropic := generated(t, "anisotropic2d", generate.Params{"n": 20})
	body := generated(t, "elasticity3d", generate.Params{"n": 6})
	scaled, scaledNull := wide(anisotropic), Constants(anisotropic.Rows, 1)
	for i := range scaledNull[0] {
		scaledNull[0][i] = dd.Ldexp(1, -(i%5*10 - 20))
	}
	heavy := anisotropic.Clone() // the weak connections of a row cancel its diagonal
	for i, d := range heavy.Diagonal(nil) {
		cols, vals := heavy.Row(i)
		for k, j := range cols {
			if int(j) != i && math.Abs(vals[k]) < 0.3*d {
				vals[k] = -0.2 * d
			}
		}
	}
	for name, c := range map[string]struct {
		m         *csr.Matrix
		null      [][]float64
		size      int
		threshold float64
	}{
		"poisson":     {grid, Constants(grid.Rows, 1), 1, 0.08},
		"anisotropic": {anisotropic, Constants(anisotropic.Rows, 1), 1, 0.3}, // with weak connections
		"scaled":      {scaled, scaledNull, 1, 0.3},
		"dropped":     {heavy, Constants(heavy.Rows, 1), 1, 0.3},
		"elasticity":  {body, bodyModes(t, 6), 3, 0},
	} {
		n, nd := c.m.Rows, equalBlocks(c.m.Rows, c.size)
		connections := newStrength(c.m, nd, spreading{}, nil)
		strong := connections.strong(connecting{threshold: c.threshold}, nil)
		if weak := len(strong.near) < connections.m.NNZ()-nd.count(); weak != (name == "anisotropic" || name == "scaled" || name == "dropped") {
			t.Fatalf("%s: weak connections: %v", name, weak)
		}
		tt := newTentative(nd, aggregate(connections, strong, nil), c.null, nil)
		v := magnitudesOf(c.null)
		f := newFiltered(c.m, nd, v, strong, spreading{}, nil)
		p := tt.smooth(c.m, nd, v, strong, f, omega, nil)
		if err := p.Validate(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		filtered := mat.NewDense(n, n, nil)
		dropped := 0
		for i := range n {
			cols, vals := c.m.Row(i)
			near := strong.of(nd.Of[i])
			diagonal, lumped := 0.0, 0.0
			for k, j := range cols {
				_, is := slices.BinarySearch(near, nd.Of[j])
				switch {
				case int(j) == i:
					diagonal = vals[k]
				case is || nd.Of[j] == nd.Of[i]:
					filtered.Set(i, int(j), vals[k])
				default: // a weak entry is added to the diagonal
					lumped += vals[k] * v[j] / v[i]
				}
			}
			if diagonal+lumped > leastLumped*diagonal {
				diagonal += lumped
			} else {
				dropped++
			}
			filtered.Set(i, i, diagonal)
		}
		if (dropped > 0) != (name == "dropped") {
			t.Errorf("%s: weak connections of %d rows are dropped", name, dropped)
		}
		bound := 0.0
		for i := range n {
			sum := 0.0
			for j := range n {
				sum += math.Abs(filtered.At(i, j)) * v[j]
			}
			bound = max(bound, sum/(filtered.At(i, i)*v[i]))
		}
		if got := f.bound; c.size == 1 && !(math.Abs(got-bound) <= 1e-14*bound) || c.size > 1 && !math.IsInf(got, 1) {
			t.Errorf("%s: the bound is %g, want %g", name, got, bound)
		}
		tentative := dense(tt.matrix())
		smoothing := identity(n)
		for i := range n {
			for j := range n {
				smoothing.Set(i, j, smoothing.At(i, j)-omega/filtered.At(i, i)*filtered.At(i, j))
			}
		}
		closeTo(t, name, dense(p).RawMatrix().Data, product(smoothing, smoothing, tentative).RawMatrix().Data, 1e-14)
		inside := 0
		for k, v := range c.null {
			zero, got := times(c.m, v), times(p, tt.null[k])
			for i := range zero {
				if math.Abs(zero[i]) > 1e-12 {
					continue
				}
				inside++
				if math.Abs(got[i]-v[i]) > 1e-13*math.Max(1, math.Abs(v[i])) {
					t.Fatalf("%s: vector %d is %g in row %d, want %g", name, k, got[i], i, v[i])
				}
			}
		}
		if 2*inside < n && name != "dropped" {
			t.Errorf("%s: only %d elements are inside", name, inside)
		}
	}
}

func TestRigidBodyModes(t *testing.T) {
	modes := bodyModes(t, 3)
	if len(modes) != 6 {
		t.Fatalf("%d modes", len(modes))
	}
	x := []float64{0, 0, 4, 0, 0, 2}
	modes, err := RigidBodyModes(2, x)
	if err != nil || len(modes) != 3 {
		t.Fatalf("%d modes, %v", len(modes), err)
	}
	// The distances between nodes do not change to first order.
	for k, mode := range modes {
		for a := 0; a < len(x); a += 2 {
			for b := 0; b < a; b += 2 {
				s := (x[a]-x[b])*(mode[a]-mode[b]) + (x[a+1]-x[b+1])*(mode[a+1]-mode[b+1])
				if math.Abs(s) > 1e-14 {
					t.Errorf("mode %d stretches by %g", k, s)
				}
			}
		}
	}
	for _, dim := range []int{0, 1, 4} {
		if _, err := RigidBodyModes(dim, x); err == nil {
			t.Errorf("no error for %d coordinates a node", dim)
		}
	}
	if _, err := RigidBodyModes(3, x[:4]); err == nil {
		t.Error("no error for a node and a third")
	}
}

func TestBlockSize(t *testing.T) {
	for _, c := range []struct {
		kind string
		n    float64
		want int
	}{{"poisson2d", 12, 1}, {"poisson3d", 6, 1}, {"elasticity3d", 4, 3}} {
		if got := BlockSize(generated(t, c.kind, generate.Params{"n": c.n})); got != c.want {
			t.Errorf("%s: %d, want %d", c.kind, got, c.want)
		}
	}
	if got := BlockSize(&csr.Matrix{}); got != 1 {
		t.Errorf("no rows: %d", got)
	}
}
