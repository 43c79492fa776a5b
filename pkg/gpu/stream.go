package gpu

// The kernels of BabelStream [Deakin18], which measure the bandwidth of memory; Dot is the fifth.

// CopyTo computes y = x by a kernel, where Copy asks the driver.
func (s *Space) CopyTo(x, y *Vector) {
	launch(s.d, s.blocks, streamCopy{n: uint32(s.n), x: x.mem, y: y.mem})
}

// ScaleTo computes y = a x.
func (s *Space) ScaleTo(a float64, x, y *Vector) {
	launch(s.d, s.blocks, streamMul{n: uint32(s.n), a: a, x: x.mem, y: y.mem})
}

// Add computes z = x + y.
func (s *Space) Add(x, y, z *Vector) { s.Triad(x, 1, y, z) }

// Triad computes z = x + a y.
func (s *Space) Triad(x *Vector, a float64, y, z *Vector) {
	launch(s.d, s.blocks, streamTriad{n: uint32(s.n), x: x.mem, a: a, y: y.mem, z: z.mem})
}
