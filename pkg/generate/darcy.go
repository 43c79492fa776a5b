package generate

import "github.com/mpsolve/mpsolve/internal/parallel"

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
