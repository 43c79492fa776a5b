package factor

import (
	"math"
	"slices"
)

// Seconds are a forecast of wall time.
type Seconds struct{ Factoring, Applying float64 }

// Forecast returns the seconds that factors of a matrix with that Gathering take by a tree, their Solver included, and an application to a vector,
// by rates for so many threads. A node takes what the panels of its front take, what it passes to its parent, a little for each row and each
// nonzero, and the first touch of its memory. Subtrees go to threads as they become free; the nodes above them follow, with assembly and the
// pivots of panels on one thread and all else on all. Applications read the numbers of a node, on one thread above the subtrees.
func (t *Tree) Forecast(r *Rates, gathering float64) (s Seconds) {
	numbers := 0.0
	for j := range t.nodes() {
		numbers += float64(t.numbers(j, r.symmetric))
	}
	width := float64(r.in)
	size := max(width*numbers, r.read.sizes[0])
	byteRate, entries := r.read.at(size, 1)/size, gathering/float64(len(t.Order))
	making, applying := make([]float64, t.nodes()), make([]float64, t.nodes())
	node := func(j, threads int) {
		slow := 1.0
		if threads > 1 {
			slow = r.besides
		}
		k, size := t.pivots(j), t.size(j)
		m, rows := size-k, float64(size)
		stored := float64(t.numbers(j, r.symmetric))
		read := stored
		if r.symmetric { // up and down, without what is left of the diagonal
			read = 2 * float64(t.entries(j)+int64(k))
		}
		making[j] = r.fronts.front(k, m, threads)*slow + r.pass.at(float64(m), 2) + rows*r.row + float64(k)*entries + stored*width*r.touch
		applying[j] = float64(t.products(j, r.symmetric))*r.product + read*width*byteRate
	}
	free, busy := make([]float64, r.threads), make([]float64, r.threads)
	for _, c := range t.cut.subtrees {
		made, applied := 0.0, 0.0
		for j := c.first; j < c.end; j++ {
			node(j, 1)
			made, applied = made+making[j], applied+applying[j]
		}
		next := slices.Index(free, slices.Min(free))
		free[next] += made * r.besides
		next = slices.Index(busy, slices.Min(busy))
		busy[next] += applied * r.readBesides
		s.Factoring += r.pass.at(float64(len(t.pattern[c.end-1])), 2) / 2 // it is added to the nodes above
	}
	s.Factoring, s.Applying = s.Factoring+slices.Max(free), slices.Max(busy)
	for _, j := range t.cut.top {
		node(int(j), r.threads)
		s.Factoring, s.Applying = s.Factoring+making[j], s.Applying+applying[j]
	}
	subtree, top := t.peaks(t.cut)
	s.Factoring += width * float64(subtree+top) * r.touch
	return Seconds{r.cold * s.Factoring, r.cold * s.Applying}
}

// products is how many products with rows of numbers an application takes for node j.
func (t *Tree) products(j int, symmetric bool) int {
	if symmetric {
		return 2 * t.pivots(j)
	}
	return t.pivots(j) + t.size(j)
}

// A curve is seconds at sizes that rise, between which their logarithms are interpolated.
type curve struct{ sizes, seconds []float64 }

// at returns the seconds at a size, which grow as that power of it beyond the last.
func (c *curve) at(size, power float64) float64 {
	if size <= 0 {
		return 0
	}
	last := len(c.sizes) - 1
	if size >= c.sizes[last] {
		return c.seconds[last] * math.Pow(size/c.sizes[last], power)
	}
	k, _ := slices.BinarySearch(c.sizes, size)
	k = max(1, k)
	along := max(0, math.Log(size/c.sizes[k-1])/math.Log(c.sizes[k]/c.sizes[k-1]))
	return c.seconds[k-1] * math.Pow(c.seconds[k]/c.seconds[k-1], along)
}

// eliminations are the seconds of fronts with numbers of pivots that rise, by the number of other rows.
type eliminations struct {
	pivots []float64
	others []curve
}

// front returns the seconds of a front: of its panels one after the other, each with the rows that follow, of which threads share what is
// not among the pivots.
func (e *eliminations) front(k, m, threads int) (seconds float64) {
	at := func(k, m float64) float64 {
		across := curve{e.pivots, make([]float64, len(e.pivots))}
		for i := range across.seconds {
			across.seconds[i] = e.others[i].at(m, 2)
		}
		return across.at(k, 1)
	}
	for ; k > 0; k -= panel {
		now, least := float64(min(k, panel)), e.others[0].sizes[0]
		serial := at(now, least)
		seconds += serial + max(0, at(now, max(least, float64(k+m)-now))-serial)/float64(threads)
	}
	return seconds
}
