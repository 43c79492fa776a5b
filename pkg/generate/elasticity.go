package generate

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// poissonRatio is Poisson's ratio of the elastic cube.
const poissonRatio = 0.3

// elasticity is linear elasticity on a cube of (n+1)^3 trilinear brick
// elements (hex8) with 3 unknowns at each of the n^3 nodes inside; the nodes on
// the surface are clamped, which makes the matrix definite. Young's modulus is
// one value an element. Each pair of neighbouring nodes has a full 3x3 block,
// so nodes have 8 to 27 blocks.
type elasticity struct {
	nodes   grid
	modulus field // of elements; node (x, y, z) is the last corner of element (x, y, z)
	unit    *[8][8][3][3]float64
}

func elasticity3D() Kind {
	return Kind{
		Name: "elasticity3d", Symmetric: true,
		Help: "elastic cube of hex8 elements, n x n x n nodes with 3 unknowns each, symmetric positive definite",
		Use:  "structural mechanics: 3 x 3 blocks, random stiffness; n = 46 gives 22.6 million nonzeros",
		Params: []Param{
			edgeParam(3, 3, 10),
			decadesParam("decades of Young's modulus", 6),
			grainParam(), seedParam(),
		},
		size: func(v values) (rows, nnz int64) {
			n := int64(v.int("n"))
			return 3 * cubed(n), 9 * cubed(3*n-2)
		},
		source: func(pool *parallel.Pool, v values) source {
			return newElasticity(pool, v, 0, 3*cube(3, v.int("n")).points())
		},
		part:  func(pool *parallel.Pool, v values, lo, hi int) source { return newElasticity(pool, v, lo, hi) },
		nodes: gridNodes(3),
	}
}

// newElasticity returns the source of rows lo to hi-1.
func newElasticity(pool *parallel.Pool, v values, lo, hi int) elasticity {
	n := v.int("n")
	e := elasticity{nodes: cube(3, n), unit: brickStiffness()}
	if lo < hi { // the elements of a node are as far as one further along each axis
		g := cube(3, n+1)
		x, y, z := e.nodes.at((hi - 1) / 3)
		end := g.index(x+1, y+1, z+1) + 1
		x, y, z = e.nodes.at(lo / 3)
		e.modulus = logNormalPart(pool, g, g.index(x, y, z), end, v["decades"], v.int("grain"), v.seed())
	}
	return e
}

// brickStiffness returns the stiffness matrix of the unit cube with E = 1, the
// blocks of corners a and b (bit 0 of the corner is x, bit 1 y, bit 2 z):
//
//	K_ij = integral of lambda d_i N_a d_j N_b + mu d_j N_a d_i N_b + mu delta_ij grad N_a . grad N_b
//
// by the 2x2x2 Gauss rule, which is exact. It is exactly symmetric.
func brickStiffness() *[8][8][3][3]float64 {
	const weight = 1.0 / 8
	var k [8][8][3][3]float64
	for point := range 8 {
		g := brickGradients(point)
		for a := range 8 {
			for b := range 8 {
				for i := range 3 {
					for j := range 3 {
						k[a][b][i][j] += float64(weight * hooke(&g[a], &g[b], i, j))
					}
				}
			}
		}
	}
	return &k
}

// hooke is the stress of Hooke's law with E = 1 in component i of a test function
// of gradient g and component j of a trial function of gradient h:
//
//	lambda g_i h_j + mu g_j h_i + mu delta_ij g . h
func hooke(g, h *[3]float64, i, j int) float64 {
	const (
		nu     = poissonRatio
		lambda = nu / ((1 + nu) * (1 - 2*nu))
		mu     = 1 / (2 * (1 + nu))
	)
	s := float64(lambda*float64(g[i]*h[j])) + float64(mu*float64(g[j]*h[i]))
	if i == j {
		s += float64(mu * dot(g, h))
	}
	return s
}

func dot(g, h *[3]float64) float64 {
	return float64(g[0]*h[0]) + float64(g[1]*h[1]) + float64(g[2]*h[2])
}

// brickShapes returns the trilinear shape functions of the eight corners at a
// Gauss point.
func brickShapes(point int) (s [8]float64) {
	for corner := range s {
		f, _ := brickFactors(point, corner)
		s[corner] = f[0] * f[1] * f[2]
	}
	return s
}

// brickGradients returns the gradients of the trilinear shape functions of the
// eight corners at a Gauss point.
func brickGradients(point int) (g [8][3]float64) {
	for corner := range g {
		f, d := brickFactors(point, corner)
		g[corner] = [3]float64{d[0] * f[1] * f[2], f[0] * d[1] * f[2], f[0] * f[1] * d[2]}
	}
	return g
}

// brickFactors returns the factors of a shape function along each axis, and their
// derivatives.
func brickFactors(point, corner int) (f, d [3]float64) {
	half := 0.5 / math.Sqrt(3)
	at := [2]float64{0.5 - half, 0.5 + half}
	for axis := range 3 {
		p := at[point>>axis&1]
		f[axis], d[axis] = 1-p, -1
		if corner>>axis&1 == 1 {
			f[axis], d[axis] = p, 1
		}
	}
	return f, d
}

func (e elasticity) count(row int) int {
	return 3 * e.nodes.around(e.nodes.at(row/3)).points()
}

func (e elasticity) fill(row int, col []int32, val []float64) {
	i := row % 3
	x, y, z := e.nodes.at(row / 3)
	near := e.nodes.around(x, y, z)
	k := 0
	for v := near.z0; v <= near.z1; v++ {
		for u := near.y0; u <= near.y1; u++ {
			for t := near.x0; t <= near.x1; t++ {
				block := e.blockRow(i, [3]int{x, y, z}, [3]int{t, u, v})
				node := e.nodes.index(t, u, v)
				for j, s := range block {
					col[k], val[k] = int32(3*node+j), s
					k++
				}
			}
		}
	}
}

