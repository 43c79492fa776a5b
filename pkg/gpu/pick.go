package gpu

// Picks are indices of elements of vectors of a space that are read together.
type Picks struct {
	s       *deviceSpace
	n       int
	at, out buffer
}

// Pick implements Space.
func (s *deviceSpace) Pick(at []uint32) Picks {
	p := Picks{s: s, n: len(at)}
	if p.n > 0 {
		p.at, p.out = put(s.d, at), s.d.alloc(8*int64(p.n))
	}
	return p
}

// Len returns the number of indices.
func (p *Picks) Len() int { return p.n }

// Close releases the memory of the indices.
func (p *Picks) Close() { p.s.d.release(&p.at, &p.out) }

// Get copies the elements of x at the indices to host, and waits for them.
func (p *Picks) Get(host []float64, x *Vector) {
	if p.n > 0 {
		launch(p.s.d, blocksFor(p.n, vectorBlocks), vectorGather{n: uint32(p.n), at: p.at, x: x.mem, out: p.out})
		download(p.s.d, host[:p.n], p.out)
	}
}

// SetRange implements Space.
func (s *deviceSpace) SetRange(x *Vector, at int, values []float64) { upload(s.d, x.mem, at, values) }
