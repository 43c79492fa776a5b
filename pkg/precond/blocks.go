package precond

// nodes are groups of consecutive unknowns that mostly occur together, such as the displacements of a node of a
// finite element mesh; none is empty: group g is columns First[g] to First[g+1]-1, and Of[j] is the group of
// column j.
type nodes struct{ First, Of []int32 }

// equalBlocks returns groups of size columns each; cols is a multiple of it.
func equalBlocks(cols, size int) nodes {
	b := nodes{make([]int32, cols/size+1), make([]int32, cols)}
	for g := range b.First {
		b.First[g] = int32(g * size)
	}
	for j := range b.Of {
		b.Of[j] = int32(j / size)
	}
	return b
}

// count returns the number of groups.
func (b nodes) count() int { return len(b.First) - 1 }

// single reports whether each column is a group.
func (b nodes) single() bool { return b.count() == len(b.Of) }

// at returns the group of the first of the ascending columns, its width, and whether
// they begin with the whole group.
func (b nodes) at(cols []int32) (g int32, width int, whole bool) {
	g = b.Of[cols[0]]
	first := b.First[g]
	width = int(b.First[g+1] - first)
	return g, width, cols[0] == first && width <= len(cols) && int(cols[width-1]-first) == width-1
}
