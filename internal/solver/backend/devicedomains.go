package backend

import (
	"errors"
	"fmt"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// domainVector is a vector that ranks share: for each domain of this rank a segment on its device, including ghosts, which go
// through the host, as inner products do.
//
// A vector consists of separate vectors for the domains of a rank, so that the bits depend on the domains but neither
// on the number of ranks nor on the kind of device. Ghosts are zero except during a product. An error stays with the
// device of a rank, where all inner products become NaN; the other ranks learn of it by Err.
type domainVector struct{ part []*gpu.Vector }

// domainSpace is the space of vectors of a layout on the devices of the ranks. Inner products, norms and maxima are
// collective; an inner product is the exact sum of the inner products of the domains, as [gpu.Space] computes them.
// Scalars are numbers of the host, so that each inner product waits for the device.
type domainSpace struct {
	layout  *dist.Layout
	on      *gpu.Device
	parts   []gpu.Space
	reducer linop.Reducer
	halo    halo

	partial []float64
	sums    []float64
	numbers []gpu.Scalar
}

var _ linop.Space[*domainVector, linop.Float64] = (*domainSpace)(nil)

// newDomainSpace returns the space of a layout, with the vectors of this rank on a device, which ranks may share.
func newDomainSpace(l *dist.Layout, on *gpu.Device) *domainSpace {
	s := &domainSpace{layout: l, on: on, reducer: dist.NewReducer(l.Comm)}
	for _, p := range l.Parts {
		s.parts = append(s.parts, gpu.NewSpace(on, p.Next()-p.At))
	}
	s.halo = newHalo(s)
	return s
}

// Close releases the vectors.
func (s *domainSpace) Close() {
	for _, p := range s.parts {
		p.Close()
	}
	s.halo.close()
}

// Err returns the first failure of the device of any rank, the same on all ranks. It is collective.
func (s *domainSpace) Err() error {
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
func (s *domainSpace) Dim() int { return int(s.layout.Domains.Rows()) }

// New returns a zero vector.
func (s *domainSpace) New() *domainVector {
	v := &domainVector{}
	for _, p := range s.parts {
		v.part = append(v.part, p.New())
	}
	return v
}

// Scalar returns a.
func (s *domainSpace) Scalar(a float64) linop.Float64 { return linop.Float64(a) }

// Roundoff returns the unit roundoff of float64.
func (s *domainSpace) Roundoff() float64 { return 0x1p-53 }

// Upload copies the own elements of x, a vector of the layout on the host, to v.
func (s *domainSpace) Upload(v *domainVector, x []float64) {
	for k, p := range s.layout.Parts {
		segment := make([]float64, p.Next()-p.At)
		copy(segment[p.Below:], x[p.First():p.End()])
		s.parts[k].Upload(v.part[k], segment)
	}
}

// Download copies the own elements of v to x, a vector of the layout on the host.
func (s *domainSpace) Download(x []float64, v *domainVector) {
	for k, p := range s.layout.Parts {
		segment := make([]float64, p.Next()-p.At)
		s.parts[k].Download(segment, v.part[k])
		copy(x[p.First():p.End()], segment[p.Below:])
	}
}

// Zero sets x = 0.
func (s *domainSpace) Zero(x *domainVector) {
	s.each(func(k int, p gpu.Space) { p.Zero(x.part[k]) })
}

// Fill sets x_i = element(i), from the host.
func (s *domainSpace) Fill(x *domainVector, element func(i int) float64) {
	host := make([]float64, s.layout.Len)
	for _, p := range s.layout.Parts {
		for i := range p.Own {
			host[p.First()+i] = element(int(p.Row) + i)
		}
	}
	s.Upload(x, host)
}

// Copy sets dst = src.
func (s *domainSpace) Copy(dst, src *domainVector) {
	s.each(func(k int, p gpu.Space) { p.Copy(dst.part[k], src.part[k]) })
}

// Scale computes x *= a.
func (s *domainSpace) Scale(a linop.Float64, x *domainVector) {
	s.each(func(k int, p gpu.Space) { p.Scale(knownScalar(p, a), x.part[k]) })
}

// Axpy computes y += a x.
func (s *domainSpace) Axpy(a linop.Float64, x, y *domainVector) {
	s.each(func(k int, p gpu.Space) { p.Axpy(knownScalar(p, a), x.part[k], y.part[k]) })
}

// Xpay computes y = x + a y.
func (s *domainSpace) Xpay(x *domainVector, a linop.Float64, y *domainVector) {
	s.each(func(k int, p gpu.Space) { p.Xpay(x.part[k], knownScalar(p, a), y.part[k]) })
}

// Mul computes y = a w∘x, elementwise; y is neither w nor x.
func (s *domainSpace) Mul(a linop.Float64, w, x, y *domainVector) {
	s.each(func(k int, p gpu.Space) { p.Mul(knownScalar(p, a), w.part[k], x.part[k], y.part[k]) })
}

// Direction computes p = r + b (p - o q).
func (s *domainSpace) Direction(r *domainVector, b, o linop.Float64, q, p *domainVector) {
	s.each(func(k int, at gpu.Space) {
		at.Direction(r.part[k], knownScalar(at, b), knownScalar(at, o), q.part[k], p.part[k])
	})
}

// Dot returns x·y.
func (s *domainSpace) Dot(x, y *domainVector) linop.Float64 {
	return s.sum(func(k int, p gpu.Space) gpu.Scalar { return p.Dot(x.part[k], y.part[k]) })
}

// AxpyDot computes y += a x and returns y·z.
func (s *domainSpace) AxpyDot(a linop.Float64, x, y, z *domainVector) linop.Float64 {
	return s.sum(func(k int, p gpu.Space) gpu.Scalar {
		return p.AxpyDot(knownScalar(p, a), x.part[k], y.part[k], z.part[k])
	})
}

// Step computes x += a p and r -= a q and returns r·r.
func (s *domainSpace) Step(a linop.Float64, p, x, q, r *domainVector) linop.Float64 {
	return s.sum(func(k int, at gpu.Space) gpu.Scalar {
		return at.Step(knownScalar(at, a), p.part[k], x.part[k], q.part[k], r.part[k])
	})
}

// DoubleStep computes x += a p + o t and r -= o q, where t is r or a vector other than x and r, and returns r·r and
// r·w.
func (s *domainSpace) DoubleStep(a linop.Float64, p *domainVector, o linop.Float64, t, x, q, r, w *domainVector) (rr, rw linop.Float64) {
	sums := s.sumsOf(2, func(k int, at gpu.Space, out []gpu.Scalar) {
		out[0], out[1] = at.DoubleStep(knownScalar(at, a), p.part[k], knownScalar(at, o), t.part[k], x.part[k], q.part[k], r.part[k], w.part[k])
	})
	return linop.Float64(sums[0]), linop.Float64(sums[1])
}

// MultiDot computes h_k = v_k·w for every k.
func (s *domainSpace) MultiDot(h []linop.Float64, vs []*domainVector, w *domainVector) {
	sums := s.sumsOf(len(vs), func(k int, p gpu.Space, out []gpu.Scalar) { p.MultiDot(out, partsOf(vs, k), w.part[k]) })
	for k, v := range sums {
		h[k] = linop.Float64(v)
	}
}

// MultiAxpy computes w += sum a_k v_k.
func (s *domainSpace) MultiAxpy(a []linop.Float64, vs []*domainVector, w *domainVector) {
	s.each(func(k int, p gpu.Space) { p.MultiAxpy(knownScalars(p, a[:len(vs)]), partsOf(vs, k), w.part[k]) })
}

// MultiAxpyDot computes w += sum a_k v_k and returns w·w.
func (s *domainSpace) MultiAxpyDot(a []linop.Float64, vs []*domainVector, w *domainVector) linop.Float64 {
	return s.sum(func(k int, p gpu.Space) gpu.Scalar {
		return p.MultiAxpyDot(knownScalars(p, a[:len(vs)]), partsOf(vs, k), w.part[k])
	})
}

// each calls do for each part.
func (s *domainSpace) each(do func(k int, p gpu.Space)) {
	for k, p := range s.parts {
		do(k, p)
	}
}

// sum adds up one number of each part, exactly, over all ranks.
func (s *domainSpace) sum(one func(k int, p gpu.Space) gpu.Scalar) linop.Float64 {
	return linop.Float64(s.sumsOf(1, func(k int, p gpu.Space, out []gpu.Scalar) { out[0] = one(k, p) })[0])
}

// sumsOf adds up m numbers of each part; the sums are valid until the next call.
func (s *domainSpace) sumsOf(m int, numbers func(k int, p gpu.Space, out []gpu.Scalar)) []float64 {
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

func knownScalar(p gpu.Space, a linop.Float64) gpu.Scalar { return p.Scalar(a.Float()) }

func knownScalars(p gpu.Space, a []linop.Float64) []gpu.Scalar {
	list := make([]gpu.Scalar, len(a))
	for k, v := range a {
		list[k] = knownScalar(p, v)
	}
	return list
}

// partsOf returns part k of the vectors.
func partsOf(vs []*domainVector, k int) []*gpu.Vector {
	list := make([]*gpu.Vector, len(vs))
	for j, v := range vs {
		list[j] = v.part[k]
	}
	return list
}
