package generate

import "github.com/mpsolve/mpsolve/pkg/parallel"

// maxUnknowns is the largest number of unknowns at a node.
const maxUnknowns = 4

// galerkin is a system of partial differential equations by linear finite
// elements on a cube of (n+1)^3 distorted cells, with several unknowns at each of
// the n^3 nodes inside; all unknowns are 0 on the surface. A cell is one trilinear
// brick (hex8), which couples a node to 27, or six tetrahedra around the diagonal
// from its first corner to its last, which couple it to 15.
type galerkin struct {
	mesh
	couples [][]int // the unknowns in the row of each unknown, increasing
	form    integrand
}

// integrand is the bilinear form at a point of a cell, for component i of the test
// function of corner a and component j of the trial function of corner b. Swapping
// both pairs must give the same bits if the matrix is to be symmetric.
type integrand func(cell int, p *point, a, b, i, j int) float64

// finiteElements completes a kind whose parameters begin with meshParams: the unknowns
// of a node are coupled by couples, and form makes the integrand.
func finiteElements(k Kind, couples [][]int, form func(pool *parallel.Pool, v values) integrand) Kind {
	k.size = func(v values) (rows, nnz int64) { return galerkinSize(v, couples) }
	k.source = func(pool *parallel.Pool, v values) source {
		return &galerkin{mesh: newMesh(pool, v), couples: couples, form: form(pool, v)}
	}
	k.nodes = gridNodes(3)
	return k
}

// mesh is where the corners of the cells lie. Node (x, y, z) is the last corner of
// cell (x, y, z).
type mesh struct {
	nodes, cells grid
	lattice      grid         // of the corners, those on the surface too
	corner       [][3]float64 // positions of the points of the lattice
	tets         bool
	rule         []point // of the unit cube
}

// point is a point of the quadrature rule of a cell, or one of its tetrahedra.
type point struct {
	weight float64
	shape  [8]float64 // of the corners; bit 0 of the corner is x, bit 1 y, bit 2 z
	grad   [8][3]float64
}

// meshParams are the parameters of all meshes, n first, with that many unknowns at
// a node.
func meshParams(unknowns, preset int, tets, distortion, stretch float64) []Param {
	return []Param{
		edgeParam(3, unknowns, preset),
		{Name: "tets", Help: "1 for six tetrahedra per cell (15 neighbours), 0 for one brick (27)", Default: tets, Max: 1, Whole: true},
		{Name: "distortion", Help: "range of the random displacements of the corners, in cells", Default: distortion, Max: 0.3},
		{Name: "stretch", Help: "height of a cell divided by its width", Default: stretch, Min: 1e-6, Max: 1e6},
	}
}

// newMesh displaces the corners of cells of edge 1 at random, then stretches them.
func newMesh(pool *parallel.Pool, v values) mesh {
	n := v.int("n")
	m := mesh{nodes: cube(3, n), cells: cube(3, n+1), lattice: cube(3, n+2), tets: v["tets"] != 0, rule: brickRule()}
	if m.tets {
		m.rule = tetrahedra()
	}
	m.corner = make([][3]float64, m.lattice.points())
	distortion, stretch, seed := v["distortion"], v["stretch"], v.seed()
	eachRow(pool, len(m.corner), func(i int) {
		x, y, z := m.lattice.at(i)
		at := [3]float64{float64(x), float64(y), float64(z)}
		for axis := range at {
			at[axis] += float64(distortion * (uniform(hash(seed, x, y, z, axis)) - 0.5))
		}
		at[2] *= stretch
		m.corner[i] = at
	})
	return m
}

// galerkinSize returns the size of a matrix with those couplings.
func galerkinSize(v values, couples [][]int) (rows, nnz int64) {
	n := v.int("n")
	tets := v["tets"] != 0
	for d := range 27 {
		if x, y, z := offset(d); !tets || oneWay(x, y, z) {
			nnz += overlap(n, x) * overlap(n, y) * overlap(n, z)
		}
	}
	pairs := 0
	for _, c := range couples {
		pairs += len(c)
	}
	return int64(len(couples)) * cubed(int64(n)), int64(pairs) * nnz
}

// all couples each of that many unknowns to all.
func all(unknowns int) [][]int {
	couples := make([][]int, unknowns)
	for i := range couples {
		for j := range unknowns {
			couples[i] = append(couples[i], j)
		}
	}
	return couples
}

// brickRule is the 2x2x2 Gauss rule.
func brickRule() []point {
	rule := make([]point, 8)
	for k := range rule {
		rule[k] = point{weight: 1.0 / 8, shape: brickShapes(k), grad: brickGradients(k)}
	}
	return rule
}

