package gpu

// A Preconditioner is a linear map of vectors of a space, which Close releases.
type Preconditioner interface {
	Apply(dst, src *Vector)
	Close()
}

// jacobi is the preconditioner z = w∘r.
type jacobi struct {
	s      *deviceSpace
	w      buffer
	single bool // FP32
}

// NewJacobi returns the preconditioner z = w∘r. It copies w, of n elements, to the device of the space: in FP32 if
// that holds the elements exactly, 4 bytes a row, otherwise in FP64.
func NewJacobi(at Space, w []float64) (Preconditioner, error) {
	s := at.onDevice()
	single := make([]float32, len(w))
	for i, v := range w {
		if single[i] = float32(v); float64(single[i]) != v {
			return ready[Preconditioner](s.d, &jacobi{s: s, w: put(s.d, w)})
		}
	}
	return ready[Preconditioner](s.d, &jacobi{s: s, w: put(s.d, single), single: true})
}

// Close implements Preconditioner.
func (p *jacobi) Close() { p.s.d.release(&p.w) }

// Apply implements Preconditioner.
func (p *jacobi) Apply(dst, src *Vector) {
	if p.single {
		launch(p.s.d, p.s.blocks, jacobi32{n: uint32(p.s.n), w: p.w, x: src.mem, y: dst.mem})
	} else {
		p.s.Mul(known(1), &Vector{p.w}, src, dst)
	}
}
