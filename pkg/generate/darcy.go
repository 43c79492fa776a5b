package generate

import "github.com/mpsolve/mpsolve/pkg/parallel"

// darcy3D is the pressure of a flow in porous rock, -div(k grad p) = f, by linear
// finite elements on distorted cells, with one log-normal permeability a cell.
func darcy3D() Kind {
	return finiteElements(Kind{
		Name: "darcy3d", Symmetric: true,
		Help:   "flow in porous layers by finite elements on distorted cells, n x n x n nodes, symmetric positive definite",
		Use:    "reservoirs whose permeability varies over many decades; 15 or 27 nonzeros per row",
		Params: append(meshParams(1, 20, 0, 0.2, 1), layerParams("the permeability", 6)...),
	}, all(1), func(pool *parallel.Pool, v values) integrand {
		k := layers(pool, v)
		return func(cell int, p *point, a, b, _, _ int) float64 {
			return float64(k.value[cell] * dot(&p.grad[a], &p.grad[b]))
		}
	})
}

// transport3D is the transport of a solute, -div(k grad c) + w . grad c + s c = 0,
// by linear finite elements on distorted cells with streamline diffusion of
// |w|/2 along w. The velocity w is horizontal, turns once from bottom to top and
// is peclet times the mean diffusion.
func transport3D() Kind {
	params := append(meshParams(1, 24, 1, 0.2, 1), layerParams("the diffusion", 0)...)
	return finiteElements(Kind{
		Name: "transport3d",
		Help: "convection and diffusion by finite elements on distorted cells, n x n x n nodes, unsymmetric",
		Use:  "transport in groundwater: rows of mixed magnitude; 15 or 27 nonzeros per row",
		Params: append(params,
			Param{Name: "peclet", Help: "cell Peclet number: velocity x cell width / diffusion", Default: 1, Max: 1e6},
			Param{Name: "storage", Help: "coefficient s of the term s c, as in a time step", Default: 0, Max: 1e12},
		),
	}, all(1), func(pool *parallel.Pool, v values) integrand {
		k, peclet, storage := layers(pool, v), v["peclet"], v["storage"]
		velocity := make([][3]float64, k.nz) // in each layer of cells
		for z := range velocity {
			sin, cos := sincosDegrees(360 * (float64(z) + 0.25) / float64(k.nz))
			velocity[z] = [3]float64{peclet * cos, peclet * sin, 0}
		}
		return func(cell int, p *point, a, b, _, _ int) float64 {
			w := &velocity[cell/(k.nx*k.ny)]
			along, trial := dot(w, &p.grad[a]), dot(w, &p.grad[b])
			s := float64(k.value[cell]*dot(&p.grad[a], &p.grad[b])) + float64(p.shape[a]*trial)
			if a == b {
				s += float64(storage * p.shape[a])
			}
			if peclet > 0 {
				s += float64(along*trial) / (2 * peclet)
			}
			return s
		}
	})
}

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

// layers draws a coefficient for each cell: log-normal over some decades in grains, times
// the coefficient of its layer, evenly spread over the decades of the jumps; every
// fifth layer is softer by some decades more. The extremes of random numbers grow
// with their count, and the norm of the matrix grows with them; the extremes of a bounded
// coefficient do not.
func layers(pool *parallel.Pool, v values) field {
	f := grains(pool, v, v.seed())
	jump, soft, seed, bounded := v["jump"], v["soft"], v.seed(), v["bounded"] != 0
	eachRow(pool, len(f.value), func(i int) {
		_, _, z := f.at(i)
		layer := z / v.int("thickness")
		if count := v.int("layers"); count > 0 {
			layer = z * count / f.nz
		}
		u := uniform(hash(seed, layer))
		if bounded {
			u = rocks[layer%len(rocks)]
		}
		f.value[i] *= pow10(jump * (u - 0.5))
		if layer%len(rocks) == len(rocks)-1 {
			f.value[i] *= pow10(-soft)
		}
	})
	return f
}

// rocks are the kinds of rock that bounded layers have in turn.
var rocks = [5]float64{0.5, 1, 0.75, 0.25, 0}

// grains draws the log-normal coefficients of layers alone.
func grains(pool *parallel.Pool, v values, seed uint64) field {
	cells, decades, grain := cube(3, v.int("n")+1), v["decades"], v.int("grain")
	if v["bounded"] == 0 {
		return logNormalField(pool, cells, decades, grain, seed)
	}
	f := field{grid: cells, value: make([]float64, cells.points())}
	eachRow(pool, len(f.value), func(i int) {
		x, y, z := f.at(i)
		f.value[i] = pow10(decades * boundedNormal(stratified(seed, x/grain, y/grain, z/grain)) / 6)
	})
	return f
}

// layerParams returns the parameters of layers; what names the coefficient.
func layerParams(what string, decades float64) []Param {
	return []Param{
		decadesParam("decades of "+what+" within a layer", decades), grainParam(),
		{Name: "jump", Help: "decades of " + what + " from layer to layer", Default: 0, Max: 100},
		{Name: "thickness", Help: "thickness of a layer, in cells", Default: 4, Min: 1, Max: 1 << 20, Whole: true},
		{Name: "layers", Help: "number of layers, of equal thickness; 0 for as many as thickness makes", Default: 0, Max: 1 << 20, Whole: true},
		{Name: "soft", Help: "decades by which every fifth layer is softer", Default: 0, Max: 100},
		boundedParam("5/6 of the decades at most, and layers of five kinds in turn"),
		seedParam(),
	}
}

// boundedParam says what is bounded.
func boundedParam(what string) Param {
	return Param{Name: "bounded", Help: "1 for extremes that do not grow with n: " + what, Default: 0, Max: 1, Whole: true}
}
