package generate

import "github.com/mpsolve/mpsolve/internal/parallel"

// poreModulus is Young's modulus of a pore relative to the modulus of the material around it.
const poreModulus = 1e-4

// solid3D is linear elasticity, -div sigma(u) = f, by linear finite elements on
// distorted cells: bodies of layers, of thin cells and of soft pores. Young's
// modulus is one value a cell, Poisson's ratio 0.3.
func solid3D() Kind {
	params := append(meshParams(3, 10, 0, 0.2, 1), layerParams("Young's modulus", 6)...)
	return finiteElements(Kind{
		Name: "solid3d", Symmetric: true,
		Help: "elastic body of distorted cells in layers, n x n x n nodes with 3 unknowns each, symmetric positive definite",
		Use:  "geomechanics with jumps of many decades, thin-walled parts (stretch), bone (pores)",
		Params: append(params, Param{
			Name: "pores", Help: "fraction of the cells that are soft pores", Default: 0, Max: 1,
		}),
	}, all(3), func(pool *parallel.Pool, v values) integrand {
		modulus, seed := layers(pool, v), v.seed()
		for i := range modulus.value {
			if uniform(hash(seed+1, i)) < v["pores"] {
				modulus.value[i] *= poreModulus
			}
		}
		return func(cell int, p *point, a, b, i, j int) float64 {
			return float64(modulus.value[cell] * hooke(&p.grad[a], &p.grad[b], i, j))
		}
	})
}
