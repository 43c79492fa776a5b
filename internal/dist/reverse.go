package dist

// A Reverse adds ghosts to the elements that they are copies of: the transpose of Halo.Exchange.
type Reverse struct {
	halo     *Halo
	back     *Halo // its links send what the links of halo receive
	exchange exchange[float64]
}

// Reverse returns the reverse of a halo. It is collective.
func (h *Halo) Reverse() *Reverse {
	r := &Halo{comm: h.comm}
	for _, l := range h.links {
		r.links = append(r.links, link{rank: l.rank, send: l.recv, recv: l.send})
	}
	a := &Reverse{halo: h, back: r}
	a.exchange.connect(r, plain[float64]())
	return a
}

// Add adds each ghost of x to the element that it is a copy of, in the order of the domains that have the ghosts, so
// that the bits do not depend on ranks. Ghosts do not change. It is collective.
func (r *Reverse) Add(x []float64) {
	r.exchange.start(r.back, x, nil)
	r.exchange.connection.Wait()
	k := 0 // channel
	here := r.halo.local
	for _, l := range r.halo.links { // by rank; the domains of a rank follow those of the rank before
		if l.rank > r.halo.comm.Rank() {
			addCopied(x, here)
			here = nil
		}
		if len(l.send) == 0 {
			continue
		}
		in := numbers[float64](r.exchange.connection.In(k))
		for i, at := range l.send {
			x[at] += in[i]
		}
		k++
	}
	addCopied(x, here)
}

// addCopied adds ghosts that are copies of the rank's own elements to these elements.
func addCopied(x []float64, ghosts []copied) {
	for _, c := range ghosts {
		x[c.from] += x[c.to]
	}
}
