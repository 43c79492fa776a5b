package generate

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// poisson is -div(k grad u) by finite volumes on cells of edge 1 with
// Dirichlet conditions: the face between cells of coefficients k1 and k2 has
// the harmonic mean 2 k1 k2 / (k1 + k2). The field k has one more cell at
// either end of each dimension, beyond which u = 0.
type poisson struct {
	stencil
	k   field
	pad [3]int // where cell (0, 0, 0) lies in k
}

func poisson2D() Kind {
	return poissonKind("poisson2d", 2, 100, "5-point diffusion in a square, n x n cells, symmetric positive definite")
}

func poisson3D() Kind {
	return poissonKind("poisson3d", 3, 24, "7-point diffusion in a cube, n x n x n cells, symmetric positive definite")
}

func poissonKind(name string, dim, n int, help string) Kind {
	return Kind{
		Name: name, Help: help,
		Use:       "the model problem for CG; decades > 0 gives coefficients as in a reservoir or a battery",
		Symmetric: true,
		Params: []Param{
			edgeParam(dim, 1, n),
			decadesParam("decades of the log-normal coefficients; 0: constant", 0),
			grainParam(), seedParam(),
		},
		size: func(v values) (rows, nnz int64) {
			return stencil{cube(dim, v.int("n")), faces(dim)}.size()
		},
		source: func(pool *parallel.Pool, v values) source {
			return newPoisson(pool, dim, v, 0, cube(dim, v.int("n")).points())
		},
		part:  func(pool *parallel.Pool, v values, lo, hi int) source { return newPoisson(pool, dim, v, lo, hi) },
		nodes: gridNodes(dim),
	}
}

// newPoisson returns the source of rows lo to hi-1.
func newPoisson(pool *parallel.Pool, dim int, v values, lo, hi int) poisson {
	n := v.int("n")
	padded, pad := grid{n + 2, n + 2, 1}, [3]int{1, 1, 0}
	if dim == 3 {
		padded.nz, pad[2] = n+2, 1
	}
	p := poisson{stencil: stencil{cube(dim, n), faces(dim)}, k: field{grid: padded}, pad: pad}
	reach := padded.nx * padded.ny // to the neighbours of a cell that lie furthest from it
	if dim == 2 {
		reach = padded.nx
	}
	if lo < hi {
		p.k = logNormalPart(pool, padded, p.cell(lo)-reach, p.cell(hi-1)+reach+1, v["decades"], v.int("grain"), v.seed())
	}
	return p
}

// cell returns the place in the field of the cell of a row.
func (p poisson) cell(row int) int {
	x, y, z := p.at(row)
	return p.k.index(x+p.pad[0], y+p.pad[1], z+p.pad[2])
}

func (p poisson) fill(row int, col []int32, val []float64) {
	x, y, z := p.at(row)
	cell := p.cell(row) - p.k.first
	here := p.k.value[cell]
	var sum float64
	next, diagonal := 0, 0
	for _, d := range p.steps {
		if d == (step{}) {
			diagonal = next
			col[next] = int32(row)
			next++
			continue
		}
		there := p.k.value[cell+p.k.index(d.dx, d.dy, d.dz)]
		face := 2 * here * there / (here + there)
		sum += face
		if p.contains(x+d.dx, y+d.dy, z+d.dz) {
			col[next] = int32(row + p.index(d.dx, d.dy, d.dz))
			val[next] = -face
			next++
		}
	}
	val[diagonal] = sum
}

func anisotropic2D() Kind {
	return stencilKind(Kind{
		Name: "anisotropic2d", Symmetric: true,
		Help: "9-point rotated anisotropic diffusion in a square, n x n points, symmetric positive definite",
		Use:  "hard for Jacobi and for multigrid with plain coarsening",
		Params: []Param{
			edgeParam(2, 1, 100),
			{Name: "angle", Help: "direction of strong diffusion, degrees from the x axis", Default: 30, Min: -360, Max: 360},
			{Name: "ratio", Help: "diffusion across that direction; 1 along it", Default: 1e-3, Min: 1e-12, Max: 1},
		},
	}, 2, anisotropic)
}