// tetrahedra has the six of Kuhn: each goes from corner 0 to corner 7 along the
// axes i, j, k in one of their orders, and its shape functions are
// 1 - x_i, x_i - x_j, x_j - x_k and x_k.
func tetrahedra() []point {
	var rule []point
	for i := range 3 {
		for j := range 3 {
			k := 3 - i - j
			if i == j {
				continue
			}
			p := point{weight: 1.0 / 6}
			for at, corner := range [4]int{0, 1 << i, 1<<i | 1<<j, 7} {
				p.shape[corner] = 1.0 / 4
				path := [3]int{i, j, k}
				if at > 0 {
					p.grad[corner][path[at-1]] = 1
				}
				if at < 3 {
					p.grad[corner][path[at]] = -1
				}
			}
			rule = append(rule, p)
		}
	}
	return rule
}

// offset is step d of the 27 to the neighbours of a node, x running fastest.
func offset(d int) (x, y, z int) { return d%3 - 1, d/3%3 - 1, d/9 - 1 }

// oneWay reports whether a tetrahedron has an edge along that step.
func oneWay(x, y, z int) bool {
	return min(x, y, z) >= 0 || max(x, y, z) <= 0
}

// neighbour reports whether step d from a node leads to one it is coupled to.
func (m *mesh) neighbour(x, y, z, d int) (node int, ok bool) {
	dx, dy, dz := offset(d)
	x, y, z = x+dx, y+dy, z+dz
	return m.nodes.index(x, y, z), m.nodes.contains(x, y, z) && (!m.tets || oneWay(dx, dy, dz))
}

// corners returns the positions of the corners of a cell.
func (m *mesh) corners(x, y, z int) (at [8][3]float64) {
	for c := range at {
		at[c] = m.corner[m.lattice.index(x+c&1, y+c>>1&1, z+c>>2)]
	}
	return at
}

// place maps a point of the unit cube to the cell with those corners: the
// gradients by the inverse of the Jacobian, the weight by its determinant. The
// gradients of corners that are none of the tetrahedron's are left alone.
func (p *point) place(unit *point, corners *[8][3]float64) {
	var jac, inv [3][3]float64 // jac[i][j] = d x_j / d xi_i
	for c := range corners {
		if unit.shape[c] == 0 {
			continue
		}
		for i := range 3 {
			for j := range 3 {
				jac[i][j] += float64(unit.grad[c][i] * corners[c][j])
			}
		}
	}
	for i := range 3 {
		for j := range 3 {
			// The cofactor of jac[i][j].
			i1, i2, j1, j2 := (i+1)%3, (i+2)%3, (j+1)%3, (j+2)%3
			inv[j][i] = float64(jac[i1][j1]*jac[i2][j2]) - float64(jac[i1][j2]*jac[i2][j1])
		}
	}
	det := float64(jac[0][0]*inv[0][0]) + float64(jac[0][1]*inv[1][0]) + float64(jac[0][2]*inv[2][0])
	p.weight, p.shape = float64(unit.weight*det), unit.shape
	for c := range corners {
		if unit.shape[c] == 0 {
			continue
		}
		for j := range 3 {
			p.grad[c][j] = dot(&inv[j], &unit.grad[c]) / det
		}
	}
}

func (g *galerkin) count(row int) int {
	unknowns := len(g.couples)
	x, y, z := g.nodes.at(row / unknowns)
	nodes := 0
	for d := range 27 {
		if _, ok := g.neighbour(x, y, z, d); ok {
			nodes++
		}
	}
	return nodes * len(g.couples[row%unknowns])
}

// fill adds the cells around a node in their order, and in each its points, so
// that an entry and the one across the diagonal are the same sum.
func (g *galerkin) fill(row int, col []int32, val []float64) {
	unknowns := len(g.couples)
	i := row % unknowns
	x, y, z := g.nodes.at(row / unknowns)
	var sum [27][maxUnknowns]float64
	var p point
	for cell := range 8 {
		u, v, w := x+cell&1, y+cell>>1&1, z+cell>>2
		a := 7 - cell // corner of the cell that the node is
		corners := g.corners(u, v, w)
		for k := range g.rule {
			if g.tets && g.rule[k].shape[a] == 0 {
				continue
			}
			p.place(&g.rule[k], &corners)
			for b := range 8 {
				if p.shape[b] == 0 {
					continue
				}
				step := 13 + b&1 - a&1 + 3*(b>>1&1-a>>1&1) + 9*(b>>2-a>>2)
				for _, j := range g.couples[i] {
					sum[step][j] += float64(p.weight * g.form(g.cells.index(u, v, w), &p, a, b, i, j))
				}
			}
		}
	}
	k := 0
	for d := range 27 {
		node, ok := g.neighbour(x, y, z, d)
		if !ok {
			continue
		}
		for _, j := range g.couples[i] {
			col[k], val[k] = int32(unknowns*node+j), sum[d][j]
			k++
		}
	}
}
