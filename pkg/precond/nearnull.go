package precond

import (
	"fmt"
)

// RigidBodyModes returns the displacements that do not deform a body, which span the
// near-null space of elasticity: 3 translations and 3 rotations
// for dim = 3 coordinates per node, 2 and 1 for dim = 2. Node k lies at
// coordinates[k*dim:(k+1)*dim] and has the unknowns k*dim to (k+1)*dim-1.
func RigidBodyModes(dim int, coordinates []float64) ([][]float64, error) {
	if dim != 2 && dim != 3 || len(coordinates)%dim != 0 {
		return nil, fmt.Errorf("rigid-body modes need 2 or 3 coordinates per node; %d coordinates are not a multiple of %d", len(coordinates), dim)
	}
	n := len(coordinates)
	modes := Constants(n, dim)
	centre := make([]float64, dim)
	for i, v := range coordinates {
		centre[i%dim] += v / float64(n/dim)
	}
	for a := range dim {
		for b := a + 1; b < dim; b++ { // the rotation in the plane of axes a and b
			mode := make([]float64, n)
			for k := 0; k < n; k += dim {
				mode[k+a] = -(coordinates[k+b] - centre[b])
				mode[k+b] = coordinates[k+a] - centre[a]
			}
			modes = append(modes, mode)
		}
	}
	return modes, nil
}

// Constants returns the vectors that are 1 in one unknown of each node and 0 in the
// others.
func Constants(n, size int) [][]float64 {
	v := make([][]float64, size)
	for c := range v {
		v[c] = make([]float64, n)
		for i := c; i < n; i += size {
			v[c][i] = 1
		}
	}
	return v
}