// anisotropic returns -h^2 div(D grad u), D = R diag(1, ratio) R', R the
// rotation by the angle, with Dirichlet conditions. With D = (a b; b c) the
// second differences give the stencil
//
//	 b/2      -c      -b/2
//	 -a    2a + 2c     -a
//	-b/2      -c       b/2
//
// drawn with y upwards, whose symbol is positive as b^2 <= a c.
func anisotropic(v values) stencil {
	sin, cos := sincosDegrees(v["angle"])
	ratio := v["ratio"]
	a := float64(cos*cos) + float64(ratio*float64(sin*sin))
	b := (1 - ratio) * float64(sin*cos)
	c := float64(sin*sin) + float64(ratio*float64(cos*cos))
	steps := []step{
		{-1, -1, 0, -b / 2},
		{0, -1, 0, -c},
		{1, -1, 0, b / 2},
		{-1, 0, 0, -a},
		{0, 0, 0, 2 * (a + c)},
		{1, 0, 0, -a},
		{-1, 1, 0, b / 2},
		{0, 1, 0, -c},
		{1, 1, 0, -b / 2},
	}
	return stencil{cube(2, v.int("n")), withoutZeros(steps)}
}

func convdiff2D() Kind {
	return convdiffKind("convdiff2d", 2, 100, "5-point convection-diffusion in a square, n x n points, unsymmetric")
}

func convdiff3D() Kind {
	return convdiffKind("convdiff3d", 3, 24, "7-point convection-diffusion in a cube, n x n x n points, unsymmetric")
}

func convdiffKind(name string, dim, n int, help string) Kind {
	velocity := []Param{
		{Name: "vx", Help: "velocity in x", Default: 1, Min: -1, Max: 1},
		{Name: "vy", Help: "velocity in y", Default: 0.5, Min: -1, Max: 1},
		{Name: "vz", Help: "velocity in z", Default: 0.25, Min: -1, Max: 1},
	}
	return stencilKind(Kind{
		Name: name, Help: help,
		Use: "for GMRES and BiCGStab; convection dominates for peclet > 2, where central differences oscillate",
		Params: append([]Param{
			edgeParam(dim, 1, n),
			{Name: "peclet", Help: "cell Peclet number of unit velocity: velocity x cell width / diffusion", Default: 1, Max: 1e6},
			{Name: "upwind", Help: "1 for upwind, 0 for central differences", Default: 1, Max: 1, Whole: true},
		}, velocity[:dim]...),
	}, dim, func(v values) stencil { return convdiff(dim, v) })
}

// convdiff returns h^2 (-laplace u + w . grad u) with Dirichlet conditions,
// where h w = peclet (vx, vy, vz) =: p. In each dimension the neighbour behind
// (against the flow) and the one ahead have the weights
//
//	central:  -(1 + p/2)        -(1 - p/2)
//	upwind:   -(1 + max(p, 0))  -(1 + max(-p, 0))
//
// and add 2 or 2 + |p| to the diagonal. Couplings that vanish are left out.
func convdiff(dim int, v values) stencil {
	p := [3]float64{v["peclet"] * v["vx"], v["peclet"] * v["vy"], v["peclet"] * v["vz"]}
	steps := faces(dim)
	var sum float64
	for i := range steps {
		d := &steps[i]
		// The velocity along the step: positive for the neighbour ahead.
		along := p[0]*float64(d.dx) + p[1]*float64(d.dy) + p[2]*float64(d.dz)
		switch {
		case *d == step{}:
			continue
		case v["upwind"] != 0:
			d.weight = -(1 + math.Max(-along, 0))
		default:
			d.weight = -(1 - along/2)
		}
		sum -= d.weight
	}
	steps[dim].weight = sum // the middle one
	return stencil{cube(dim, v.int("n")), withoutZeros(steps)}
}
