package order

import "slices"

// A cutter makes a separator smaller, by moving vertices of the separator to a side, and their neighbours on the other side to the separator
// (Fiduccia and Mattheyses, for vertices as in [KarypisKumar98]).
type cutter struct {
	*weighted
	side  []uint8
	size  [3]int64    // the weight of the sides and of the separator
	limit int64       // the largest weight of a side
	ready [2]gainHeap // for each side: vertices of the separator that have not moved in this pass
	moved []bool
	log   []move
}

// A move is of a vertex to a side; it pulled the next vertices into the separator.
type move struct {
	vertex int32
	pulled []int32
}

// newCutter returns the cutter of a separator.
func (g *weighted) newCutter(side []uint8) *cutter {
	n := g.vertices()
	c := &cutter{weighted: g, side: side, moved: make([]bool, n)}
	for a := range c.ready {
		c.ready[a] = gainHeap{gain: make([]int32, n), at: marks(n)}
	}
	for v, s := range side {
		c.size[s] += int64(g.weight[v])
	}
	c.limit = int64(largestSide * float64(c.size[0]+c.size[1]+c.size[2]))
	return c
}

// better reports whether sides of some sizes are better than others: a smaller separator, or one that leaves a smaller larger side.
func (c *cutter) better(a, b [3]int64) bool {
	overA, overB := max(a[0], a[1], c.limit), max(b[0], b[1], c.limit)
	switch {
	case overA != overB:
		return overA < overB
	case a[middle] != b[middle]:
		return a[middle] < b[middle]
	}
	return max(a[0], a[1]) < max(b[0], b[1])
}

// refine moves vertices to the smaller side, to the larger side, and to either, until none of that helps. Moves to both sides take each other
// back where the whole separator has to move; moves to one side alone find no separator between two places.
func (c *cutter) refine() {
	small := uint8(0)
	if c.size[1] < c.size[0] {
		small = 1
	}
	sides := [3][]uint8{{small}, {1 - small}, {0, 1}}
	for k, idle := 0, 0; k < refinements && idle < len(sides); k++ {
		idle++
		if c.pass(sides[k%len(sides)]) {
			idle = 0
		}
	}
}

// pass moves vertices to one of some sides, each at most once, the one that gains most first, and takes back what came after the best
// separator.
func (c *cutter) pass(sides []uint8) (improved bool) {
	for v, s := range c.side {
		if s == middle {
			c.enter(int32(v))
		}
	}
	c.log = c.log[:0]
	best, keep := c.size, 0
	patience := max(200, len(c.side)/50)
	for len(c.log) < keep+patience {
		a, ok := c.choose(sides)
		if !ok {
			break
		}
		c.move(c.ready[a].list[0], a)
		if c.better(c.size, best) {
			best, keep, improved = c.size, len(c.log), true
		}
	}
	for k := len(c.log) - 1; k >= 0; k-- {
		m := c.log[k]
		c.moved[m.vertex] = false
		if k >= keep {
			a := c.side[m.vertex]
			c.put(m.vertex, middle)
			for _, u := range m.pulled {
				c.put(u, 1-a)
			}
		}
	}
	for a := range c.ready {
		c.ready[a].clear()
	}
	return improved
}

// choose returns the side, of some, to which the next vertex moves.
func (c *cutter) choose(sides []uint8) (side uint8, ok bool) {
	most := int32(0)
	for _, a := range sides {
		h := &c.ready[a]
		if len(h.list) == 0 {
			continue
		}
		v := h.list[0]
		fits := c.size[a]+int64(c.weight[v]) <= c.limit || c.size[a] < c.size[1-a]
		if gain := h.gain[v]; fits && (!ok || gain > most || gain == most && c.size[a] < c.size[1-a]) {
			side, most, ok = a, gain, true
		}
	}
	return side, ok
}

// put changes the side of a vertex.
func (c *cutter) put(v int32, side uint8) {
	w := int64(c.weight[v])
	c.size[c.side[v]] -= w
	c.size[side] += w
	c.side[v] = side
}

// enter makes a vertex of the separator ready to move, unless it has moved. To move to a side it gains its weight, without the weight of
// its neighbours on the other side, which it pulls into the separator.
func (c *cutter) enter(v int32) {
	if c.moved[v] {
		return
	}
	gain := [2]int32{c.weight[v], c.weight[v]}
	for _, w := range c.neighbours(v) {
		if s := c.side[w]; s != middle {
			gain[1-s] -= c.weight[w]
		}
	}
	for a := range c.ready {
		c.ready[a].set(v, gain[a])
	}
}

// move moves a vertex of the separator to side a.
func (c *cutter) move(v int32, a uint8) {
	m := move{vertex: v}
	c.moved[v] = true
	c.ready[0].remove(v)
	c.ready[1].remove(v)
	c.put(v, a)
	for _, u := range c.neighbours(v) {
		switch c.side[u] {
		case middle:
			c.pull(u, 1-a, c.weight[v])
		case 1 - a:
			m.pulled = append(m.pulled, u)
			c.put(u, middle)
		}
	}
	for _, u := range m.pulled {
		for _, w := range c.neighbours(u) {
			if c.side[w] == middle && !slices.Contains(m.pulled, w) {
				c.pull(w, a, -c.weight[u])
			}
		}
	}
	for _, u := range m.pulled {
		c.enter(u)
	}
	c.log = append(c.log, m)
}

// pull adds to the weight that a vertex of the separator pulls into it when it moves to a side.
func (c *cutter) pull(v int32, to uint8, weight int32) {
	if !c.moved[v] {
		c.ready[to].set(v, c.ready[to].gain[v]-weight)
	}
}

// A gainHeap is a heap of vertices, of which the first has the largest gain; of equal ones, the lowest number.
type gainHeap struct {
	list []int32
	at   []int32 // place of a vertex in list; -1: none
	gain []int32
}

func (h *gainHeap) before(v, w int32) bool {
	return h.gain[v] > h.gain[w] || h.gain[v] == h.gain[w] && v < w
}

// set adds a vertex or changes its gain.
func (h *gainHeap) set(v, gain int32) {
	h.gain[v] = gain
	if h.at[v] < 0 {
		h.at[v] = int32(len(h.list))
		h.list = append(h.list, v)
	}
	h.restore(int(h.at[v]))
}

func (h *gainHeap) remove(v int32) {
	k := h.at[v]
	if k < 0 {
		return
	}
	last := len(h.list) - 1
	h.place(h.list[last], int(k))
	h.list, h.at[v] = h.list[:last], -1
	if int(k) < last {
		h.restore(int(k))
	}
}

func (h *gainHeap) clear() {
	for _, v := range h.list {
		h.at[v] = -1
	}
	h.list = h.list[:0]
}

func (h *gainHeap) place(v int32, k int) { h.list[k], h.at[v] = v, int32(k) }

// restore moves the vertex at place k up or down to where it belongs.
func (h *gainHeap) restore(k int) {
	v := h.list[k]
	for k > 0 && h.before(v, h.list[(k-1)/2]) {
		h.place(h.list[(k-1)/2], k)
		k = (k - 1) / 2
	}
	for {
		child := 2*k + 1
		if child+1 < len(h.list) && h.before(h.list[child+1], h.list[child]) {
			child++
		}
		if child >= len(h.list) || !h.before(h.list[child], v) {
			break
		}
		h.place(h.list[child], k)
		k = child
	}
	h.place(v, k)
}
