package generate

import (
	"fmt"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// grid is a box of nx by ny by nz points, x running fastest; a plane has
// nz = 1.
type grid struct{ nx, ny, nz int }

// cube returns the grid of edge n in 2 or 3 dimensions.
func cube(dim, n int) grid {
	if dim == 2 {
		return grid{n, n, 1}
	}
	return grid{n, n, n}
}

func (g grid) points() int { return g.nx * g.ny * g.nz }

func (g grid) index(x, y, z int) int { return (z*g.ny+y)*g.nx + x }

// at returns the coordinates of point i.
func (g grid) at(i int) (x, y, z int) {
	return i % g.nx, i / g.nx % g.ny, i / (g.nx * g.ny)
}

func (g grid) contains(x, y, z int) bool {
	return uint(x) < uint(g.nx) && uint(y) < uint(g.ny) && uint(z) < uint(g.nz)
}

// box is a range of points with both its corners.
type box struct{ x0, x1, y0, y1, z0, z1 int }

func (b box) points() int { return (b.x1 - b.x0 + 1) * (b.y1 - b.y0 + 1) * (b.z1 - b.z0 + 1) }

// around returns a point and those next to it, also across edges and corners.
func (g grid) around(x, y, z int) box {
	return box{
		max(x-1, 0), min(x+1, g.nx-1),
		max(y-1, 0), min(y+1, g.ny-1),
		max(z-1, 0), min(z+1, g.nz-1),
	}
}

// field is a coefficient at points of a grid.
type field struct {
	grid
	value []float64 // of points first, first + 1, ...: of all unless only a part is made
	first int
}

// logNormalField draws coefficients over that many decades; the points of a
// grain, a cube of that edge, have the same one.
func logNormalField(pool *parallel.Pool, g grid, decades float64, grain int, seed uint64) field {
	return logNormalPart(pool, g, 0, g.points(), decades, grain, seed)
}

// logNormalPart is logNormalField with the coefficients of points lo to hi-1 alone.
func logNormalPart(pool *parallel.Pool, g grid, lo, hi int, decades float64, grain int, seed uint64) field {
	f := field{g, make([]float64, hi-lo), lo}
	eachRow(pool, len(f.value), func(i int) {
		x, y, z := g.at(lo + i)
		f.value[i] = logNormal(hash(seed, x/grain, y/grain, z/grain), decades)
	})
	return f
}

// step is a neighbour in a stencil and its weight.
type step struct {
	dx, dy, dz int
	weight     float64
}

// stencil couples each point of a grid to the same neighbours with the same
// weights; steps that leave the grid are left out (Dirichlet's condition). The
// steps come in the order of increasing points.
type stencil struct {
	grid
	steps []step
}

func (s stencil) count(row int) int {
	x, y, z := s.at(row)
	count := 0
	for _, d := range s.steps {
		if s.contains(x+d.dx, y+d.dy, z+d.dz) {
			count++
		}
	}
	return count
}

func (s stencil) fill(row int, col []int32, val []float64) {
	x, y, z := s.at(row)
	k := 0
	for _, d := range s.steps {
		if s.contains(x+d.dx, y+d.dy, z+d.dz) {
			col[k] = int32(s.index(x+d.dx, y+d.dy, z+d.dz))
			val[k] = d.weight
			k++
		}
	}
}

// size returns the number of rows and of entries.
func (s stencil) size() (rows, nnz int64) {
	for _, d := range s.steps {
		nnz += overlap(s.nx, d.dx) * overlap(s.ny, d.dy) * overlap(s.nz, d.dz)
	}
	return int64(s.points()), nnz
}

// stencilKind completes a kind whose matrices are stencils in that many dimensions.
func stencilKind(k Kind, dim int, of func(v values) stencil) Kind {
	k.size = func(v values) (rows, nnz int64) { return of(v).size() }
	k.source = func(_ *parallel.Pool, v values) source { return of(v) }
	k.part = func(_ *parallel.Pool, v values, _, _ int) source { return of(v) }
	k.nodes = gridNodes(dim)
	return k
}

// overlap counts the x in [0, n) with x+d in [0, n).
func overlap(n, d int) int64 { return int64(max(0, n-max(d, -d))) }

// faces returns the steps to the neighbours across the faces of a cell and, in
// the middle, to itself: 5 points in a plane, 7 in space. All weights are 0.
func faces(dim int) []step {
	plane := []step{{dy: -1}, {dx: -1}, {}, {dx: 1}, {dy: 1}}
	if dim == 2 {
		return plane
	}
	return append(append([]step{{dz: -1}}, plane...), step{dz: 1})
}

// withoutZeros drops the steps of weight zero.
func withoutZeros(steps []step) []step {
	kept := steps[:0]
	for _, d := range steps {
		if d.weight != 0 {
			kept = append(kept, d)
		}
	}
	return kept
}

// nodes are the positions of the unknowns of a kind: points of a lattice, in the
// order of the rows, each with the same number of unknowns.
type nodes struct {
	dim, count int
	at         func(node int) (x, y, z int)
}

// gridNodes returns the nodes of a kind on a grid of that dimension, in its
// natural order.
func gridNodes(dim int) func(values) nodes {
	return func(v values) nodes {
		g := cube(dim, v.int("n"))
		return nodes{dim, g.points(), g.at}
	}
}

// Coordinates returns the positions of the unknowns, in steps of the grid: a
// count x dim array, column by column, with a row for each node. The unknowns
// of a node follow each other, so node i has rows i*rows/count to
// (i+1)*rows/count-1 of the matrix. The error names every fault of p, or says
// that the kind has no grid.
func (k Kind) Coordinates(p Params) (count, dim int, colMajor []float64, err error) {
	v, err := k.values(p)
	if err != nil {
		return 0, 0, nil, err
	}
	if !k.OnGrid {
		return 0, 0, nil, fmt.Errorf("generate: %s has no grid", k.Name)
	}
	n := k.nodes(v)
	colMajor = make([]float64, n.count*n.dim)
	for i := range n.count {
		var at [3]int
		at[0], at[1], at[2] = n.at(i)
		for axis := range n.dim {
			colMajor[axis*n.count+i] = float64(at[axis])
		}
	}
	return n.count, n.dim, colMajor, nil
}
