package backend

import (
	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// domainMatrix is a square matrix that ranks share, as an operator: for each domain of this rank a matrix on the device in
// which rows of ghosts are empty. All methods but Dims and Close are collective, since they exchange the elements at
// the borders of domains.
type domainMatrix struct {
	s    *domainSpace
	part []gpu.Matrix
}

var _ linop.Relaxer[*domainVector, linop.Float64] = (*domainMatrix)(nil)

// squareOfDomain returns part k of local, a matrix with the pattern of m, as a square matrix of its segment, in which rows of
// ghosts are empty.
func squareOfDomain(m *dist.Matrix, local *csr.Matrix, k int) *csr.Matrix {
	a, p := m.PartOf(local, k, nil), m.Parts[k]
	ptr := make([]int64, 0, a.Cols+1)
	for range p.Below {
		ptr = append(ptr, 0)
	}
	ptr = append(ptr, a.RowPtr...)
	for range p.Above {
		ptr = append(ptr, ptr[len(ptr)-1])
	}
	return &csr.Matrix{Rows: a.Cols, Cols: a.Cols, RowPtr: ptr, Col: a.Col, Val: a.Val}
}

// newDomainMatrix returns the matrix whose parts store has stored from what squareOfDomain returns. On failure nothing remains on
// the device; the error is that of this rank alone.
func newDomainMatrix(s *domainSpace, m *dist.Matrix, local *csr.Matrix, store func(part *csr.Matrix, k int) (gpu.Matrix, error)) (*domainMatrix, error) {
	a := &domainMatrix{s: s}
	for k := range m.Parts {
		part, err := store(squareOfDomain(m, local, k), k)
		if err != nil {
			a.Close()
			return nil, err
		}
		a.part = append(a.part, part)
	}
	return a, nil
}

// Parts returns the matrices of the domains of this rank.
func (a *domainMatrix) Parts() []gpu.Matrix { return a.part }

// Close releases the matrix.
func (a *domainMatrix) Close() {
	for _, p := range a.part {
		p.Close()
	}
	a.part = nil
}

// Dims returns the dimensions of the whole matrix.
func (a *domainMatrix) Dims() (rows, cols int) { return a.s.Dim(), a.s.Dim() }

// Apply computes dst = A src.
func (a *domainMatrix) Apply(dst, src *domainVector) {
	a.with(src, func(k int, part gpu.Matrix) { part.Apply(dst.part[k], src.part[k]) })
}

// ApplyDot computes dst = A src and returns dst·w.
func (a *domainMatrix) ApplyDot(dst, src, w *domainVector) linop.Float64 {
	a.s.halo.exchange(src)
	v := a.s.sum(func(k int, _ gpu.Space) gpu.Scalar { return a.part[k].ApplyDot(dst.part[k], src.part[k], w.part[k]) })
	a.s.halo.clear(src)
	return v
}

// ApplyDots computes dst = A src and returns dst·w and dst·dst.
func (a *domainMatrix) ApplyDots(dst, src, w *domainVector) (dw, dd linop.Float64) {
	a.s.halo.exchange(src)
	sums := a.s.sumsOf(2, func(k int, _ gpu.Space, out []gpu.Scalar) {
		out[0], out[1] = a.part[k].ApplyDots(dst.part[k], src.part[k], w.part[k])
	})
	a.s.halo.clear(src)
	return linop.Float64(sums[0]), linop.Float64(sums[1])
}

// Residual computes r = b - A x.
func (a *domainMatrix) Residual(r, b, x *domainVector) {
	a.with(x, func(k int, part gpu.Matrix) { part.Residual(r.part[k], b.part[k], x.part[k]) })
}

// Relax computes dst = src + omega w∘(b - A src).
func (a *domainMatrix) Relax(dst, src, b, w *domainVector, omega linop.Float64) {
	a.with(src, func(k int, part gpu.Matrix) {
		part.Relax(dst.part[k], src.part[k], b.part[k], w.part[k], knownScalar(a.s.parts[k], omega))
	})
	a.s.halo.clear(dst) // which has the ghosts of src
}

// ApplyPlus computes dst = b + A src.
func (a *domainMatrix) ApplyPlus(dst, b, src *domainVector) {
	a.with(src, func(k int, part gpu.Matrix) { part.ApplyPlus(dst.part[k], b.part[k], src.part[k]) })
}

// AbsApply computes dst = |A||x|, for parts of gpu.NewCSR.
func (a *domainMatrix) AbsApply(dst, x *domainVector) {
	a.with(x, func(k int, part gpu.Matrix) { part.AbsApply(dst.part[k], x.part[k]) })
}

// with calls do for the parts while x has its ghosts.
func (a *domainMatrix) with(x *domainVector, do func(k int, part gpu.Matrix)) {
	a.s.halo.exchange(x)
	for k, part := range a.part {
		do(k, part)
	}
	a.s.halo.clear(x)
}

// accurateDomains is a domainMatrix with parts of gpu.NewCSR whose Residual accumulates in double-double, see gpu.Accurate.
type accurateDomains struct{ *domainMatrix }

// Residual computes r = b - A x, rounded once per element.
func (a accurateDomains) Residual(r, b, x *domainVector) {
	a.with(x, func(k int, part gpu.Matrix) { gpu.Accurate{Matrix: part}.Residual(r.part[k], b.part[k], x.part[k]) })
}

// halo updates ghosts on devices by way of the host: elements that others need are gathered there and exchanged like
// vectors of the host; the received ghosts are copied to both ends of each segment.
type halo struct {
	s     *domainSpace
	picks []gpu.Picks // the elements of each part that others need
	at    []int32     // their positions on the host, part after part
	host  []float64   // a vector of the layout
	zeros []float64
}

func newHalo(s *domainSpace) halo {
	h := halo{s: s, at: s.layout.Sources(), host: make([]float64, s.layout.Len)}
	rest, most := h.at, 0
	for k, p := range s.layout.Parts {
		n := 0
		var own []uint32
		for n < len(rest) && int(rest[n]) < p.End() {
			own = append(own, uint32(int(rest[n])-p.At))
			n++
		}
		rest = rest[n:]
		h.picks = append(h.picks, s.parts[k].Pick(own))
		most = max(most, p.Below, p.Above)
	}
	h.zeros = make([]float64, most)
	return h
}

func (h *halo) close() {
	for k := range h.picks {
		h.picks[k].Close()
	}
}

// exchange sets the ghosts of x. It is collective.
func (h *halo) exchange(x *domainVector) {
	picked := make([]float64, len(h.at))
	at := picked
	for k := range h.s.parts {
		n := h.picks[k].Len()
		h.picks[k].Get(at[:n], x.part[k])
		at = at[n:]
	}
	for k, v := range picked {
		h.host[h.at[k]] = v
	}
	h.s.layout.Halo.Exchange(h.host)
	for k, p := range h.s.layout.Parts {
		h.s.parts[k].SetRange(x.part[k], 0, h.host[p.At:p.First()])
		h.s.parts[k].SetRange(x.part[k], p.Below+p.Own, h.host[p.End():p.Next()])
	}
}

// clear makes the ghosts of x zero again.
func (h *halo) clear(x *domainVector) {
	for k, p := range h.s.layout.Parts {
		h.s.parts[k].SetRange(x.part[k], 0, h.zeros[:p.Below])
		h.s.parts[k].SetRange(x.part[k], p.Below+p.Own, h.zeros[:p.Above])
	}
}
