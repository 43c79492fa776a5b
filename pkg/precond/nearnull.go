package precond

import (
	"fmt"

	"github.com/mpsolve/mpsolve/pkg/csr"
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

const (
	largestNode = 6   // unknowns
	nodeFill    = 0.9 // of the blocks between nodes that nonzeros fill
)

// BlockSize returns the number of unknowns that the nodes of m have: the largest
// number up to 6, a divisor of n, for which the blocks that hold nonzeros are
// nearly full of them; otherwise 1.
func BlockSize(m *csr.Matrix) int {
	for size := largestNode; size > 1; size-- {
		if m.Rows%size == 0 && blockFill(m, size) >= nodeFill {
			return size
		}
	}
	return 1
}

// sampledNodes is the number of nodes examined.
const sampledNodes = 10000

// blockFill is the share of nonzeros in the blocks that hold some, in a sample of
// nodes.
func blockFill(m *csr.Matrix, size int) float64 {
	seen := make([]int32, m.Cols/size)
	nodes := m.Rows / size
	blocks, nnz := 0, 0
	for node := 0; node < nodes; node += (nodes-1)/sampledNodes + 1 {
		for i := node * size; i < (node+1)*size; i++ {
			cols, _ := m.Row(i)
			nnz += len(cols)
			for _, j := range cols {
				if at := &seen[int(j)/size]; *at != int32(node+1) {
					*at = int32(node + 1)
					blocks++
				}
			}
		}
	}
	return float64(nnz) / float64(max(blocks, 1)*size*size)
}
