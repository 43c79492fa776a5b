package stochastic

import (
	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Operator is a matrix that multiplies vectors of three samples. It rounds each product and each sum at random, in
// the order of linop.CSR.
type Operator struct {
	space *Space // of its rows
	m     *csr.Matrix
}

var _ linop.Operator[Vector, Number] = Operator{}

// NewOperator returns m as an operator. The number of rows of m must be the dimension of space.
func NewOperator(space *Space, m *csr.Matrix) Operator { return Operator{space, m} }

// Dims returns the dimensions of the matrix.
func (a Operator) Dims() (rows, cols int) { return a.m.Dims() }

// Space returns the space of the rows.
func (a Operator) Space() *Space { return a.space }

// rowLanes is the number of partial sums of a row.
const rowLanes = 4

// Apply computes dst = A src.
func (a Operator) Apply(dst, src Vector) {
	a.space.pass(func(t *trio, _, lo, hi int) {
		for i := lo; i < hi; i++ {
			cols, vals := a.m.Row(i)
			var lanes [rowLanes]Triple
			for k, j := range cols {
				l, v := &lanes[k%rowLanes], vals[k]
				*l = t.add(*l, t.mul(Triple{v, v, v}, src[j]))
			}
			dst[i] = t.add(t.add(lanes[0], lanes[1]), t.add(lanes[2], lanes[3]))
		}
	})
}

// ApplyDot computes dst = A src and returns dst·w.
func (a Operator) ApplyDot(dst, src, w Vector) Number {
	a.Apply(dst, src)
	return a.space.Dot(dst, w)
}

// ApplyDots computes dst = A src and returns dst·w and dst·dst.
func (a Operator) ApplyDots(dst, src, w Vector) (dw, dd Number) {
	a.Apply(dst, src)
	return a.space.Dot(dst, w), a.space.Dot(dst, dst)
}

// Residual computes r = b - A x.
func (a Operator) Residual(r, b, x Vector) {
	a.Apply(r, x)
	a.space.Xpay(b, a.space.Scalar(-1), r)
}

// Accurate is an Operator whose Residual accumulates in double-double, as linop.Accurate does, and rounds each
// element at random once.
type Accurate struct{ Operator }

// Residual computes r = b - A x.
func (a Accurate) Residual(r, b, x Vector) {
	a.space.pass(func(t *trio, _, lo, hi int) {
		for i := lo; i < hi; i++ {
			cols, vals := a.m.Row(i)
			var out Triple
			for s := range t {
				sum := dd.From(b[i][s])
				for k, j := range cols {
					p, e := dd.TwoProd(-vals[k], x[j][s])
					sum = sum.Add(dd.DD{Hi: p, Lo: e})
				}
				out[s] = t[s].round(sum.Hi, sum.Lo)
			}
			r[i] = out
		}
	})
}

// Perturb sets dst_i to src_i + u w_i or src_i - u w_i, with u = 2^-53, at random in each sample: a right-hand side
// for which a backward stable solution of |A||z| = w may be exact.
func (s *Space) Perturb(dst, src, w Vector) {
	s.pass(func(t *trio, _, lo, hi int) {
		for i := lo; i < hi; i++ {
			for k := range t {
				e := 0x1p-53 * w[i][k]
				if t[k].bit() == 0 {
					e = -e
				}
				dst[i][k] = src[i][k] + e
			}
		}
	})
}
