package adaptive

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// integers is a range of rows as integer multiples m of their quanta, the
// elements that round to zero left out: dropped, or tiny if they must be kept.
type integers struct {
	items
	lo, hi   int
	cols     int     // of the matrix
	ownCol   []int32 // col, unless it is a part of the matrix
	tiny     []Tiny  // in the order of rows
	nonzeros int     // of the rows, dropped ones included
}

// Tiny is an element that must be kept although it rounds to zero: the diagonal,
// or the only ones that a row has.
type Tiny struct {
	Row, Col int32   // row within the range
	Value    float32 // in units of the quantum
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
func (q *integers) quantize(b *builder, lo, hi int) {
	q.lo, q.hi, q.cols = lo, hi, b.m.Cols
	q.block, q.rows = 1, hi-lo
	q.tiny = q.tiny[:0]
	start := b.m.RowPtr[lo]
	col, val := b.m.Col[start:b.m.RowPtr[hi]], b.m.Val[start:b.m.RowPtr[hi]]
	q.nonzeros = len(val)
	q.m, q.width = grow(q.m, len(val)), grow(q.width, len(val))
	zeros := 0
	if len(b.part.tol.exp) == 1 {
		zeros = q.scaled(b, val, 0, lo)
	} else {
		for i := lo; i < hi; i++ {
			zeros += q.scaled(b, val[b.m.RowPtr[i]-start:b.m.RowPtr[i+1]-start], int(b.m.RowPtr[i]-start), i)
		}
	}
	q.first = grow(q.first, hi-lo+1)
	for i := range q.first {
		q.first[i] = int32(b.m.RowPtr[lo+i] - start)
	}
	if q.col = col; zeros > 0 {
		q.dropZeros(b, val)
	}
}

// scaled quantizes values of row i, or of the rows from there on if all have the
// same quantum, to the places from `at` on.
func (q *integers) scaled(b *builder, val []float64, at, i int) (zeros int) {
	m, width := q.m[at:at+len(val)], q.width[at:at+len(val)]
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
func (q *integers) dropZeros(b *builder, val []float64) {
	col := q.col
	q.col = grow(q.ownCol, len(col))
	q.ownCol = q.col
	n := int32(0)
	for i := range q.rows {
		lo, hi := q.first[i], q.first[i+1]
		q.first[i] = n
		zeros, diagonal := 0, false
		for k := lo; k < hi; k++ {
			m, j := q.m[k], col[k]
			if m == 0 {
				v := val[k]
				zeros++
				switch {
				case v == 0:
					q.nonzeros--
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
			q.col[n], q.m[n], q.width[n] = j, m, kernels.BitsOf(m)
			n++
		}
		if zeros == int(hi-lo) {
			n = q.keepLargest(b, q.lo+i, q.first[i], n, diagonal)
		}
	}
	q.first[q.rows] = n
	q.col, q.m, q.width = q.col[:n], q.m[:n], q.width[:n]
}

// keep makes the element (i, j) a tiny one.
func (q *integers) keep(b *builder, i, j int, v float64) {
	value := csr.Ldexp(v, b.part.perQExp-b.part.tol.exponent(i))
	if math.Abs(value) < leastFloat32 {
		value = math.Copysign(leastFloat32, value)
	}
	q.tiny = append(q.tiny, Tiny{int32(i - q.lo), int32(j), float32(value)})
}

// keepLargest keeps the largest element of a row of which all round to zero;
// those from start to end-1 are in the list nevertheless. It returns the new end.
func (q *integers) keepLargest(b *builder, i int, start, end int32, diagonal bool) int32 {
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
		if q.col[k] != cols[largest] {
			q.col[to], q.m[to], q.width[to] = q.col[k], q.m[k], q.width[k]
			to++
		}
	}
	return to
}

// tinyOf returns the tiny elements of rows lo to hi-1.
func tinyOf(list []Tiny, lo, hi int) []Tiny {
	row := func(e Tiny, i int) int { return int(e.Row) - i }
	from, _ := slices.BinarySearchFunc(list, lo, row)
	to, _ := slices.BinarySearchFunc(list, hi, row)
	return list[from:to]
}
