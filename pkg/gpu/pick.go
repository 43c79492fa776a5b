package gpu

// Picks are places of vectors of a space, whose elements are read together.
type Picks struct {
	s       *Space
	n       int
	at, out Buffer
}

// Pick returns the places at, which Close releases.
func (s *Space) Pick(at []uint32) Picks {
	p := Picks{s: s, n: len(at)}
	if p.n > 0 {
		p.at, p.out = put(s.d, at), s.d.alloc(8*int64(p.n))
	}
	return p
}

// Len is the number of them.
func (p *Picks) Len() int { return p.n }

// Close releases them.
func (p *Picks) Close() { p.s.d.release(&p.at, &p.out) }

// Get copies the elements of x there to host, and waits for them.
func (p *Picks) Get(host []float64, x *Vector) {
	if p.n > 0 {
		launch(p.s.d, blocksFor(p.n, vectorBlocks), vectorGather{n: uint32(p.n), at: p.at, x: x.mem, out: p.out})
		download(p.s.d, host[:p.n], p.out)
	}
}

// SetRange copies values to the elements of x from element at on.
func (s *Space) SetRange(x *Vector, at int, values []float64) { upload(s.d, x.mem, at, values) }
