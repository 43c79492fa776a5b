package gpu

import (
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Vector is a vector on a device.
type Vector struct{ mem buffer }

// Space is the space of vectors of dimension n on a device. The vectors that New returns
// are released by Close. Functions that return a number of the host wait for the device; NaN stands for a failure of
// the device.
type Space interface {
	linop.Async[*Vector, Scalar]
	linop.Packer[*Vector, Scalar]

	Device() *Device
	Upload(v *Vector, x []float64)                // copies x, of n elements, to v
	Download(x []float64, v *Vector)              // copies v to x, of n elements, and waits for it
	SetRange(x *Vector, at int, values []float64) // copies values to the elements of x from element at on
	Pick(at []uint32) Picks                       // these indices, which Close of Picks releases
	PutInts(v []int32) Ints                       // copies v to the device; Close of Ints releases it
	Close()

	Mul(a Scalar, w, x, y *Vector)           // y = a w∘x, elementwise; y is neither
	AbsMax(x *Vector) float64                // max |x_i|, NaN if any is, and 0 if n = 0
	Norm2(x *Vector) (norm float64, exp int) // the 2-norm of x as norm 2^exp, which may be beyond float64

	// RowError returns the largest |r_i| / (t_i normX + |b_i|), where 0/0 = 0 and a denominator beyond float64 does not make
	// the quotient zero; NaN if any is.
	RowError(r, t *Vector, normX float64, b *Vector) float64
	// Ldexp sets dst_i = (sign src_i) 2^(e_i + shift), rounded once each where sign is 1 or -1; it may be any number. dst is
	// not src.
	Ldexp(dst, src *Vector, sign float64, e Ints, shift int)
	AddLdexp(dst, x, z *Vector, e Ints, shift int) // dst_i = x_i + z_i 2^(e_i + shift); dst is neither
	MaxExponent(x *Vector, e Ints) int             // the largest dd.Exponent(x_i) + e_i over x_i != 0, math.MinInt32 if there is none

	// The kernels of BabelStream [Deakin18], which measure the bandwidth of memory; Dot is the fifth.
	CopyTo(x, y *Vector)                      // y = x by a kernel, where Copy asks the driver
	ScaleTo(a float64, x, y *Vector)          // y = a x
	Add(x, y, z *Vector)                      // z = x + y
	Triad(x *Vector, a float64, y, z *Vector) // z = x + a y

	onDevice() *deviceSpace
}

// deviceSpace implements Space.
type deviceSpace struct {
	d      *Device
	n      int
	blocks uint32
	all    []*Vector
	bases  []*basis
	parts  buffer    // what a kernel leaves for the host, see measure.go
	host   []float64 // the same
}

var _ Space = (*deviceSpace)(nil)

const (
	threads = 256 // of a block
	warp    = 32  // neighbours
	// vectorBlocks is the number of blocks of vector kernels at most: four for each
	// multiprocessor of a large GPU, so that all are resident at one time. It is the same on
	// all, so that sums have the same bits.
	vectorBlocks = 512
	// stride is the number of iterations between two deferred convergence checks.
	stride = 16
)

// NewSpace returns the space.
func NewSpace(d *Device, n int) Space { return newSpace(d, n) }

func newSpace(d *Device, n int) *deviceSpace {
	return &deviceSpace{d: d, n: n, blocks: blocksFor(n, vectorBlocks)}
}

// blocksFor is the number of blocks for n threads' work, at most `most`.
func blocksFor(n int, most uint32) uint32 {
	return max(1, uint32(min((n+threads-1)/threads, int(most))))
}

func (s *deviceSpace) onDevice() *deviceSpace { return s }

// Device returns the device.
func (s *deviceSpace) Device() *Device { return s.d }

// Close releases the vectors and bases.
func (s *deviceSpace) Close() {
	for _, v := range s.all {
		s.d.release(&v.mem)
	}
	for _, b := range s.bases {
		b.close()
	}
	s.all, s.bases = nil, nil
	s.d.release(&s.parts)
}

// Dim returns n.
func (s *deviceSpace) Dim() int { return s.n }

// New returns a zero vector.
func (s *deviceSpace) New() *Vector {
	v := &Vector{s.d.alloc(8 * int64(s.n))}
	s.all = append(s.all, v)
	s.Zero(v)
	return v
}

// Upload implements Space.
func (s *deviceSpace) Upload(v *Vector, x []float64) { upload(s.d, v.mem, 0, x) }

// Download implements Space.
func (s *deviceSpace) Download(x []float64, v *Vector) { download(s.d, x, v.mem) }

// Scalar returns a.
func (s *deviceSpace) Scalar(a float64) Scalar { return known(a) }

// Roundoff returns the unit roundoff of float64.
func (s *deviceSpace) Roundoff() float64 { return 0x1p-53 }

// Zero sets x = 0.
func (s *deviceSpace) Zero(x *Vector) {
	if s.d.err == nil {
		s.d.note("clearing a vector", s.d.drv.zero(x.mem.handle, 8*int64(s.n)))
	}
}

// zero clears a buffer.
func (s *deviceSpace) zero(b buffer) {
	if s.d.err == nil {
		s.d.note("clearing its memory", s.d.drv.zero(b.handle, b.bytes))
	}
}

// Fill sets x_i = element(i), from the host.
func (s *deviceSpace) Fill(x *Vector, element func(i int) float64) {
	host := make([]float64, s.n)
	for i := range host {
		host[i] = element(i)
	}
	s.Upload(x, host)
}

// Copy sets dst = src.
func (s *deviceSpace) Copy(dst, src *Vector) {
	if s.d.err == nil {
		s.d.note("copying a vector", s.d.drv.copy(dst.mem.handle, src.mem.handle, 8*int64(s.n)))
	}
}

// Scale computes x *= a.
func (s *deviceSpace) Scale(a Scalar, x *Vector) {
	launch(s.d, s.blocks, vectorScale{n: uint32(s.n), a: a.coefficient(), x: x.mem, reductions: s.d.sums.mem})
	a.settle()
}

// Axpy computes y += a x.
func (s *deviceSpace) Axpy(a Scalar, x, y *Vector) {
	launch(s.d, s.blocks, vectorAxpy{n: uint32(s.n), a: a.coefficient(), x: x.mem, y: y.mem, reductions: s.d.sums.mem})
	a.settle()
}

// Xpay computes y = x + a y.
func (s *deviceSpace) Xpay(x *Vector, a Scalar, y *Vector) {
	launch(s.d, s.blocks, vectorXpay{n: uint32(s.n), x: x.mem, a: a.coefficient(), y: y.mem, reductions: s.d.sums.mem})
	a.settle()
}

// Mul implements Space.
func (s *deviceSpace) Mul(a Scalar, w, x, y *Vector) {
	launch(s.d, s.blocks, vectorMul{n: uint32(s.n), a: a.coefficient(), w: w.mem, x: x.mem, y: y.mem, reductions: s.d.sums.mem})
	a.settle()
}

// Dot returns x·y.
func (s *deviceSpace) Dot(x, y *Vector) Scalar {
	v, area := s.d.sums.sum(s.blocks)
	launch(s.d, s.blocks, vectorDot{n: uint32(s.n), x: x.mem, y: y.mem, area: area, reductions: s.d.sums.mem})
	return v
}

// AxpyDot computes y += a x and returns y·z.
func (s *deviceSpace) AxpyDot(a Scalar, x, y, z *Vector) Scalar {
	own := uint32(0)
	if z == y {
		own, z = 1, x
	}
	v, area := s.d.sums.sum(s.blocks)
	launch(s.d, s.blocks, vectorAxpyDot{
		n: uint32(s.n), a: a.coefficient(), x: x.mem, y: y.mem, own: own, z: z.mem, area: area, reductions: s.d.sums.mem,
	})
	a.settle()
	return v
}

// Step computes x += a p and r -= a q and returns r·r.
func (s *deviceSpace) Step(a Scalar, p, x, q, r *Vector) Scalar {
	v, area := s.d.sums.sum(s.blocks)
	launch(s.d, s.blocks, vectorStep{
		n: uint32(s.n), a: a.coefficient(), p: p.mem, x: x.mem, q: q.mem, r: r.mem, area: area, reductions: s.d.sums.mem,
	})
	a.settle()
	return v
}

// DoubleStep computes x += a p + o t and r -= o q, t being r or another vector than x and
// r, and returns r·r and r·w.
func (s *deviceSpace) DoubleStep(a Scalar, p *Vector, o Scalar, t, x, q, r, w *Vector) (rr, rw Scalar) {
	own := uint32(0)
	if t == r {
		own, t = 1, p
	}
	rr, area := s.d.sums.sum(s.blocks)
	rw, area2 := s.d.sums.sum(s.blocks)
	launch(s.d, s.blocks, vectorDoubleStep{
		n: uint32(s.n), a: a.coefficient(), p: p.mem, o: o.coefficient(), own: own, s: t.mem, x: x.mem,
		q: q.mem, r: r.mem, w: w.mem, area: area, area2: area2, reductions: s.d.sums.mem,
	})
	a.settle()
	o.settle()
	return rr, rw
}

// Direction computes p = r + b (p - o q).
func (s *deviceSpace) Direction(r *Vector, b, o Scalar, q, p *Vector) {
	launch(s.d, s.blocks, vectorDirection{
		n: uint32(s.n), r: r.mem, b: b.coefficient(), o: o.coefficient(), q: q.mem, p: p.mem, reductions: s.d.sums.mem,
	})
	b.settle()
	o.settle()
}

// together is the number of vectors that one kernel takes.
const together = 8

// MultiDot computes h_k = v_k·w for every k, eight in one pass over w.
func (s *deviceSpace) MultiDot(h []Scalar, vs []*Vector, w *Vector) {
	s.d.sums.multiDot(h[:len(vs)], s.blocks, func(at, m int, area uint32) {
		v := buffers(vs[at:])
		launch(s.d, s.blocks, vectorMultiDot{
			n: uint32(s.n), m: uint32(m), v0: v[0], v1: v[1], v2: v[2], v3: v[3], v4: v[4], v5: v[5], v6: v[6], v7: v[7],
			w: w.mem, area: area, reductions: s.d.sums.mem,
		})
	})
}

// multiDot sets h to sums of so many parts. do leaves the parts of m sums, at most eight, from number at on in the areas from
// area on.
func (p *reductions) multiDot(h []Scalar, parts uint32, do func(at, m int, area uint32)) {
	first := p.reserve(len(h))
	for k := range h {
		h[k] = p.scalar(first + uint64(k))
	}
	for from := 0; from < len(h); from += areas {
		n := min(len(h)-from, areas)
		for a := range areas {
			p.total(a)
		}
		for at := 0; at < n; at += together {
			do(from+at, min(n-at, together), uint32(at))
		}
		launch(p.d, uint32(n), vectorTotals{cell: uint32((first + uint64(from)) % cells), first: 0, parts: parts, reductions: p.mem})
	}
}

// buffers returns the buffers of the first eight vectors, and the first again where there are fewer.
func buffers(vs []*Vector) (b [together]buffer) {
	for k := range b {
		b[k] = vs[0].mem
		if k < len(vs) {
			b[k] = vs[k].mem
		}
	}
	return b
}

// MultiAxpy computes w += sum a_k v_k, eight vectors in one pass over w.
func (s *deviceSpace) MultiAxpy(a []Scalar, vs []*Vector, w *Vector) {
	s.multiAxpyVectors(a, vs, w, false)
}

// MultiAxpyDot computes w += sum a_k v_k and returns w·w.
func (s *deviceSpace) MultiAxpyDot(a []Scalar, vs []*Vector, w *Vector) Scalar {
	if len(vs) == 0 {
		return s.Dot(w, w)
	}
	return s.multiAxpyVectors(a, vs, w, true)
}

func (s *deviceSpace) multiAxpyVectors(a []Scalar, vs []*Vector, w *Vector, dot bool) Scalar {
	return s.multiAxpy(a[:len(vs)], s.blocks, dot, func(at, m int, cell uint32, sign float64, area uint32) {
		v := buffers(vs[at:])
		launch(s.d, s.blocks, vectorMultiAxpy{
			n: uint32(s.n), m: uint32(m), cell: cell, sign: sign,
			v0: v[0], v1: v[1], v2: v[2], v3: v[3], v4: v[4], v5: v[5], v6: v[6], v7: v[7],
			w: w.mem, area: area, reductions: s.d.sums.mem,
		})
	})
}

// multiAxpy calls do for each m coefficients, at most eight, from number at on, which are sign times the cells from cell on.
// If dot is set the last one leaves a sum of so many parts in an area, which multiAxpy returns.
func (s *deviceSpace) multiAxpy(a []Scalar, parts uint32, dot bool, do func(at, m int, cell uint32, sign float64, area uint32)) (ww Scalar) {
	first, sign := s.inCells(a)
	for at := 0; at < len(a); at += together {
		area := uint32(noCell)
		if dot && at+together >= len(a) {
			ww, area = s.d.sums.sum(parts)
		}
		do(at, min(len(a)-at, together), uint32((first+uint64(at))%cells), sign, area)
	}
	return ww
}

// inCells returns sign and first number of sums that follow each other and are a: a
// themselves, if they are such, otherwise copies of what the host has to know for it.
func (s *deviceSpace) inCells(a []Scalar) (first uint64, sign float64) {
	if len(a) == 0 {
		return 0, 1
	}
	first, sign = a[0].q[0].n.sum, a[0].scale
	follow := sign == 1 || sign == -1
	for k, c := range a {
		plain := c
		plain.scale *= sign
		f, ok := plain.single()
		follow = follow && ok && f.how == 0 && f.sum == first+uint64(k) && c.sums.raw[c.sums.cell(f.sum-1)] == 0
	}
	if follow {
		return first - 1, sign
	}
	values := make([]float64, len(a))
	for k, c := range a {
		values[k] = c.Float()
	}
	return s.d.sums.put(values), 1
}

// Stride implements linop.Async.
func (s *deviceSpace) Stride() int { return stride }

// Fetch implements linop.Async.
func (s *deviceSpace) Fetch() { s.d.sums.fetch() }

// Await implements linop.Async.
func (s *deviceSpace) Await() (sound bool) { return s.d.sums.await() }

// Known implements linop.Async.
func (s *deviceSpace) Known(a Scalar) Scalar { return known(a.Float()) }

// Forget implements linop.Async: the partial sums of a are not added up.
func (s *deviceSpace) Forget(a Scalar) { a.settle() }

// Positive implements linop.Async.
func (s *deviceSpace) Positive(a Scalar) Scalar {
	if _, ok := a.single(); ok {
		a.q[0].n.how |= isPositive
	}
	return a
}

// Checkpoint implements linop.Async.
func (s *deviceSpace) Checkpoint(dst, src *Vector) {
	launch(s.d, s.blocks, vectorKeep{n: uint32(s.n), x: src.mem, kept: dst.mem, reductions: s.d.sums.mem})
}

// ClearFault implements linop.Async.
func (s *deviceSpace) ClearFault() { s.d.sums.clearFault() }
