package gpu

// Jacobi is the preconditioner z = w∘r on a device.
type Jacobi struct {
	s      *Space
	w      Buffer
	single bool // FP32
}

// NewJacobi copies w, of n elements, to the device of a space: in FP32 if that holds them
// exactly, 4 bytes a row, otherwise in FP64.
func NewJacobi(s *Space, w []float64) (*Jacobi, error) {
	single := make([]float32, len(w))
	for i, v := range w {
		if single[i] = float32(v); float64(single[i]) != v {
			return ready(s.d, &Jacobi{s: s, w: put(s.d, w)})
		}
	}
	return ready(s.d, &Jacobi{s: s, w: put(s.d, single), single: true})
}

// Close releases it.
func (p *Jacobi) Close() { p.s.d.release(&p.w) }

// Apply computes dst = w∘src.
func (p *Jacobi) Apply(dst, src *Vector) {
	if p.single {
		launch(p.s.d, p.s.blocks, jacobi32{n: uint32(p.s.n), w: p.w, x: src.mem, y: dst.mem})
	} else {
		p.s.Mul(known(1), &Vector{p.w}, src, dst)
	}
}
