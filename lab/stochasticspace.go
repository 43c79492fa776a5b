package lab

import (
	"sync/atomic"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// A TripleVector is three samples of each element.
type TripleVector = []Triple

// StochasticSpace is vectors of three samples as a linop.Space. With it the iterative methods compute in discrete stochastic
// arithmetic: three solves in step with independent roundings. The mean of the samples decides for all three, as in
// CADNA.
//
// Elements are rounded as in linop.Host, products before they are added. Roundings depend on the seed, the number of
// the pass and the block of the vector, so that the samples are the same for any number of threads.
type StochasticSpace struct {
	*StochasticArithmetic
	n      int
	pool   *parallel.Pool
	bounds []int    // of blocks
	parts  []Triple // of sums, by blocks
}

var _ linop.Space[TripleVector, StochasticNumber] = (*StochasticSpace)(nil)

// blockSize is the number of elements of a block.
const blockSize = 1024

// NewStochasticSpace returns the vectors of dimension n, on the threads of pool.
func NewStochasticSpace(n int, by *StochasticArithmetic, pool *parallel.Pool) *StochasticSpace {
	s := &StochasticSpace{StochasticArithmetic: by, n: n, pool: pool}
	for lo := 0; lo < n; lo += blockSize {
		s.bounds = append(s.bounds, lo)
	}
	s.bounds = append(s.bounds, n)
	s.parts = make([]Triple, len(s.bounds)-1)
	return s
}

// TriplesOf returns x as a vector of three equal samples.
func TriplesOf(x []float64) TripleVector {
	v := make(TripleVector, len(x))
	for i, e := range x {
		v[i] = Triple{e, e, e}
	}
	return v
}

// Each calls do for each block of elements, lo <= i < hi, on all threads.
func (s *StochasticSpace) Each(do func(lo, hi int)) {
	s.pool.RunRanges(s.bounds, func(_, lo, hi int) { do(lo, hi) })
}

// pass calls do for each block, which has its own roundings.
func (s *StochasticSpace) pass(do func(t *trio, k, lo, hi int)) {
	seed := s.next()
	s.pool.RunRanges(s.bounds, func(k, lo, hi int) {
		t := newTrio(seed + uint64(k))
		do(&t, k, lo, hi)
	})
}

// update sets y_i = x_i + a z_i.
func (s *StochasticSpace) update(y, x TripleVector, a StochasticNumber, z TripleVector) {
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
func (s *StochasticSpace) Dot(x, y TripleVector) StochasticNumber {
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
	return StochasticNumber{sum, s.StochasticArithmetic}
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
func (s *StochasticSpace) Dim() int { return s.n }

// New returns a zero vector.
func (s *StochasticSpace) New() TripleVector { return make(TripleVector, s.n) }

// Scalar returns a as three equal samples.
func (s *StochasticSpace) Scalar(a float64) StochasticNumber {
	return StochasticNumber{Triple{a, a, a}, s.StochasticArithmetic}
}

// Roundoff returns the unit roundoff, 2^-52, since results are rounded up or down.
func (*StochasticSpace) Roundoff() float64 { return 0x1p-52 }

// Zero sets x = 0.
func (*StochasticSpace) Zero(x TripleVector) { clear(x) }

// Fill sets the three samples of x_i to element(i).
func (*StochasticSpace) Fill(x TripleVector, element func(i int) float64) {
	for i := range x {
		e := element(i)
		x[i] = Triple{e, e, e}
	}
}

// Copy sets dst = src.
func (*StochasticSpace) Copy(dst, src TripleVector) { copy(dst, src) }

// Scale computes x *= a.
func (s *StochasticSpace) Scale(a StochasticNumber, x TripleVector) {
	s.pass(func(t *trio, _, lo, hi int) {
		for i := lo; i < hi; i++ {
			x[i] = t.mul(a.Samples, x[i])
		}
	})
}

// Axpy computes y += a x.
func (s *StochasticSpace) Axpy(a StochasticNumber, x, y TripleVector) { s.update(y, y, a, x) }

// Xpay computes y = x + a y.
func (s *StochasticSpace) Xpay(x TripleVector, a StochasticNumber, y TripleVector) {
	s.update(y, x, a, y)
}

// AxpyDot computes y += a x and returns y·z.
func (s *StochasticSpace) AxpyDot(a StochasticNumber, x, y, z TripleVector) StochasticNumber {
	s.Axpy(a, x, y)
	return s.Dot(y, z)
}

// Step computes x += a p and r -= a q and returns r·r.
func (s *StochasticSpace) Step(a StochasticNumber, p, x, q, r TripleVector) StochasticNumber {
	s.Axpy(a, p, x)
	return s.AxpyDot(a.Neg(), q, r, r)
}

// DoubleStep computes x += a p + o t and r -= o q and returns r·r and r·w.
func (s *StochasticSpace) DoubleStep(a StochasticNumber, p TripleVector, o StochasticNumber, t, x, q, r, w TripleVector) (rr, rw StochasticNumber) {
	s.Axpy(a, p, x)
	s.Axpy(o, t, x)
	return s.AxpyDot(o.Neg(), q, r, r), s.Dot(r, w)
}

// Direction computes p = r + b (p - o q).
func (s *StochasticSpace) Direction(r TripleVector, b, o StochasticNumber, q, p TripleVector) {
	s.Axpy(o.Neg(), q, p)
	s.Xpay(r, b, p)
}

// MultiDot computes h_k = v_k·w.
func (s *StochasticSpace) MultiDot(h []StochasticNumber, vs []TripleVector, w TripleVector) {
	for k, v := range vs {
		h[k] = s.Dot(v, w)
	}
}

// MultiAxpy computes w += sum a_k v_k.
func (s *StochasticSpace) MultiAxpy(a []StochasticNumber, vs []TripleVector, w TripleVector) {
	for k, v := range vs {
		s.Axpy(a[k], v, w)
	}
}

// MultiAxpyDot computes w += sum a_k v_k and returns w·w.
func (s *StochasticSpace) MultiAxpyDot(a []StochasticNumber, vs []TripleVector, w TripleVector) StochasticNumber {
	s.MultiAxpy(a, vs, w)
	return s.Dot(w, w)
}

// StochasticOperator is a matrix that multiplies vectors of three samples. It rounds each product and each sum at random, in
// the order of linop.CSR.
type StochasticOperator struct {
	space *StochasticSpace // of its rows
	m     *csr.Matrix
}

var _ linop.Operator[TripleVector, StochasticNumber] = StochasticOperator{}

// NewStochasticOperator returns m as an operator. The number of rows of m must be the dimension of space.
func NewStochasticOperator(space *StochasticSpace, m *csr.Matrix) StochasticOperator {
	return StochasticOperator{space, m}
}

// Dims returns the dimensions of the matrix.
func (a StochasticOperator) Dims() (rows, cols int) { return a.m.Dims() }

// Space returns the space of the rows.
func (a StochasticOperator) Space() *StochasticSpace { return a.space }

// rowLanes is the number of partial sums of a row.
const rowLanes = 4

// Apply computes dst = A src.
func (a StochasticOperator) Apply(dst, src TripleVector) {
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
func (a StochasticOperator) ApplyDot(dst, src, w TripleVector) StochasticNumber {
	a.Apply(dst, src)
	return a.space.Dot(dst, w)
}

// ApplyDots computes dst = A src and returns dst·w and dst·dst.
func (a StochasticOperator) ApplyDots(dst, src, w TripleVector) (dw, dd StochasticNumber) {
	a.Apply(dst, src)
	return a.space.Dot(dst, w), a.space.Dot(dst, dst)
}

// Residual computes r = b - A x.
func (a StochasticOperator) Residual(r, b, x TripleVector) {
	a.Apply(r, x)
	a.space.Xpay(b, a.space.Scalar(-1), r)
}

// StochasticAccurate is an Operator whose Residual accumulates in double-double, as linop.Accurate does, and rounds each
// element at random once.
type StochasticAccurate struct{ StochasticOperator }

// Residual computes r = b - A x.
func (a StochasticAccurate) Residual(r, b, x TripleVector) {
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
func (s *StochasticSpace) Perturb(dst, src, w TripleVector) {
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
