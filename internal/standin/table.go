package standin

import "github.com/mpsolve/mpsolve/pkg/generate"

type params = generate.Params

var solids = []Standin{
	{
		Matrix: "Serena", Kind: "solid3d",
		params:   params{"tets": 1, "decades": 13, "grain": 2, "jump": 5, "stretch": 0.5, "seed": 1},
		Imitates: "gas reservoir: linear tetrahedra, layers and a stiffness over many decades, 45 nonzeros a row.",
		Not:      "its unstructured mesh and the shape of the reservoir.",
	},
	{
		Matrix: "Emilia_923", Kind: "solid3d",
		params:   params{"tets": 1, "decades": 12, "jump": 3, "stretch": 0.3, "seed": 2},
		Imitates: "gas reservoir: linear tetrahedra, flat cells, layers and a stiffness over many decades.",
		Not:      "its unstructured mesh and the shape of the reservoir.",
	},
	{
		Matrix: "Fault_639", Kind: "solid3d",
		params:   params{"tets": 1, "decades": 11, "grain": 2, "jump": 6, "thickness": 3, "stretch": 0.7, "seed": 3},
		Imitates: "faulted gas reservoir: linear tetrahedra and thin layers that are stiffer by decades.",
		Not:      "its mesh, and contact by penalty at the faults, which layers stand for.",
	},
	{
		Matrix: "Hook_1498", Kind: "solid3d",
		params:   params{"tets": 1, "decades": 0, "distortion": 0.3, "seed": 4},
		Imitates: "a steel hook: linear tetrahedra of one material and of good shape, so that all entries are of one magnitude.",
		Not:      "its mesh and shape.",
	},
	{
		Matrix: "Geo_1438", Kind: "solid3d",
		params:   params{"tets": 1, "decades": 12, "grain": 3, "jump": 6, "thickness": 2, "seed": 5},
		Imitates: "a region of the crust: linear tetrahedra, layers and a stiffness over many decades.",
		Not:      "its unstructured mesh and its geology.",
	},
	{
		Matrix: "Queen_4147", Kind: "solid3d",
		params:   params{"decades": 20, "grain": 2, "jump": 4, "seed": 6},
		Imitates: "a large solid of bricks with a stiffness over a dozen decades, 81 nonzeros a row.",
		Not:      "its mesh and shape.",
	},
	{
		Matrix: "Flan_1565", Kind: "solid3d",
		params:   params{"decades": 0, "stretch": 0.01, "distortion": 0.02, "seed": 7},
		Imitates: "a thin-walled steel flange: flat bricks of one material, entries that differ by the flatness.",
		Not:      "its mesh and shape.",
	},
	{
		Matrix: "bone010", Kind: "solid3d",
		params:   params{"decades": 1, "distortion": 0.01, "pores": 0.6, "seed": 8},
		Imitates: "porous bone of voxels: nearly cubic bricks, hard or soft.",
		Not:      "the shape of the bone: pores are random and keep their unknowns.",
	},
}

var porous = []Standin{
	{
		Matrix: "StocF-1465", Kind: "darcy3d",
		params:   params{"tets": 1, "decades": 20, "stretch": 0.1, "distortion": 0.02, "seed": 9},
		Imitates: "flow in porous rock: linear tetrahedra and a log-normal permeability, 15 nonzeros a row.",
		Not:      "its mesh and the correlation of its permeability.",
	},
	{
		Matrix: "PFlow_742", Kind: "darcy3d",
		params:   params{"decades": 20, "stretch": 0.1, "seed": 10},
		Imitates: "flow of a pore fluid: flat bricks and a permeability over many decades.",
		Not:      "its mesh, and its 50 nonzeros a row, of which the stand-in has 27.",
	},
	{
		Matrix: "Transport", Kind: "transport3d",
		params:   params{"decades": 0, "distortion": 1e-6, "peclet": 1e-5, "stretch": 0.02, "seed": 11},
		Imitates: "flow and transport: linear tetrahedra, 15 nonzeros a row, several decades within a row.",
		Not:      "its mesh and velocity.",
	},
}

var coupled = []Standin{
	{
		Matrix: "CoupCons3D", Kind: "consolidation3d",
		params:   params{"decades": 3, "stiffness": 1e4, "permeability": 1e-2, "dt": 1, "seed": 12},
		Imitates: "coupled consolidation: displacements and pressure at a node, blocks of very different magnitude, unsymmetric values.",
		Not:      "its mesh and material.",
	},
	{
		Matrix: "Long_Coup_dt0", Kind: "consolidation3dsym",
		params:   params{"decades": 14, "jump": 4, "stiffness": 1e6, "stretch": 0.3, "dt": 0, "seed": 13},
		Imitates: "coupled consolidation, the first step: symmetric indefinite, blocks of very different magnitude.",
		Not:      "its long mesh and its material.",
	},
	{
		Matrix: "Long_Coup_dt6", Kind: "consolidation3dsym",
		params:   params{"decades": 14, "jump": 4, "stiffness": 1e6, "stretch": 0.3, "dt": 1e6, "seed": 13},
		Imitates: "coupled consolidation, a long step: symmetric indefinite, with a flow that is as large as the storage.",
		Not:      "its long mesh and its material.",
	},
	{
		Matrix: "Cube_Coup_dt0", Kind: "consolidation3dsym",
		params:   params{"decades": 1, "jump": 1, "stiffness": 1e5, "dt": 0, "seed": 14},
		Imitates: "coupled consolidation of a cube, the first step: symmetric indefinite, one magnitude within each block.",
		Not:      "its mesh and material.",
	},
}

