package generate

import "github.com/mpsolve/mpsolve/internal/parallel"

// biotStorage is the volume of fluid that a unit volume of rock takes up at a unit of pressure.
const biotStorage = 1e-3

func consolidation3D() Kind {
	return consolidationKind("consolidation3d", false, "unsymmetric",
		"GMRES and BiCGStab on blocks of very different magnitude")
}

func consolidation3DSym() Kind {
	return consolidationKind("consolidation3dsym", true, "symmetric indefinite",
		"saddle points with blocks of very different magnitude; dt = 0 is a step without flow")
}

// consolidationKind is Biot's consolidation, displacements u and pressure p of a
// fluid in elastic rock,
//
//	-div sigma(u) + grad p = f
//	-(div u + S p) + dt div(k grad p) = g
//
// by linear finite elements of equal order on distorted cells, 4 unknowns a node,
// u before p. S is 1e-3, Young's modulus and the permeability k have one value a
// cell. The unsymmetric variant has the second equation of a step of length dt
// the other way round and divided by dt, (div u + S p)/dt - div(k grad p).
func consolidationKind(name string, symmetric bool, class, use string) Kind {
	params := append(meshParams(4, 10, 1, 0.2, 1), layerParams("Young's modulus", 4)...)
	least := 0.0
	if !symmetric {
		least = 1e-12
	}
	return finiteElements(Kind{
		Name: name, Symmetric: symmetric,
		Help: "consolidation of saturated rock, n x n x n nodes with 3 displacements and a pressure each, " + class,
		Use:  use,
		Params: append(params,
			Param{Name: "stiffness", Help: "median of Young's modulus", Default: 1e6, Min: 1e-12, Max: 1e12},
			Param{Name: "permeability", Help: "median of the permeability, which varies over as many decades", Default: 1e-3, Max: 1e12},
			Param{Name: "dt", Help: "length of the time step", Default: 1, Min: least, Max: 1e12},
		),
	}, all(4), func(pool *parallel.Pool, v values) integrand {
		c := consolidation{modulus: layers(pool, v), stiffness: v["stiffness"], volume: -1, flow: -v["dt"] * v["permeability"]}
		c.permeability = grains(pool, v, v.seed()+1)
		if !symmetric {
			c.volume, c.flow = 1/v["dt"], v["permeability"]
		}
		return c.form
	})
}

// consolidation has the factors of the second equation: of the change of volume
// and of the flow.
type consolidation struct {
	modulus, permeability   field
	stiffness, volume, flow float64
}

func (c *consolidation) form(cell int, p *point, a, b, i, j int) float64 {
	switch {
	case i < 3 && j < 3:
		return float64(float64(c.stiffness*c.modulus.value[cell]) * hooke(&p.grad[a], &p.grad[b], i, j))
	case i < 3:
		return -float64(p.grad[a][i] * p.shape[b])
	case j < 3:
		return float64(c.volume * float64(p.shape[a]*p.grad[b][j]))
	}
	s := float64(c.volume * biotStorage * float64(p.shape[a]*p.shape[b]))
	return s + float64(float64(c.flow*c.permeability.value[cell])*dot(&p.grad[a], &p.grad[b]))
}
