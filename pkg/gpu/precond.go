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

// Chebyshev is the preconditioner M^-1 = (I - q(diag(w) A)) A^-1 on a device, where
// q(t) = product over k of (1 - omega_k t). An application is a launch for each omega.
type Chebyshev struct {
	s       *Space
	a       *Matrix
	w, work Vector
	omega   []float64
}

// NewChebyshev copies w, of n elements, to the device of a space and takes memory for
// another vector. The matrix stays the caller's, to be closed later. There is at least
// one omega.
func NewChebyshev(s *Space, a *Matrix, w, omega []float64) (*Chebyshev, error) {
	return ready(s.d, &Chebyshev{
		s: s, a: a, w: Vector{put(s.d, w)}, work: Vector{s.d.alloc(8 * int64(s.n))}, omega: omega,
	})
}

// Close releases it.
func (p *Chebyshev) Close() { p.s.d.release(&p.w.mem, &p.work.mem) }

// Apply computes dst = M^-1 src.
func (p *Chebyshev) Apply(dst, src *Vector) {
	x, y := dst, &p.work
	if len(p.omega)%2 == 0 { // an odd number of steps between the two follows
		x, y = y, x
	}
	p.s.Mul(known(p.omega[0]), &p.w, src, x)
	for _, omega := range p.omega[1:] {
		p.a.Relax(y, x, src, &p.w, known(omega))
		x, y = y, x
	}
}
