package adaptive

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/sell"
)

// Integers is a range of rows as integer multiples of their quanta, the elements that
// round to zero left out: dropped, or tiny if they must be kept.
type Integers struct {
	sell.Items
	Tiny []sell.Tiny // in the order of the rows
	NNZ  int         // nonzeros of the rows, dropped ones included

	lo, cols int     // first row, and columns, of the matrix
	ownCol   []int32 // Col, unless it is a part of the matrix
}

// leastFloat32 is the smallest normal float32.
const leastFloat32 = 0x1p-126

// grow sets the length of a slice without keeping its elements.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// quantize fills in rows lo to hi-1.
func (q *Integers) quantize(b *builder, lo, hi int) {
	q.lo, q.cols = lo, b.m.Cols
	q.Block, q.Rows = 1, hi-lo
	q.Tiny = q.Tiny[:0]
	start := b.m.RowPtr[lo]
	col, val := b.m.Col[start:b.m.RowPtr[hi]], b.m.Val[start:b.m.RowPtr[hi]]
	q.NNZ = len(val)
	q.M, q.Width = grow(q.M, len(val)), grow(q.Width, len(val))
	zeros := 0
	if len(b.part.tol.exp) == 1 {
		zeros = q.scaled(b, val, 0, lo)
	} else {
		for i := lo; i < hi; i++ {
			zeros += q.scaled(b, val[b.m.RowPtr[i]-start:b.m.RowPtr[i+1]-start], int(b.m.RowPtr[i]-start), i)
		}
	}
	q.First = grow(q.First, hi-lo+1)
	for i := range q.First {
		q.First[i] = int32(b.m.RowPtr[lo+i] - start)
	}
	if q.Col = col; zeros > 0 {
		q.dropZeros(b, val)
	}
}

// scaled quantizes values of row i, or of the rows from there on if all have the
// same quantum, to the places from `at` on.
func (q *Integers) scaled(b *builder, val []float64, at, i int) (zeros int) {
	m, width := q.M[at:at+len(val)], q.Width[at:at+len(val)]
	up := b.part.perQExp - b.part.tol.exponent(i) // m = v 2^up
	if up >= minNormal && up <= maxNormal {
		return kernels.Quantize(m, width, val, math.Float64frombits(uint64(up+maxNormal)<<52))
	}
	for k, v := range val {
		m[k] = int64(math.RoundToEven(csr.Ldexp(v, up)))
		width[k] = kernels.BitsOf(m[k])
		if m[k] == 0 {
			zeros++
		}
	}
	return zeros
}

// dropZeros takes out the elements that round to zero, given the values, but
// keeps those that must be kept.
func (q *Integers) dropZeros(b *builder, val []float64) {
	col := q.Col
	q.Col = grow(q.ownCol, len(col))
	q.ownCol = q.Col
	n := int32(0)
	for i := range q.Rows {
		lo, hi := q.First[i], q.First[i+1]
		q.First[i] = n
		zeros, diagonal := 0, false
		for k := lo; k < hi; k++ {
			m, j := q.M[k], col[k]
			if m == 0 {
				v := val[k]
				zeros++
				switch {
				case v == 0:
					q.NNZ--
					continue
				case int(j) == q.lo+i:
					diagonal = true
					q.keep(b, q.lo+i, int(j), v)
					continue
				case !b.part.spec.NoDrop:
					continue
				}
				m = 1
				if v < 0 {
					m = -1
				}
			}
			q.Col[n], q.M[n], q.Width[n] = j, m, kernels.BitsOf(m)
			n++
		}
		if zeros == int(hi-lo) {
			n = q.keepLargest(b, q.lo+i, q.First[i], n, diagonal)
		}
	}
	q.First[q.Rows] = n
	q.Col, q.M, q.Width = q.Col[:n], q.M[:n], q.Width[:n]
}

// keep makes the element (i, j) a tiny one.
func (q *Integers) keep(b *builder, i, j int, v float64) {
	value := csr.Ldexp(v, b.part.perQExp-b.part.tol.exponent(i))
	if math.Abs(value) < leastFloat32 {
		value = math.Copysign(leastFloat32, value)
	}
	q.Tiny = append(q.Tiny, sell.Tiny{Row: int32(i - q.lo), Col: int32(j), Value: float32(value)})
}

// keepLargest keeps the largest element of a row of which all round to zero;
// those from start to end-1 are in the list nevertheless. It returns the new end.
func (q *Integers) keepLargest(b *builder, i int, start, end int32, diagonal bool) int32 {
	cols, vals := b.m.Row(i)
	largest := 0
	for k, v := range vals {
		if math.Abs(v) > math.Abs(vals[largest]) {
			largest = k
		}
	}
	if len(vals) == 0 || vals[largest] == 0 || int(cols[largest]) == i && diagonal {
		return end
	}
	q.keep(b, i, int(cols[largest]), vals[largest])
	to := start
	for k := start; k < end; k++ {
		if q.Col[k] != cols[largest] {
			q.Col[to], q.M[to], q.Width[to] = q.Col[k], q.M[k], q.Width[k]
			to++
		}
	}
	return to
}
