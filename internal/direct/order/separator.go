package order

import (
	"math/rand/v2"
	"slices"
)

const (
	coarsestGraph  = 40   // vertices that a graph is coarsened to
	leastReduction = 0.95 // coarsening ends if it leaves a larger share of the vertices
	separatorTries = 6    // separators of the coarsest graph of which the best is kept
	largestSide    = 0.6  // of the weight, in a dissection
	refinements    = 12   // passes at each level
)

// middle is the side of the vertices of a separator; the others are on sides 0 and 1.
const middle = 2

// An aim is what a separator shall leave.
type aim struct {
	first int64    // about the weight of side 0 where the search begins
	most  [2]int64 // the largest weights of the sides
}

// evenly is the aim of a dissection, for a graph of some weight.
func evenly(total int64) aim {
	most := int64(largestSide * float64(total))
	return aim{total / 2, [2]int64{most, most}}
}

// A finder finds separators, with memory that it uses again.
type finder struct {
	aim    aim
	stack  []int32 // memory of coarse graphs
	place  []int32
	cutter cutter
}

// take returns memory for n numbers until what was taken is given back, by shortening the stack.
func (f *finder) take(n int) []int32 {
	used := len(f.stack)
	if used+n > cap(f.stack) { // the memory before stays with the graphs that have it
		return make([]int32, n)
	}
	f.stack = f.stack[:used+n]
	return f.stack[used : used+n : used+n]
}

// shortened gives back all but n of the numbers that were taken last.
func (f *finder) shortened(taken []int32, n int) []int32 {
	if used := len(f.stack); used > 0 && len(taken) > 0 && &f.stack[used-1] == &taken[len(taken)-1] {
		f.stack = f.stack[:used-len(taken)+n]
	}
	return taken[:n]
}

// places returns -1 for n vertices.
func (f *finder) places(n int) []int32 {
	f.place = grown(f.place, n)
	for k := range f.place {
		f.place[k] = -1
	}
	return f.place
}

// grown returns a slice of n numbers, that one if it is long enough.
func grown(s []int32, n int) []int32 {
	if cap(s) < n {
		return make([]int32, n)
	}
	return s[:n]
}

// separated returns the side of each vertex: no edge joins sides 0 and 1, and the separator between them is small. It is found by the multilevel
// method [KarypisKumar98]: pairs of neighbours become one vertex until the graph is small, a separator of the small graph is found, and is
// refined in each larger graph.
func (f *finder) separated(g *weighted, to aim) []uint8 {
	f.aim = to
	if need := 3*len(g.adj) + 8*g.vertices(); cap(f.stack) < need {
		f.stack = make([]int32, 0, need)
	}
	return f.multilevel(g, rand.New(rand.NewPCG(uint64(g.vertices()), uint64(len(g.adj)))))
}

func (f *finder) multilevel(g *weighted, r *rand.Rand) []uint8 {
	if g.vertices() <= coarsestGraph {
		return f.smallSeparator(g, r)
	}
	used := len(f.stack)
	coarse, into := f.coarsened(g, int32(max(2, 3*g.total()/(2*coarsestGraph))))
	if coarse == nil {
		f.stack = f.stack[:used]
		return f.smallSeparator(g, r)
	}
	small := f.multilevel(coarse, r)
	side := make([]uint8, g.vertices())
	for v, c := range into {
		side[v] = small[c]
	}
	f.stack = f.stack[:used]
	f.cutter.begin(g, side, f.aim.most)
	f.cutter.refine(refinements)
	return side
}

// smallSeparator returns the best of several separators: each begins as the boundary of the first vertices that a search from a random one meets,
// of the weight that is aimed at.
func (f *finder) smallSeparator(g *weighted, r *rand.Rand) []uint8 {
	n, half := g.vertices(), f.aim.first
	c := &f.cutter
	var best []uint8
	var size [3]int64
	for range separatorTries {
		side := make([]uint8, n)
		for v := range side {
			side[v] = 1
		}
		met := int64(0)
		var queue []int32
		for first := r.IntN(n); met < half; first = (first + 1) % n {
			if side[first] == 0 {
				continue
			}
			side[first] = 0
			for queue = append(queue[:0], int32(first)); len(queue) > 0 && met < half; queue = queue[1:] {
				met += int64(g.weight[queue[0]])
				for _, w := range g.neighbours(queue[0]) {
					if side[w] == 1 {
						side[w] = 0
						queue = append(queue, w)
					}
				}
			}
			for _, v := range queue { // met too late
				side[v] = 1
			}
		}
		for v := range int32(n) {
			if side[v] == 0 && slices.ContainsFunc(g.neighbours(v), func(w int32) bool { return side[w] == 1 }) {
				side[v] = middle
			}
		}
		c.begin(g, side, f.aim.most)
		c.refine(refinements)
		if best == nil || c.better(c.size, size) {
			best, size = side, c.size
		}
	}
	return best
}
