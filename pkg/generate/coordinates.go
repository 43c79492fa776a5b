package generate

import "fmt"

// nodes are the positions of the unknowns of a kind: points of a lattice, in the
// order of the rows, each with the same number of unknowns.
type nodes struct {
	dim, count int
	at         func(node int) (x, y, z int)
}

// gridNodes returns the nodes of a kind on a grid of that dimension, in its
// natural order.
func gridNodes(dim int) func(values) nodes {
	return func(v values) nodes {
		g := cube(dim, v.int("n"))
		return nodes{dim, g.points(), g.at}
	}
}

// Coordinates returns the positions of the unknowns, in steps of the grid: a
// count x dim array, column by column, with a row for each node. The unknowns
// of a node follow each other, so node i has rows i*rows/count to
// (i+1)*rows/count-1 of the matrix. The error names every fault of p, or says
// that the kind has no grid.
func (k Kind) Coordinates(p Params) (count, dim int, colMajor []float64, err error) {
	v, err := k.values(p)
	if err != nil {
		return 0, 0, nil, err
	}
	if !k.OnGrid {
		return 0, 0, nil, fmt.Errorf("generate: %s has no grid", k.Name)
	}
	n := k.nodes(v)
	colMajor = make([]float64, n.count*n.dim)
	for i := range n.count {
		var at [3]int
		at[0], at[1], at[2] = n.at(i)
		for axis := range n.dim {
			colMajor[axis*n.count+i] = float64(at[axis])
		}
	}
	return n.count, n.dim, colMajor, nil
}
