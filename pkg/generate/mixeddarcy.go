package generate

import "github.com/mpsolve/mpsolve/internal/parallel"

// raviart is Darcy's law and the balance of mass by lowest-order mixed finite elements of
// Raviart and Thomas on n by n square cells (Boffi, Brezzi, Fortin: Mixed Finite Element
// Methods, 2.5):
//
//	| M  -B' |   M the mass matrix of the fluxes by 1/k,
//	| -B  0  |   B the divergence of a cell
//
// Fluxes through the upright edges come first, line by line, then those through the level
// edges, then the pressures. The pressure is given on the left and on the right, no flux
// enters from below or above.
type raviart struct {
	field
	n int
}

func mixedDarcy2D() Kind {
	return Kind{
		Name: "mixeddarcy2d", Symmetric: true,
		Help: "flow in porous rock by mixed finite elements on n x n cells, fluxes before pressures, symmetric indefinite",
		Use:  "saddle points with a zero block, no pressure on the diagonal; like darcy003 and mario of the SuiteSparse collection",
		Params: []Param{
			edgeParam(2, 4, 30), decadesParam("decades of the permeability", 4), grainParam(), seedParam(),
		},
		size: func(v values) (rows, nnz int64) {
			n := int64(v.int("n"))
			upright, level := n*(n+1), n*(n-1)
			mass := upright + 2*n*n + level + 2*n*max(0, n-2)
			return upright + level + n*n, mass + 2*(2*n*n+2*level)
		},
		source: func(pool *parallel.Pool, v values) source {
			n := v.int("n")
			r := raviart{logNormalField(pool, cube(2, n), v["decades"], v.int("grain"), v.seed()), n}
			return r.stamps().source(3 * n * n)
		},
	}
}

func (r raviart) stamps() *stamps {
	s := &stamps{}
	pressures := 2 * r.n * r.n
	for cell, k := range r.value {
		x, y, _ := r.at(cell)
		left, right := y*(r.n+1)+x, y*(r.n+1)+x+1
		r.cell(s, left, right, pressures+cell, k)
		// The level edges within the box: n (n-1), the first between lines 0 and 1.
		lower, upper := r.n*(r.n+1)+cell-r.n, r.n*(r.n+1)+cell
		if y == 0 {
			lower = -1
		}
		if y == r.n-1 {
			upper = -1
		}
		r.cell(s, lower, upper, pressures+cell, k)
	}
	return s
}

// cell adds the part of a cell of permeability k with two opposite edges, -1 for an edge
// without a flux: the mass matrix (1/3 1/6; 1/6 1/3) / k, and the divergence.
func (r raviart) cell(s *stamps, in, out, pressure int, k float64) {
	if in >= 0 {
		s.add(in, in, 1/(3*k))
		s.pair(in, pressure, 1)
	}
	if out >= 0 {
		s.add(out, out, 1/(3*k))
		s.pair(out, pressure, -1)
	}
	if in >= 0 && out >= 0 {
		s.pair(in, out, 1/(6*k))
	}
}