var flows = []Standin{
	{
		Matrix: "vas_stokes_1M", Kind: "stokes3d",
		params:   params{"decades": 1, "stabilisation": 0.05, "distortion": 0.01, "seed": 15},
		Imitates: "Stokes flow: a saddle point of velocities and pressure, 37 nonzeros a row.",
		Not:      "the adaptive mesh of the process simulation.",
	},
	{
		Matrix: "vas_stokes_2M", Kind: "stokes3d",
		params:   params{"decades": 2, "stabilisation": 0.02, "distortion": 0.005, "stretch": 0.8, "seed": 16},
		Imitates: "Stokes flow: a saddle point of velocities and pressure, 37 nonzeros a row.",
		Not:      "the adaptive mesh of the process simulation.",
	},
	{
		Matrix: "vas_stokes_4M", Kind: "stokes3d",
		params:   params{"decades": 3, "stabilisation": 0.01, "distortion": 0.01, "stretch": 0.2, "seed": 17},
		Imitates: "Stokes flow: a saddle point of velocities and pressure, 37 nonzeros a row.",
		Not:      "the adaptive mesh of the process simulation.",
	},
	{
		Matrix: "stokes", Kind: "stokes3d",
		params:   params{"decades": 3, "grain": 2, "stabilisation": 0.02, "distortion": 0.001, "stretch": 0.1, "seed": 18},
		Imitates: "Stokes flow: a saddle point of velocities and pressure.",
		Not:      "the adaptive mesh of the process simulation.",
	},
	{
		Matrix: "ss", Kind: "stokes3d",
		params:   params{"decades": 1, "grain": 3, "stabilisation": 0.2, "distortion": 0.003, "stretch": 0.3, "seed": 19},
		Imitates: "a process simulation that is slow to converge, as a saddle point.",
		Not:      "its equations, which are not published; the stand-in has 37 nonzeros a row, not 21.",
	},
	{
		Matrix: "ss1", Kind: "powerlaw",
		params:   params{"mean": 4, "decades": 4, "dominance": 2, "seed": 20},
		Imitates: "4 nonzeros a row, unsymmetric, diagonals that dominate: a few steps suffice.",
		Not:      "its equations and its mesh: the graph is random.",
	},
}

var galerkin = []Standin{
	{
		Matrix: "RM07R", Kind: "dg2d",
		params:   params{"degree": 1, "fields": 7, "decades": 5, "sigma": 2, "seed": 21},
		Imitates: "compressible flow with 7 fields in units of very different size, dense blocks, 105 nonzeros a row.",
		Not:      "finite volumes in space with a frozen turbulence: the stand-in is in the plane.",
	},
	aghora("3", 2, 22),
	aghora("4", 3, 23),
	aghora("5", 4, 24),
}

// aghora are three orders of one discretisation.
func aghora(order string, degree, seed float64) Standin {
	return Standin{
		Matrix: "A_DGO" + order, Others: []string{"Aghora_DGO" + order}, Kind: "dg2d",
		params:   params{"degree": degree, "fields": 4, "decades": 3, "sigma": 4, "seed": seed},
		Imitates: "discontinuous Galerkin of order " + order + ": dense blocks of 4 fields by all modes, as many nonzeros a row.",
		Not:      "its curved mesh and its flow, which is not linear.",
	}
}

var devices = []Standin{
	device("nv2", params{"decades": 26, "grain": 4, "noise": 10, "stretch": 3e-4, "damping": 0.5, "seed": 25}),
	device("power9", params{"tets": 0, "decades": 36, "grain": 6, "noise": 12, "stretch": 1e-4, "damping": 1, "seed": 26}),
	device("test1", params{"decades": 20, "grain": 6, "noise": 6, "stretch": 1e-3, "damping": 0.3, "seed": 27}),
	device("imagesensor", params{"tets": 0, "decades": 36, "grain": 4, "noise": 14, "stretch": 1e-4, "damping": 1, "seed": 28}),
	device("mosfet2", params{"decades": 24, "grain": 3, "noise": 10, "stretch": 1e-3, "damping": 0.5, "seed": 29}),
	device("dgreen", params{"decades": 18, "grain": 8, "noise": 6, "stretch": 2e-3, "damping": 0.4, "seed": 30}),
	device("radiation", params{"decades": 26, "grain": 4, "noise": 8, "stretch": 3e-4, "damping": 0.5, "seed": 31}),
	device("nv1", params{"decades": 28, "grain": 4, "noise": 12, "stretch": 2e-4, "damping": 1, "seed": 32}),
}

func device(name string, p params) Standin {
	width := "26"
	if tets, ok := p["tets"]; ok && tets == 0 {
		width = "13"
	}
	return Standin{
		Matrix: name, Kind: "device3d", params: p,
		Imitates: "drift and diffusion in a semiconductor: 3 unknowns a node, magnitudes over tens of decades, easy after scaling.",
		Not:      "its device and mesh; the stand-in has " + width + " nonzeros a row.",
	}
}

var meshless = []Standin{
	{
		Matrix: "ML_Geer", Kind: "meshless2d",
		params:   params{"sharpness": 14, "ratio": 0.5, "angle": 30, "decades": 1, "seed": 33},
		Imitates: "a meshless discretisation: moving least squares over 69 points, unsymmetric values.",
		Not:      "its several unknowns a node and its weak form.",
	},
	{
		Matrix: "ML_Laplace", Kind: "meshless2d",
		params:   params{"sharpness": 20, "seed": 34},
		Imitates: "a meshless Laplacian: moving least squares over 69 points, unsymmetric values.",
		Not:      "its weak form.",
	},
}
