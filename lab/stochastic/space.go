package stochastic

import (
	"sync/atomic"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// A Vector is three samples of each element.
type Vector = []Triple

// Space is vectors of three samples as a linop.Space. With it the iterative methods compute in discrete stochastic
// arithmetic: three solves in step with independent roundings. The mean of the samples decides for all three, as in
// CADNA.
//
// Elements are rounded as in linop.Host, products before they are added. Roundings depend on the seed, the number of
// the pass and the block of the vector, so that the samples are the same for any number of threads.
type Space struct {
	*Arithmetic
	n      int
	pool   *parallel.Pool
	bounds []int    // of blocks
	parts  []Triple // of sums, by blocks
}

var _ linop.Space[Vector, Number] = (*Space)(nil)

// blockSize is the number of elements of a block.
const blockSize = 1024

// NewSpace returns the vectors of dimension n, on the threads of pool.
func NewSpace(n int, by *Arithmetic, pool *parallel.Pool) *Space {
	s := &Space{Arithmetic: by, n: n, pool: pool}
	for lo := 0; lo < n; lo += blockSize {
		s.bounds = append(s.bounds, lo)
	}
	s.bounds = append(s.bounds, n)
	s.parts = make([]Triple, len(s.bounds)-1)
	return s
}

// From returns x as a vector of three equal samples.
func From(x []float64) Vector {
	v := make(Vector, len(x))
	for i, e := range x {
		v[i] = Triple{e, e, e}
	}
	return v
}

// Each calls do for each block of elements, lo <= i < hi, on all threads.
func (s *Space) Each(do func(lo, hi int)) {
	s.pool.RunRanges(s.bounds, func(_, lo, hi int) { do(lo, hi) })
}

// pass calls do for each block, which has its own roundings.
func (s *Space) pass(do func(t *trio, k, lo, hi int)) {
	seed := s.next()
	s.pool.RunRanges(s.bounds, func(k, lo, hi int) {
		t := newTrio(seed + uint64(k))
		do(&t, k, lo, hi)
	})
}

// update sets y_i = x_i + a z_i.
func (s *Space) update(y, x Vector, a Number, z Vector) {
	s.pass(func(t *trio, _, lo, hi int) {
		var lost int64
		for i := lo; i < hi; i++ {
			p := t.mul(a.Samples, z[i])
			sum := t.add(x[i], p)
			if cancels(x[i], p, sum) {
				lost++
			}
			y[i] = sum
		}
		if lost > 0 {
			atomic.AddInt64(&s.met.Cancellations, lost)
		}
	})
}

// sumLanes is the number of partial sums of an inner product.
const sumLanes = 16

// Dot returns x·y.
func (s *Space) Dot(x, y Vector) Number {
	s.pass(func(t *trio, k, lo, hi int) {
		var lanes [sumLanes]Triple
		for i := lo; i < hi; i++ {
			l := &lanes[i%sumLanes]
			*l = t.add(*l, t.mul(x[i], y[i]))
		}
		s.parts[k] = fold(t, lanes[:])
	})
	var sum Triple
	for _, p := range s.parts {
		sum = s.own.add(sum, p)
	}
	return Number{sum, s.Arithmetic}
}

// fold returns the sum of sums, whose number is a power of two.
func fold(t *trio, sums []Triple) Triple {
	for n := len(sums) / 2; n > 0; n /= 2 {
		for k := range n {
			sums[k] = t.add(sums[k], sums[k+n])
		}
	}
	return sums[0]
}

// Dim returns n.
func (s *Space) Dim() int { return s.n }

// New returns a zero vector.
func (s *Space) New() Vector { return make(Vector, s.n) }

// Scalar returns a as three equal samples.
func (s *Space) Scalar(a float64) Number { return Number{Triple{a, a, a}, s.Arithmetic} }

// Roundoff returns the unit roundoff, 2^-52, since results are rounded up or down.
func (*Space) Roundoff() float64 { return 0x1p-52 }

// Zero sets x = 0.
func (*Space) Zero(x Vector) { clear(x) }

// Fill sets the three samples of x_i to element(i).
func (*Space) Fill(x Vector, element func(i int) float64) {
	for i := range x {
		e := element(i)
		x[i] = Triple{e, e, e}
	}
}

// Copy sets dst = src.
func (*Space) Copy(dst, src Vector) { copy(dst, src) }

// Scale computes x *= a.
func (s *Space) Scale(a Number, x Vector) {
	s.pass(func(t *trio, _, lo, hi int) {
		for i := lo; i < hi; i++ {
			x[i] = t.mul(a.Samples, x[i])
		}
	})
}

// Axpy computes y += a x.
func (s *Space) Axpy(a Number, x, y Vector) { s.update(y, y, a, x) }

// Xpay computes y = x + a y.
func (s *Space) Xpay(x Vector, a Number, y Vector) { s.update(y, x, a, y) }

// AxpyDot computes y += a x and returns y·z.
func (s *Space) AxpyDot(a Number, x, y, z Vector) Number {
	s.Axpy(a, x, y)
	return s.Dot(y, z)
}

// Step computes x += a p and r -= a q and returns r·r.
func (s *Space) Step(a Number, p, x, q, r Vector) Number {
	s.Axpy(a, p, x)
	return s.AxpyDot(a.Neg(), q, r, r)
}

// DoubleStep computes x += a p + o t and r -= o q and returns r·r and r·w.
func (s *Space) DoubleStep(a Number, p Vector, o Number, t, x, q, r, w Vector) (rr, rw Number) {
	s.Axpy(a, p, x)
	s.Axpy(o, t, x)
	return s.AxpyDot(o.Neg(), q, r, r), s.Dot(r, w)
}

// Direction computes p = r + b (p - o q).
func (s *Space) Direction(r Vector, b, o Number, q, p Vector) {
	s.Axpy(o.Neg(), q, p)
	s.Xpay(r, b, p)
}

// MultiDot computes h_k = v_k·w.
func (s *Space) MultiDot(h []Number, vs []Vector, w Vector) {
	for k, v := range vs {
		h[k] = s.Dot(v, w)
	}
}

// MultiAxpy computes w += sum a_k v_k.
func (s *Space) MultiAxpy(a []Number, vs []Vector, w Vector) {
	for k, v := range vs {
		s.Axpy(a[k], v, w)
	}
}

// MultiAxpyDot computes w += sum a_k v_k and returns w·w.
func (s *Space) MultiAxpyDot(a []Number, vs []Vector, w Vector) Number {
	s.MultiAxpy(a, vs, w)
	return s.Dot(w, w)
}

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
