package generate

import "github.com/mpsolve/mpsolve/pkg/parallel"

// stokes3D is Stokes flow of a fluid of variable viscosity mu,
//
//	-div(mu grad u) + grad p = f
//	div u - div(tau grad p) = 0,  tau = stabilisation h^2 / mu
//
// by linear finite elements of equal order on distorted cells, stabilised by the
// Laplacian of the pressure (Brezzi, Pitkaranta), 4 unknowns a node, velocities
// before the pressure. Components of the velocity are coupled by the pressure
// alone.
func stokes3D() Kind {
	couples := [][]int{{0, 3}, {1, 3}, {2, 3}, {0, 1, 2, 3}}
	params := append(meshParams(4, 10, 1, 0.2, 1), layerParams("the viscosity", 2)...)
	return finiteElements(Kind{
		Name: "stokes3d",
		Help: "viscous flow, n x n x n nodes with 3 velocities and a pressure each, unsymmetric, a saddle point",
		Use:  "hard for methods without a block preconditioner",
		Params: append(params,
			Param{Name: "stabilisation", Help: "factor of the Laplacian of the pressure", Default: 0.05, Min: 1e-6, Max: 1e6}),
	}, couples, func(pool *parallel.Pool, v values) integrand {
		mu, tau := layers(pool, v), v["stabilisation"]
		return func(cell int, p *point, a, b, i, j int) float64 {
			switch {
			case i < 3 && j < 3:
				return float64(mu.value[cell] * dot(&p.grad[a], &p.grad[b]))
			case i < 3:
				return -float64(p.grad[a][i] * p.shape[b])
			case j < 3:
				return float64(p.shape[a] * p.grad[b][j])
			}
			return float64(tau / mu.value[cell] * dot(&p.grad[a], &p.grad[b]))
		}
	})
}

// staggered is Stokes flow of a fluid of variable viscosity mu by finite volumes on a
// staggered grid of n by n cells (Harlow, Welch: the marker-and-cell grid):
//
//	| A   B' |   A the viscous forces, -div(mu grad u),
//	| B   0  |   B the divergence of a cell, with minus sign
//
// Velocities u through upright faces come first, then v through level faces, then the
// pressures. Walls are below, above and on the left; the flow leaves on the right, unless
// it is enclosed there as well: then the pressure is known up to a constant and the matrix
// is singular.
type staggered struct {
	field    // viscosity of the cells
	n        int
	enclosed bool
}

func stokes2D() Kind {
	edge := edgeParam(2, 3, 30)
	edge.Min = 2
	return Kind{
		Name: "stokes2d", Symmetric: true,
		Help: "viscous flow on a staggered grid of n x n cells, velocities before pressures, symmetric indefinite",
		Use:  "saddle points with a zero block; enclosed = 1 is singular, with constant pressures and no velocity as null vector",
		Params: []Param{
			edge,
			{Name: "enclosed", Help: "1: walls on all sides, a singular matrix; 0: flow leaves on the right", Default: 0, Max: 1, Whole: true},
			decadesParam("decades of the viscosity", 2), grainParam(), seedParam(),
		},
		size: func(v values) (rows, nnz int64) {
			n, open := int64(v.int("n")), 1-int64(v.int("enclosed"))
			five := func(nx, ny int64) int64 { return 5*nx*ny - 2*nx - 2*ny }
			u, w := n*(n-1+open), n*(n-1)
			return u + w + n*n, five(n-1+open, n) + five(n, n-1) + 2*(2*n*(n-1)+open*n+2*w)
		},
		source: func(pool *parallel.Pool, v values) source {
			n := v.int("n")
			m := staggered{
				logNormalField(pool, cube(2, n), v["decades"], v.int("grain"), v.seed()), n, v.int("enclosed") == 1,
			}
			return m.stamps().source(m.pressure(0, 0) + n*n)
		},
	}
}

// columns is the number of upright faces in a line that have a velocity.
func (m staggered) columns() int {
	if m.enclosed {
		return m.n - 1
	}
	return m.n
}

// u returns the number of the velocity through the right face of a cell, -1 for a wall.
func (m staggered) u(x, y int) int {
	if x < 0 || x >= m.columns() {
		return -1
	}
	return y*m.columns() + x
}

// v returns the number of the velocity through the upper face of a cell, -1 for a wall.
func (m staggered) v(x, y int) int {
	if y < 0 || y >= m.n-1 {
		return -1
	}
	return m.n*m.columns() + y*m.n + x
}

func (m staggered) pressure(x, y int) int {
	return m.n*m.columns() + m.n*(m.n-1) + m.index(x, y, 0)
}

func (m staggered) stamps() *stamps {
	s := &stamps{}
	for cell, mu := range m.value {
		x, y, _ := m.at(cell)
		p := m.pressure(x, y)
		// Normal forces of the cell, and its mass balance.
		viscous(s, m.u(x-1, y), m.u(x, y), mu)
		viscous(s, m.v(x, y-1), m.v(x, y), mu)
		for _, face := range []struct {
			velocity int
			sign     float64
		}{{m.u(x-1, y), 1}, {m.u(x, y), -1}, {m.v(x, y-1), 1}, {m.v(x, y), -1}} {
			if face.velocity >= 0 {
				s.pair(face.velocity, p, face.sign)
			}
		}
	}
	for y := range m.n + 1 { // shear at the corners of cells, (x, y) the lower left one
		for x := range m.n + 1 {
			mu := m.corner(x, y)
			if x > 0 {
				m.shear(s, x-1, y, mu)
			}
			if y > 0 {
				m.shearUp(s, x, y-1, mu)
			}
		}
	}
	return s
}

// shear adds the force between the velocities u below and above a corner at the right end
// of column x, half of it at the open end.
func (m staggered) shear(s *stamps, x, y int, mu float64) {
	if x == m.n-1 {
		mu /= 2
	}
	switch {
	case y == 0:
		viscous(s, -1, m.u(x, 0), 2*mu)
	case y == m.n:
		viscous(s, -1, m.u(x, m.n-1), 2*mu)
	default:
		viscous(s, m.u(x, y-1), m.u(x, y), mu)
	}
}

// shearUp adds the force between the velocities v left and right of a corner at the upper
// end of line y; none at the open end.
func (m staggered) shearUp(s *stamps, x, y int, mu float64) {
	switch {
	case x == 0:
		viscous(s, -1, m.v(0, y), 2*mu)
	case x < m.n:
		viscous(s, m.v(x-1, y), m.v(x, y), mu)
	case m.enclosed:
		viscous(s, -1, m.v(m.n-1, y), 2*mu)
	}
}

// corner returns the mean viscosity of the cells that meet at the lower left of (x, y).
func (m staggered) corner(x, y int) float64 {
	var sum, cells float64
	for j := max(y-1, 0); j <= min(y, m.n-1); j++ {
		for i := max(x-1, 0); i <= min(x, m.n-1); i++ {
			sum += m.value[m.index(i, j, 0)]
			cells++
		}
	}
	return sum / cells
}

// viscous adds a force between two velocities; -1 is a wall.
func viscous(s *stamps, a, b int, mu float64) {
	switch {
	case a >= 0 && b >= 0:
		s.edge(a, b, mu)
	case a >= 0:
		s.add(a, a, mu)
	case b >= 0:
		s.add(b, b, mu)
	}
}
