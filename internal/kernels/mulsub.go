package kernels

import "math"

// A Dense is a matrix in rows of Stride numbers, the first of which count.
type Dense struct {
	Val    []float64
	Stride int
}

// At returns the part of the matrix from a row and a column on.
func (d Dense) At(row, column int) Dense {
	return Dense{d.Val[min(row*d.Stride+column, len(d.Val)):], d.Stride}
}

// Row returns the columns from up to to-1 of a row.
func (d Dense) Row(row, from, to int) []float64 {
	return d.Val[row*d.Stride+from : row*d.Stride+to]
}

// MulSub computes C -= A B for an m x k matrix A and a k x n matrix B, by fused
// multiply-adds for each element of C, in the order of the rows of B. C shares no element
// with A and B.
func (s *Set) MulSub(c, a, b Dense, m, n, k int) {
	if m <= 0 || n <= 0 || k <= 0 {
		return
	}
	c.check(m, n)
	a.check(m, k)
	b.check(k, n)
	s.mulSub(c, a, b, m, n, k)
}

// check panics where the matrix has no m rows of n numbers.
func (d Dense) check(m, n int) { _ = d.Val[(m-1)*d.Stride+n-1] }

// mulSubKernel is MulSub for matrices with elements, which have been checked.
type mulSubKernel = func(c, a, b Dense, m, n, k int)

func mulSub(c, a, b Dense, m, n, k int) {
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
