// Space is a linop.Space of double-double vectors in plain Go, for tests of what must not depend on the type of
// numbers.
package testsupport

import (
	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Space is the space of vectors of a dimension.
type Space int

// Vector is a vector of the space.
type Vector = []dd.DD

var _ linop.Space[Vector, dd.DD] = Space(0)

// Set sets y_i = value(i) for all i.
func Set(y Vector, value func(i int) dd.DD) {
	for i := range y {
		y[i] = value(i)
	}
}

// From returns x as a vector.
func From(x []float64) Vector {
	y := make(Vector, len(x))
	Set(y, func(i int) dd.DD { return dd.From(x[i]) })
	return y
}

// Dim returns the dimension.
func (s Space) Dim() int { return int(s) }

// New returns a zero vector.
func (s Space) New() Vector { return make(Vector, s) }

// Scalar returns a.
func (Space) Scalar(a float64) dd.DD { return dd.From(a) }

// Roundoff returns the unit roundoff.
func (Space) Roundoff() float64 { return 0x1p-104 }

// Zero sets x = 0.
func (Space) Zero(x Vector) { clear(x) }

// Fill sets x_i = element(i).
func (Space) Fill(x Vector, element func(i int) float64) {
	Set(x, func(i int) dd.DD { return dd.From(element(i)) })
}

// Copy sets dst = src.
func (Space) Copy(dst, src Vector) { copy(dst, src) }

// Scale computes x *= a.
func (Space) Scale(a dd.DD, x Vector) { Set(x, func(i int) dd.DD { return a.Mul(x[i]) }) }

// Axpy computes y += a x.
func (Space) Axpy(a dd.DD, x, y Vector) {
	Set(y, func(i int) dd.DD { return y[i].Add(a.Mul(x[i])) })
}

// Xpay computes y = x + a y.
func (Space) Xpay(x Vector, a dd.DD, y Vector) {
	Set(y, func(i int) dd.DD { return x[i].Add(a.Mul(y[i])) })
}

// Dot returns x·y.
func (Space) Dot(x, y Vector) (s dd.DD) {
	for i := range x {
		s = s.Add(x[i].Mul(y[i]))
	}
	return s
}

// AxpyDot computes y += a x and returns y·z.
func (s Space) AxpyDot(a dd.DD, x, y, z Vector) dd.DD {
	s.Axpy(a, x, y)
	return s.Dot(y, z)
}

// Step computes x += a p and r -= a q and returns r·r.
func (s Space) Step(a dd.DD, p, x, q, r Vector) dd.DD {
	s.Axpy(a, p, x)
	return s.AxpyDot(a.Neg(), q, r, r)
}

// DoubleStep computes x += a p + o t and r -= o q and returns r·r and r·w.
func (s Space) DoubleStep(a dd.DD, p Vector, o dd.DD, t, x, q, r, w Vector) (rr, rw dd.DD) {
	s.Axpy(a, p, x)
	s.Axpy(o, t, x)
	return s.AxpyDot(o.Neg(), q, r, r), s.Dot(r, w)
}

// Direction computes p = r + b (p - o q).
func (s Space) Direction(r Vector, b, o dd.DD, q, p Vector) {
	s.Axpy(o.Neg(), q, p)
	s.Xpay(r, b, p)
}

// MultiAxpyDot computes w += sum a_k v_k and returns w·w.
func (s Space) MultiAxpyDot(a []dd.DD, vs []Vector, w Vector) dd.DD {
	s.MultiAxpy(a, vs, w)
	return s.Dot(w, w)
}

// MultiDot computes h_k = v_k·w.
func (s Space) MultiDot(h []dd.DD, vs []Vector, w Vector) {
	for k, v := range vs {
		h[k] = s.Dot(v, w)
	}
}

// MultiAxpy computes w += sum a_k v_k.
func (s Space) MultiAxpy(a []dd.DD, vs []Vector, w Vector) {
	for k, v := range vs {
		s.Axpy(a[k], v, w)
	}
}

// Operator is a float64 matrix on double-double vectors.
type Operator struct{ M *csr.Matrix }

var _ linop.Transposer[Vector, dd.DD] = Operator{}

// Dims returns the dimensions of the matrix.
func (a Operator) Dims() (rows, cols int) { return a.M.Dims() }

// Apply computes dst = A src.
func (a Operator) Apply(dst, src Vector) {
	Set(dst, func(i int) (s dd.DD) {
		cols, vals := a.M.Row(i)
		for k, j := range cols {
			s = s.Add(dd.From(vals[k]).Mul(src[j]))
		}
		return s
	})
}

// ApplyT computes dst = A^T src.
func (a Operator) ApplyT(dst, src Vector) {
	clear(dst)
	for i, s := range src {
		cols, vals := a.M.Row(i)
		for k, j := range cols {
			dst[j] = dst[j].Add(dd.From(vals[k]).Mul(s))
		}
	}
}

// ApplyDot computes dst = A src and returns dst·w.
func (a Operator) ApplyDot(dst, src, w Vector) dd.DD {
	a.Apply(dst, src)
	return Space(a.M.Rows).Dot(dst, w)
}

// ApplyDots computes dst = A src and returns dst·w and dst·dst.
func (a Operator) ApplyDots(dst, src, w Vector) (dw, dd dd.DD) {
	a.Apply(dst, src)
	return Space(a.M.Rows).Dot(dst, w), Space(a.M.Rows).Dot(dst, dst)
}

// Residual computes r = b - A x.
func (a Operator) Residual(r, b, x Vector) {
	a.Apply(r, x)
	Set(r, func(i int) dd.DD { return b[i].Sub(r[i]) })
}
