package generate

import "github.com/mpsolve/mpsolve/internal/parallel"

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
		source: func(pool *parallel.Pool, v values) source { return newPoisson(pool, dim, v) },
		nodes:  gridNodes(dim),
	}
}

func newPoisson(pool *parallel.Pool, dim int, v values) poisson {
	n := v.int("n")
	padded, pad := grid{n + 2, n + 2, 1}, [3]int{1, 1, 0}
	if dim == 3 {
		padded.nz, pad[2] = n+2, 1
	}
	return poisson{
		stencil: stencil{cube(dim, n), faces(dim)},
		k:       logNormalField(pool, padded, v["decades"], v.int("grain"), v.seed()),
		pad:     pad,
	}
}

func (p poisson) fill(row int, col []int32, val []float64) {
	x, y, z := p.at(row)
	cell := p.k.index(x+p.pad[0], y+p.pad[1], z+p.pad[2])
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
