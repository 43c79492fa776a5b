package generate

import "math"

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
