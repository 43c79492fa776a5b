package kernels

import "math"

// A Dense is a matrix whose rows are Stride numbers apart.
type Dense[T Value] struct {
	Val    []T
	Stride int
}

// At returns the part of the matrix from a row and a column on.
func (d Dense[T]) At(row, column int) Dense[T] {
	return Dense[T]{d.Val[min(row*d.Stride+column, len(d.Val)):], d.Stride}
}

// Row returns the columns from up to to-1 of a row.
func (d Dense[T]) Row(row, from, to int) []T {
	return d.Val[row*d.Stride+from : row*d.Stride+to]
}

// check panics if the matrix does not have m rows of n numbers.
func (d Dense[T]) check(m, n int) { _ = d.Val[(m-1)*d.Stride+n-1] }

// DenseKernels are the kernels of dense matrices of a type of numbers.
type DenseKernels[T Value] struct {
	mulSub mulSubKernel[T]
	dot    func(v []T, w []float64) float64
	axpy   func(a float64, v []T, w []float64)
	dot4   func(v0, v1, v2, v3 []T, w []float64, h *[4]float64)
	axpy4  func(a0, a1, a2, a3 float64, v0, v1, v2, v3 []T, w []float64)
}

// DenseOf returns the kernels of dense matrices of a set.
func DenseOf[T Value](s *Set) DenseKernels[T] {
	var d any = DenseKernels[float64]{s.mulSub, s.Dot, s.Axpy, s.vector.dot4, s.vector.axpy4}
	if _, single := any(T(0)).(float32); single {
		dot := func(v []float32, w []float64) float64 { return DotNarrow(s, v, w) }
		axpy := func(a float64, v []float32, w []float64) { AxpyNarrow(s, a, v, w) }
		d = DenseKernels[float32]{s.mulSub32, dot, axpy, s.packed.dotFloats4, s.packed.axpyFloats4}
	}
	return d.(DenseKernels[T])
}

// MulVec computes y = A x for the first m <= 4 rows of A, as long as x, in float64 arithmetic. Each element has the bits of an inner product.
func (d *DenseKernels[T]) MulVec(y *[4]float64, a Dense[T], m int, x []float64) {
	n, mid := len(x), grouped(len(x))
	switch {
	case mid == 0:
		*y = [4]float64{}
	case m < 4:
		for r := range m {
			y[r] = d.dot(a.Row(r, 0, mid), x[:mid])
		}
	default:
		d.dot4(a.Row(0, 0, mid), a.Row(1, 0, mid), a.Row(2, 0, mid), a.Row(3, 0, mid), x[:mid], hide(y))
	}
	if rest := x[mid:]; len(rest) > 0 {
		for r := range m {
			sum := 0.0
			for k, v := range a.Row(r, mid, n)[:len(rest)] {
				sum += float64(float64(v) * rest[k])
			}
			y[r] += sum
		}
	}
}

// AddMulVecT computes y += A^T x for the first m <= 4 rows of A, as long as y, in float64 arithmetic: one row after the other.
func (d *DenseKernels[T]) AddMulVecT(y []float64, a Dense[T], m int, x *[4]float64) {
	n, mid := len(y), grouped(len(y))
	switch {
	case mid == 0:
	case m < 4:
		for r := range m {
			d.axpy(x[r], a.Row(r, 0, mid), y[:mid])
		}
	default:
		d.axpy4(x[0], x[1], x[2], x[3], a.Row(0, 0, mid), a.Row(1, 0, mid), a.Row(2, 0, mid), a.Row(3, 0, mid), y[:mid])
	}
	if rest := y[mid:]; len(rest) > 0 {
		for r := range m {
			for k, v := range a.Row(r, mid, n)[:len(rest)] {
				rest[k] += float64(x[r] * float64(v))
			}
		}
	}
}

// MulSub computes C -= A B for an m x k matrix A and a k x n matrix B, by fused multiply-adds for each element of C,
// in the order of the rows of B and in the arithmetic of T. C shares no element with A or B.
func (d *DenseKernels[T]) MulSub(c, a, b Dense[T], m, n, k int) {
	if m <= 0 || n <= 0 || k <= 0 {
		return
	}
	c.check(m, n)
	a.check(m, k)
	b.check(k, n)
	d.mulSub(c, a, b, m, n, k)
}

// mulSubKernel is MulSub for matrices with elements, which have been checked.
type mulSubKernel[T Value] = func(c, a, b Dense[T], m, n, k int)

// denseKernels are the kernels of DenseKernels that are not kernels of vectors.
type denseKernels struct {
	mulSub   mulSubKernel[float64]
	mulSub32 mulSubKernel[float32]
}

var portableDense = denseKernels{mulSub, mulSub32}

func mulSub(c, a, b Dense[float64], m, n, k int) {
	for i := range m {
		row, factors := c.Row(i, 0, n), a.Row(i, 0, k)
		for p, f := range factors {
			from := b.Row(p, 0, n)
			from = from[:len(row)]
			for j, v := range from {
				row[j] = math.FMA(-f, v, row[j])
			}
		}
	}
}

func mulSub32(c, a, b Dense[float32], m, n, k int) {
	for i := range m {
		row, factors := c.Row(i, 0, n), a.Row(i, 0, k)
		for p, f := range factors {
			from := b.Row(p, 0, n)
			from = from[:len(row)]
			for j, v := range from {
				row[j] = fma32(-f, v, row[j])
			}
		}
	}
}
