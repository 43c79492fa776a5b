package gpu

// CopyTo implements Space.
func (s *deviceSpace) CopyTo(x, y *Vector) {
	launch(s.d, s.blocks, streamCopy{n: uint32(s.n), x: x.mem, y: y.mem})
}

// ScaleTo implements Space.
func (s *deviceSpace) ScaleTo(a float64, x, y *Vector) {
	launch(s.d, s.blocks, streamMul{n: uint32(s.n), a: a, x: x.mem, y: y.mem})
}

// Add implements Space.
func (s *deviceSpace) Add(x, y, z *Vector) { s.Triad(x, 1, y, z) }

// Triad implements Space.
func (s *deviceSpace) Triad(x *Vector, a float64, y, z *Vector) {
	launch(s.d, s.blocks, streamTriad{n: uint32(s.n), x: x.mem, a: a, y: y.mem, z: z.mem})
}