// blockRow adds row i of the blocks of nodes p and q over the elements that
// have both as corners, in the order of the elements, so that the transposed
// block has the same bits.
func (e elasticity) blockRow(i int, p, q [3]int) (row [3]float64) {
	// Node c is a corner of elements c and c+1 along each axis: corner 1 of
	// the first and corner 0 of the second.
	var lo, hi [3]int
	for axis := range 3 {
		lo[axis], hi[axis] = max(p[axis], q[axis]), min(p[axis], q[axis])+1
	}
	for z := lo[2]; z <= hi[2]; z++ {
		for y := lo[1]; y <= hi[1]; y++ {
			for x := lo[0]; x <= hi[0]; x++ {
				a := p[0] + 1 - x | (p[1]+1-y)<<1 | (p[2]+1-z)<<2
				b := q[0] + 1 - x | (q[1]+1-y)<<1 | (q[2]+1-z)<<2
				modulus := e.modulus.value[e.modulus.index(x, y, z)-e.modulus.first]
				for j, s := range e.unit[a][b][i] {
					row[j] += float64(modulus * s)
				}
			}
		}
	}
	return row
}

// poreModulus is Young's modulus of a pore relative to the modulus of the material around it.
const poreModulus = 1e-4

// solid3D is linear elasticity, -div sigma(u) = f, by linear finite elements on
// distorted cells: bodies of layers, of thin cells and of soft pores. Young's
// modulus is one value a cell, Poisson's ratio 0.3.
func solid3D() Kind {
	params := append(meshParams(3, 10, 0, 0.2, 1), layerParams("Young's modulus", 6)...)
	return finiteElements(Kind{
		Name: "solid3d", Symmetric: true,
		Help: "elastic body of distorted cells in layers, n x n x n nodes with 3 unknowns each, symmetric positive definite",
		Use:  "geomechanics with jumps of many decades, thin-walled parts (stretch), bone (pores)",
		Params: append(params, Param{
			Name: "pores", Help: "fraction of the cells that are soft pores", Default: 0, Max: 1,
		}),
	}, all(3), func(pool *parallel.Pool, v values) integrand {
		modulus, seed := layers(pool, v), v.seed()
		for i := range modulus.value {
			if uniform(hash(seed+1, i)) < v["pores"] {
				modulus.value[i] *= poreModulus
			}
		}
		return func(cell int, p *point, a, b, i, j int) float64 {
			return float64(modulus.value[cell] * hooke(&p.grad[a], &p.grad[b], i, j))
		}
	})
}

// biotStorage is the volume of fluid that a unit volume of rock takes up at a unit of pressure.
const biotStorage = 1e-3

func consolidation3D() Kind {
	return consolidationKind("consolidation3d", false, "unsymmetric",
		"GMRES and BiCGStab on blocks of very different magnitude")
}

func consolidation3DSym() Kind {
	return consolidationKind("consolidation3dsym", true, "symmetric indefinite",
		"saddle points with blocks of very different magnitude; dt = 0 is a step without flow")
}

// consolidationKind is Biot's consolidation, displacements u and pressure p of a
// fluid in elastic rock,
//
//	-div sigma(u) + grad p = f
//	-(div u + S p) + dt div(k grad p) = g
//
// by linear finite elements of equal order on distorted cells, 4 unknowns a node,
// u before p. S is 1e-3, Young's modulus and the permeability k have one value a
// cell. The unsymmetric variant has the second equation of a step of length dt
// the other way round and divided by dt, (div u + S p)/dt - div(k grad p).
func consolidationKind(name string, symmetric bool, class, use string) Kind {
	params := append(meshParams(4, 10, 1, 0.2, 1), layerParams("Young's modulus", 4)...)
	least := 0.0
	if !symmetric {
		least = 1e-12
	}
	return finiteElements(Kind{
		Name: name, Symmetric: symmetric,
		Help: "consolidation of saturated rock, n x n x n nodes with 3 displacements and a pressure each, " + class,
		Use:  use,
		Params: append(params,
			Param{Name: "stiffness", Help: "median of Young's modulus", Default: 1e6, Min: 1e-12, Max: 1e12},
			Param{Name: "permeability", Help: "median of the permeability, which varies over as many decades", Default: 1e-3, Max: 1e12},
			Param{Name: "dt", Help: "length of the time step", Default: 1, Min: least, Max: 1e12},
		),
	}, all(4), func(pool *parallel.Pool, v values) integrand {
		c := consolidation{modulus: layers(pool, v), stiffness: v["stiffness"], volume: -1, flow: -v["dt"] * v["permeability"]}
		c.permeability = grains(pool, v, v.seed()+1)
		if !symmetric {
			c.volume, c.flow = 1/v["dt"], v["permeability"]
		}
		return c.form
	})
}

// consolidation has the factors of the second equation: of the change of volume
// and of the flow.
type consolidation struct {
	modulus, permeability   field
	stiffness, volume, flow float64
}

func (c *consolidation) form(cell int, p *point, a, b, i, j int) float64 {
	switch {
	case i < 3 && j < 3:
		return float64(float64(c.stiffness*c.modulus.value[cell]) * hooke(&p.grad[a], &p.grad[b], i, j))
	case i < 3:
		return -float64(p.grad[a][i] * p.shape[b])
	case j < 3:
		return float64(c.volume * float64(p.shape[a]*p.grad[b][j]))
	}
	s := float64(c.volume * biotStorage * float64(p.shape[a]*p.shape[b]))
	return s + float64(float64(c.flow*c.permeability.value[cell])*dot(&p.grad[a], &p.grad[b]))
}
