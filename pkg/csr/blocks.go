package csr

// Blocks are groups of consecutive columns that mostly occur together, none of them
// empty: group g is columns First[g] to First[g+1]-1, and Of[j] is the group of
// column j.
type Blocks struct{ First, Of []int32 }

// EqualBlocks are groups of size columns each; cols is a multiple of it.
func EqualBlocks(cols, size int) Blocks {
	b := Blocks{make([]int32, cols/size+1), make([]int32, cols)}
	for g := range b.First {
		b.First[g] = int32(g * size)
	}
	for j := range b.Of {
		b.Of[j] = int32(j / size)
	}
	return b
}

// Count returns the number of groups.
func (b Blocks) Count() int { return len(b.First) - 1 }

// single reports whether each column is a group.
func (b Blocks) single() bool { return b.Count() == len(b.Of) }

// at returns the group of the first of the ascending columns, its width, and whether
// they begin with the whole of it.
func (b Blocks) at(cols []int32) (g int32, width int, whole bool) {
	g = b.Of[cols[0]]
	first := b.First[g]
	width = int(b.First[g+1] - first)
	return g, width, cols[0] == first && width <= len(cols) && int(cols[width-1]-first) == width-1
}
