package order

// A cutter makes a separator smaller, by moving vertices of the separator to a side, and their neighbours on the other side to the separator
// (Fiduccia and Mattheyses, for vertices as in [KarypisKumar98]).
type cutter struct {
	*weighted
	side   []uint8
	size   [3]int64 // the weight of the sides and of the separator
	most   [2]int64 // the largest weights of the sides
	border []int32  // the separator
	gain   []int32  // of a vertex of the separator that moves: its weight, less that of the neighbours that it pulls into the separator
	queue  gainQueue
	moved  []int32
	pulled []int32 // by the moves, one after the other
	ends   []int32 // where those of a move end
}

const (
	// A pass ends after as many moves without a better separator as move a whole separator on, twice its vertices, at least leastPatience; or
	// after fewMoves, if the separator has become hopeless times as large as the best.
	leastPatience = 20
	fewMoves      = 100
	hopeless      = 1.1
)

// begin makes c a cutter of a separator.
func (c *cutter) begin(g *weighted, side []uint8, most [2]int64) {
	c.weighted, c.side, c.most = g, side, most
	c.gain = grown(c.gain, len(side))
	c.size, c.border = [3]int64{}, c.border[:0]
	for v, s := range side {
		c.size[s] += int64(g.weight[v])
		if s == middle {
			c.border = append(c.border, int32(v))
		}
	}
}

// better reports whether sides of some sizes are better than others: a smaller separator, or one that leaves a smaller larger side.
func (c *cutter) better(a, b [3]int64) bool {
	over := func(size [3]int64) int64 { return max(size[0]-c.most[0], size[1]-c.most[1], 0) }
	switch {
	case over(a) != over(b):
		return over(a) < over(b)
	case a[middle] != b[middle]:
		return a[middle] < b[middle]
	}
	return max(c.share(a, 0), c.share(a, 1)) < max(c.share(b, 0), c.share(b, 1))
}

// share returns the weight of a side, relative to the largest.
func (c *cutter) share(size [3]int64, side uint8) float64 {
	return float64(size[side]) / float64(max(c.most[side], 1))
}

// refine moves vertices to the smaller side and to the larger side in turns, until neither helps.
func (c *cutter) refine(passes int) {
	to := uint8(0)
	if c.share(c.size, 1) < c.share(c.size, 0) {
		to = 1
	}
	for k, idle := 0, 0; k < passes && idle < 2; k++ {
		idle++
		if c.pass(to) {
			idle = 0
		}
		to = 1 - to
	}
}

// pass moves vertices to a side, the one that gains most first, and takes back what came after the best separator.
func (c *cutter) pass(to uint8) (improved bool) {
	c.queue, c.moved, c.pulled, c.ends = c.queue[:0], c.moved[:0], c.pulled[:0], c.ends[:0]
	for _, v := range c.border {
		c.enter(v, 1-to)
	}
	best, keep := c.size, 0
	patience := max(leastPatience, 2*len(c.border))
	for len(c.queue) > 0 && len(c.moved) < keep+patience {
		v, gain := c.queue.pop()
		fits := c.size[to]+int64(c.weight[v]) <= c.most[to] || c.share(c.size, to) < c.share(c.size, 1-to)
		if c.side[v] != middle || c.gain[v] != gain || !fits {
			continue
		}
		c.move(v, to)
		if len(c.moved) > keep+fewMoves && float64(c.size[middle]) > hopeless*float64(best[middle]) {
			break
		}
		if c.better(c.size, best) {
			best, keep, improved = c.size, len(c.moved), true
		}
	}
	c.undo(keep, to)
	c.border = append(c.border, c.pulled...)
	kept := c.border[:0]
	for _, v := range c.border {
		if c.side[v] == middle {
			kept = append(kept, v)
		}
	}
	c.border = kept
	return improved
}

// undo takes back all moves but the first.
func (c *cutter) undo(keep int, to uint8) {
	for k := len(c.moved) - 1; k >= keep; k-- {
		c.put(c.moved[k], middle)
		first := int32(0)
		if k > 0 {
			first = c.ends[k-1]
		}
		for _, u := range c.pulled[first:c.ends[k]] {
			c.put(u, 1-to)
		}
	}
}

// put changes the side of a vertex.
func (c *cutter) put(v int32, side uint8) {
	w := int64(c.weight[v])
	c.size[c.side[v]] -= w
	c.size[side] += w
	c.side[v] = side
}

// enter queues a vertex of the separator, which pulls vertices from a side.
func (c *cutter) enter(v int32, from uint8) {
	gain := c.weight[v]
	for _, w := range c.neighbours(v) {
		if c.side[w] == from {
			gain -= c.weight[w]
		}
	}
	c.gain[v] = gain
	c.queue.push(v, gain)
}

// move moves a vertex of the separator to a side.
func (c *cutter) move(v int32, to uint8) {
	c.put(v, to)
	first := len(c.pulled)
	for _, u := range c.neighbours(v) {
		if c.side[u] == 1-to {
			c.put(u, middle)
			c.pulled = append(c.pulled, u)
		}
	}
	pulled := c.pulled[first:]
	for _, u := range pulled {
		for _, w := range c.neighbours(u) {
			if c.side[w] == middle {
				c.gain[w] += c.weight[u]
				c.queue.push(w, c.gain[w])
			}
		}
	}
	for _, u := range pulled {
		c.enter(u, 1-to)
	}
	c.moved, c.ends = append(c.moved, v), append(c.ends, int32(len(c.pulled)))
}

// A gainQueue is a heap of vertices with their gains, of which the first has the largest gain; of equal ones, the lowest number. A vertex whose
// gain grows is in it again.
type gainQueue []int64

func (q *gainQueue) push(v, gain int32) {
	key := int64(gain)<<32 | int64(^uint32(v))
	h := append(*q, key)
	k := len(h) - 1
	for k > 0 && h[(k-1)/2] < key {
		h[k] = h[(k-1)/2]
		k = (k - 1) / 2
	}
	h[k] = key
	*q = h
}

func (q *gainQueue) pop() (v, gain int32) {
	h := *q
	first, last := h[0], len(h)-1
	key, k := h[last], 0
	h = h[:last]
	for {
		child := 2*k + 1
		if child+1 < last && h[child+1] > h[child] {
			child++
		}
		if child >= last || h[child] <= key {
			break
		}
		h[k] = h[child]
		k = child
	}
	if last > 0 {
		h[k] = key
	}
	*q = h
	return int32(^uint32(first)), int32(first >> 32)
}
