package generate

import "github.com/mpsolve/mpsolve/internal/parallel"

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
