package linop

import (
	"github.com/mpsolve/mpsolve/pkg/dd"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// HostDD is the space of double-double vectors in main memory. Its methods share scratch memory: use one
// HostDD from one goroutine at a time. Sums have the same bits for any number of threads.
type HostDD struct {
	n    int
	pool *parallel.Pool
}

var _ Space[dd.Vec, dd.DD] = (*HostDD)(nil)

// NewHostDD returns the space of dimension n on the threads of pool.
func NewHostDD(n int, pool *parallel.Pool) *HostDD { return &HostDD{n: n, pool: pool} }

// Dim returns n.
func (h *HostDD) Dim() int { return h.n }

// New returns a zero vector.
func (h *HostDD) New() dd.Vec { return dd.NewVec(h.n) }

// Scalar returns a.
func (h *HostDD) Scalar(a float64) dd.DD { return dd.From(a) }

// Roundoff returns 2^-104.
func (h *HostDD) Roundoff() float64 { return 0x1p-104 }

// Zero sets x = 0.
func (h *HostDD) Zero(x dd.Vec) { clear(x.Hi); clear(x.Lo) }

// Fill sets x_i = element(i), in the order of i.
func (h *HostDD) Fill(x dd.Vec, element func(i int) float64) {
	clear(x.Lo)
	for i := range x.Hi {
		x.Hi[i] = element(i)
	}
}

// Copy sets dst = src.
func (h *HostDD) Copy(dst, src dd.Vec) { copy(dst.Hi, src.Hi); copy(dst.Lo, src.Lo) }

// Scale computes x *= a.
func (h *HostDD) Scale(a dd.DD, x dd.Vec) {
	for i := range x.Hi {
		x.Set(i, a.Mul(x.At(i)))
	}
}

// Axpy computes y += a x.
func (h *HostDD) Axpy(a dd.DD, x, y dd.Vec) {
	for i := range x.Hi {
		y.Set(i, y.At(i).Add(a.Mul(x.At(i))))
	}
}

// Xpay computes y = x + a y.
func (h *HostDD) Xpay(x dd.Vec, a dd.DD, y dd.Vec) {
	for i := range x.Hi {
		y.Set(i, x.At(i).Add(a.Mul(y.At(i))))
	}
}

// Dot returns x·y.
func (h *HostDD) Dot(x, y dd.Vec) (s dd.DD) {
	for i := range x.Hi {
		s = s.Add(x.At(i).Mul(y.At(i)))
	}
	return s
}

// AxpyDot computes y += a x and returns y·z.
func (h *HostDD) AxpyDot(a dd.DD, x, y, z dd.Vec) dd.DD {
	h.Axpy(a, x, y)
	return h.Dot(y, z)
}

// Step computes x += a p and r -= a q and returns r·r.
func (h *HostDD) Step(a dd.DD, p, x, q, r dd.Vec) dd.DD {
	h.Axpy(a, p, x)
	return h.AxpyDot(a.Neg(), q, r, r)
}

// DoubleStep computes x += a p + o t and r -= o q and returns r·r and r·w; t may be r.
func (h *HostDD) DoubleStep(a dd.DD, p dd.Vec, o dd.DD, t, x, q, r, w dd.Vec) (rr, rw dd.DD) {
	h.Axpy(a, p, x)
	h.Axpy(o, t, x)
	return h.AxpyDot(o.Neg(), q, r, r), h.Dot(r, w)
}

// Direction computes p = r + b (p - o q).
func (h *HostDD) Direction(r dd.Vec, b, o dd.DD, q, p dd.Vec) {
	h.Axpy(o.Neg(), q, p)
	h.Xpay(r, b, p)
}

// MultiDot computes h_k = v_k·w.
func (h *HostDD) MultiDot(out []dd.DD, vs []dd.Vec, w dd.Vec) {
	for k, v := range vs {
		out[k] = h.Dot(v, w)
	}
}

// MultiAxpy computes w += sum a_k v_k.
func (h *HostDD) MultiAxpy(a []dd.DD, vs []dd.Vec, w dd.Vec) {
	for k, v := range vs {
		h.Axpy(a[k], v, w)
	}
}

// MultiAxpyDot computes w += sum a_k v_k and returns w·w.
func (h *HostDD) MultiAxpyDot(a []dd.DD, vs []dd.Vec, w dd.Vec) dd.DD {
	h.MultiAxpy(a, vs, w)
	return h.Dot(w, w)
}
