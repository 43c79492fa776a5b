package generate

import (
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// apply returns row i of m times the vector of f, and the sum of the magnitudes.
func apply(m *csr.Matrix, i int, f func(j int) float64) (sum, size float64) {
	col, val := m.Row(i)
	for k, j := range col {
		sum += val[k] * f(int(j))
		size += math.Abs(val[k] * f(int(j)))
	}
	return sum, size
}

// testMesh is the mesh of those parameters.
func testMesh(t *testing.T, kind string, p Params) mesh {
	t.Helper()
	_, v := checked(t, kind, p)
	return newMesh(serial(t), v)
}

// TestPatch: on distorted cells of one material a linear function leaves no force
// at a node that has all of its neighbours.
func TestPatch(t *testing.T) {
	linear := func(at [3]float64) float64 { return 1 + 2*at[0] - 3*at[1] + at[2] }
	for _, tets := range []float64{0, 1} {
		p := Params{"n": 3, "tets": tets, "distortion": 0.3, "stretch": 0.4, "decades": 0}
		for kind, unknowns := range map[string]int{"darcy3d": 1, "solid3d": 3, "stokes3d": 4, "consolidation3dsym": 4} {
			m := mustGenerate(t, kind, p)
			mesh := testMesh(t, kind, p)
			const middle = 13
			for i := range min(unknowns, 3) {
				for u := range min(unknowns, 3) {
					sum, size := apply(m, middle*unknowns+i, func(j int) float64 {
						if j%unknowns != u {
							return 0
						}
						x, y, z := mesh.nodes.at(j / unknowns)
						return linear(mesh.corner[mesh.lattice.index(x+1, y+1, z+1)])
					})
					if math.Abs(sum) > 1e-13*size {
						t.Errorf("%s, tets %g: force %g of %g", kind, tets, sum, size)
					}
				}
			}
		}
	}
}

// TestVolume: the cells of a mesh fill the box but for what the displacements of
// its surface add, and their weights are positive.
func TestVolume(t *testing.T) {
	for _, tets := range []float64{0, 1} {
		m := testMesh(t, "darcy3d", Params{"n": 9, "tets": tets, "distortion": 0.3, "stretch": 2})
		volume := 0.0
		for cell := range m.cells.points() {
			x, y, z := m.cells.at(cell)
			corners := m.corners(x, y, z)
			for k := range m.rule {
				var p point
				p.place(&m.rule[k], &corners)
				if p.weight <= 0 {
					t.Fatalf("tets %g: cell (%d, %d, %d) is inside out", tets, x, y, z)
				}
				volume += p.weight
			}
		}
		if math.Abs(volume-2000) > 40 {
			t.Errorf("tets %g: volume %g, want about 2000", tets, volume)
		}
	}
}

// TestConstants: transport and devices leave constants alone inside.
func TestConstants(t *testing.T) {
	for kind, p := range map[string]Params{
		"transport3d": {"n": 3, "peclet": 10, "decades": 3},
		"device3d":    {"n": 3, "decades": 6, "damping": 0},
	} {
		m := mustGenerate(t, kind, p)
		unknowns := m.Rows / 27
		for i := range unknowns {
			sum, size := apply(m, 13*unknowns+i, func(int) float64 { return 1 })
			if math.Abs(sum) > 1e-14*size {
				t.Errorf("%s, unknown %d: %g of %g", kind, i, sum, size)
			}
		}
	}
}

// TestConservation: what flows out of an element of dg2d flows into others, so
// that the balances of all, the rows of the constant mode, add up to what the time
// step stores.
func TestConservation(t *testing.T) {
	const n, block, fields, sigma = 3, 24, 4, 0.7
	a := dense(mustGenerate(t, "dg2d", Params{"nx": n, "ny": n, "sigma": sigma}))
	for mode := range block / fields {
		for q := range fields {
			for p := range fields {
				var sum float64
				for element := range n * n {
					sum += a.At(element*block+p, 4*block+mode*fields+q)
				}
				want := 0.0
				if mode == 0 && p == q {
					want = sigma
				}
				if math.Abs(sum-want) > 1e-10 {
					t.Errorf("mode %d, fields %d and %d: %g, want %g", mode, p, q, sum, want)
				}
			}
		}
	}
}

// TestGauss: n points integrate polynomials of degree 2n-1.
func TestGauss(t *testing.T) {
	for n := 1; n <= maxDegree+2; n++ {
		node, weight := gauss(n)
		for degree := range 2 * n {
			sum, want := 0.0, 0.0
			for k, x := range node {
				sum += weight[k] * math.Pow(x, float64(degree))
			}
			if degree%2 == 0 {
				want = 2 / float64(degree+1)
			}
			if math.Abs(sum-want) > 1e-14 {
				t.Errorf("%d points: integral of x^%d is %g, want %g", n, degree, sum, want)
			}
		}
	}
}

// TestQuadratics: the stencils of meshless2d are exact for them.
func TestQuadratics(t *testing.T) {
	p := Params{"n": 11, "ratio": 0.3, "angle": 30, "jitter": 0.6}
	k, v := checked(t, "meshless2d", p)
	points := k.source(serial(t), v).(*meshless)
	m := mustGenerate(t, "meshless2d", p)
	const middle = 60
	for _, c := range []struct {
		f    func(x, y float64) float64
		want float64
	}{
		{func(_, _ float64) float64 { return 1 }, 0},
		{func(x, y float64) float64 { return x - 2*y }, 0},
		{func(x, _ float64) float64 { return x * x }, -2 * (1 - 0.7*0.25)},
		{func(_, y float64) float64 { return y * y }, -2 * (1 - 0.7*0.75)},
		{func(x, y float64) float64 { return x * y }, -2 * 0.7 * math.Sqrt(3) / 4},
	} {
		got, size := apply(m, middle, func(j int) float64 {
			x, y, _ := points.at(j)
			return c.f(points.place(x, y))
		})
		if math.Abs(got-c.want) > 1e-13*size {
			t.Errorf("%g, want %g", got, c.want)
		}
	}
}

func TestBernoulli(t *testing.T) {
	for _, x := range []float64{-100, -3, -0.051, -0.049, 1e-9, 0.049, 0.051, 2, 100} {
		if got, want := bernoulli(x), x/math.Expm1(x); math.Abs(got-want) > 1e-11*want {
			t.Errorf("bernoulli(%g) = %g, want %g", x, got, want)
		}
	}
}
