// Package gpudist has the vectors and matrices of internal/dist on devices, one device for each rank: a linop.Space
// of vectors whose own elements lie on the device of their rank, and operators on them. Ghosts and inner products go
// through the host.
//
// A vector consists of separate vectors for the domains of a rank, so that the bits depend on the domains but neither
// on the number of ranks nor on the kind of device. Ghosts are zero except during a product. An error stays with the
// device of a rank, where all inner products become NaN; the other ranks learn of it by Space.Err.
package gpudist

import (
	"errors"
	"fmt"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Vector is a vector that ranks share: for each domain of this rank a segment on its device, including ghosts.
type Vector struct{ part []*gpu.Vector }

// Space is the space of vectors of a layout on the devices of the ranks. Inner products, norms and maxima are
// collective; an inner product is the exact sum of the inner products of the domains, as [gpu.Space] computes them.
// Scalars are numbers of the host, so that each inner product waits for the device.
type Space struct {
	layout  *dist.Layout
	on      *gpu.Device
	parts   []gpu.Space
	reducer linop.Reducer
	halo    halo

	partial []float64
	sums    []float64
	numbers []gpu.Scalar
}

var _ linop.Space[*Vector, linop.Float64] = (*Space)(nil)

// NewSpace returns the space of a layout, with the vectors of this rank on a device, which ranks may share.
func NewSpace(l *dist.Layout, on *gpu.Device) *Space {
	s := &Space{layout: l, on: on, reducer: dist.NewReducer(l.Comm)}
	for _, p := range l.Parts {
		s.parts = append(s.parts, gpu.NewSpace(on, p.Next()-p.At))
	}
	s.halo = newHalo(s)
	return s
}

// Close releases the vectors.
func (s *Space) Close() {
	for _, p := range s.parts {
		p.Close()
	}
	s.halo.close()
}

// Err returns the first failure of the device of any rank, the same on all ranks. It is collective.
func (s *Space) Err() error {
	message := ""
	if err := s.on.Err(); err != nil {
		message = err.Error()
	}
	for rank, text := range s.layout.Comm.Gather([]byte(message)) {
		switch {
		case len(text) == 0:
		case rank == s.layout.Comm.Rank():
			return s.on.Err()
		default:
			return fmt.Errorf("rank %d: %w", rank, errors.New(string(text)))
		}
	}
	return nil
}

// Dim returns the number of rows of all ranks.
func (s *Space) Dim() int { return int(s.layout.Domains.Rows()) }

// New returns a zero vector.
func (s *Space) New() *Vector {
	v := &Vector{}
	for _, p := range s.parts {
		v.part = append(v.part, p.New())
	}
	return v
}

// Scalar returns a.
func (s *Space) Scalar(a float64) linop.Float64 { return linop.Float64(a) }

// Roundoff returns the unit roundoff of float64.
func (s *Space) Roundoff() float64 { return 0x1p-53 }

// Upload copies the own elements of x, a vector of the layout on the host, to v.
func (s *Space) Upload(v *Vector, x []float64) {
	for k, p := range s.layout.Parts {
		segment := make([]float64, p.Next()-p.At)
		copy(segment[p.Below:], x[p.First():p.End()])
		s.parts[k].Upload(v.part[k], segment)
	}
}

// Download copies the own elements of v to x, a vector of the layout on the host.
func (s *Space) Download(x []float64, v *Vector) {
	for k, p := range s.layout.Parts {
		segment := make([]float64, p.Next()-p.At)
		s.parts[k].Download(segment, v.part[k])
		copy(x[p.First():p.End()], segment[p.Below:])
	}
}

// Zero sets x = 0.
func (s *Space) Zero(x *Vector) {
	s.each(func(k int, p gpu.Space) { p.Zero(x.part[k]) })
}

// Fill sets x_i = element(i), from the host.
func (s *Space) Fill(x *Vector, element func(i int) float64) {
	host := make([]float64, s.layout.Len)
	for _, p := range s.layout.Parts {
		for i := range p.Own {
			host[p.First()+i] = element(int(p.Row) + i)
		}
	}
	s.Upload(x, host)
}

// Copy sets dst = src.
func (s *Space) Copy(dst, src *Vector) {
	s.each(func(k int, p gpu.Space) { p.Copy(dst.part[k], src.part[k]) })
}

// Scale computes x *= a.
func (s *Space) Scale(a linop.Float64, x *Vector) {
	s.each(func(k int, p gpu.Space) { p.Scale(known(p, a), x.part[k]) })
}

// Axpy computes y += a x.
func (s *Space) Axpy(a linop.Float64, x, y *Vector) {
	s.each(func(k int, p gpu.Space) { p.Axpy(known(p, a), x.part[k], y.part[k]) })
}

// Xpay computes y = x + a y.
func (s *Space) Xpay(x *Vector, a linop.Float64, y *Vector) {
	s.each(func(k int, p gpu.Space) { p.Xpay(x.part[k], known(p, a), y.part[k]) })
}

// Mul computes y = a w∘x, elementwise; y is neither w nor x.
func (s *Space) Mul(a linop.Float64, w, x, y *Vector) {
	s.each(func(k int, p gpu.Space) { p.Mul(known(p, a), w.part[k], x.part[k], y.part[k]) })
}

// Direction computes p = r + b (p - o q).
func (s *Space) Direction(r *Vector, b, o linop.Float64, q, p *Vector) {
	s.each(func(k int, at gpu.Space) { at.Direction(r.part[k], known(at, b), known(at, o), q.part[k], p.part[k]) })
}

// Dot returns x·y.
func (s *Space) Dot(x, y *Vector) linop.Float64 {
	return s.sum(func(k int, p gpu.Space) gpu.Scalar { return p.Dot(x.part[k], y.part[k]) })
}

// AxpyDot computes y += a x and returns y·z.
func (s *Space) AxpyDot(a linop.Float64, x, y, z *Vector) linop.Float64 {
	return s.sum(func(k int, p gpu.Space) gpu.Scalar {
		return p.AxpyDot(known(p, a), x.part[k], y.part[k], z.part[k])
	})
}

// Step computes x += a p and r -= a q and returns r·r.
func (s *Space) Step(a linop.Float64, p, x, q, r *Vector) linop.Float64 {
	return s.sum(func(k int, at gpu.Space) gpu.Scalar {
		return at.Step(known(at, a), p.part[k], x.part[k], q.part[k], r.part[k])
	})
}

// DoubleStep computes x += a p + o t and r -= o q, where t is r or a vector other than x and r, and returns r·r and
// r·w.
func (s *Space) DoubleStep(a linop.Float64, p *Vector, o linop.Float64, t, x, q, r, w *Vector) (rr, rw linop.Float64) {
	sums := s.sumsOf(2, func(k int, at gpu.Space, out []gpu.Scalar) {
		out[0], out[1] = at.DoubleStep(known(at, a), p.part[k], known(at, o), t.part[k], x.part[k], q.part[k], r.part[k], w.part[k])
	})
	return linop.Float64(sums[0]), linop.Float64(sums[1])
}

// MultiDot computes h_k = v_k·w for every k.
func (s *Space) MultiDot(h []linop.Float64, vs []*Vector, w *Vector) {
	sums := s.sumsOf(len(vs), func(k int, p gpu.Space, out []gpu.Scalar) { p.MultiDot(out, of(vs, k), w.part[k]) })
	for k, v := range sums {
		h[k] = linop.Float64(v)
	}
}

// MultiAxpy computes w += sum a_k v_k.
func (s *Space) MultiAxpy(a []linop.Float64, vs []*Vector, w *Vector) {
	s.each(func(k int, p gpu.Space) { p.MultiAxpy(allKnown(p, a[:len(vs)]), of(vs, k), w.part[k]) })
}

// MultiAxpyDot computes w += sum a_k v_k and returns w·w.
func (s *Space) MultiAxpyDot(a []linop.Float64, vs []*Vector, w *Vector) linop.Float64 {
	return s.sum(func(k int, p gpu.Space) gpu.Scalar {
		return p.MultiAxpyDot(allKnown(p, a[:len(vs)]), of(vs, k), w.part[k])
	})
}

// each calls do for each part.
func (s *Space) each(do func(k int, p gpu.Space)) {
	for k, p := range s.parts {
		do(k, p)
	}
}

// sum adds up one number of each part, exactly, over all ranks.
func (s *Space) sum(one func(k int, p gpu.Space) gpu.Scalar) linop.Float64 {
	return linop.Float64(s.sumsOf(1, func(k int, p gpu.Space, out []gpu.Scalar) { out[0] = one(k, p) })[0])
}

// sumsOf adds up m numbers of each part; the sums are valid until the next call.
func (s *Space) sumsOf(m int, numbers func(k int, p gpu.Space, out []gpu.Scalar)) []float64 {
	s.numbers = append(s.numbers[:0], make([]gpu.Scalar, m*len(s.parts))...)
	for k, p := range s.parts {
		numbers(k, p, s.numbers[m*k:m*(k+1)])
	}
	s.partial = s.partial[:0]
	for _, v := range s.numbers { // the first waits for all of them
		s.partial = append(s.partial, v.Float())
	}
	s.sums = append(s.sums[:0], make([]float64, m)...)
	s.reducer.Sum(s.sums, s.partial)
	return s.sums
}

func known(p gpu.Space, a linop.Float64) gpu.Scalar { return p.Scalar(a.Float()) }

func allKnown(p gpu.Space, a []linop.Float64) []gpu.Scalar {
	list := make([]gpu.Scalar, len(a))
	for k, v := range a {
		list[k] = known(p, v)
	}
	return list
}

// of returns part k of the vectors.
func of(vs []*Vector, k int) []*gpu.Vector {
	list := make([]*gpu.Vector, len(vs))
	for j, v := range vs {
		list[j] = v.part[k]
	}
	return list
}
