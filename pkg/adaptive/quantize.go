package adaptive

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// integers is a range of rows as integer multiples m of their quanta, the
// elements that round to zero left out: dropped, or tiny if they must be kept.
type integers struct {
	items
	lo, hi   int
	cols     int    // of the matrix
	tiny     []tiny // in the order of rows
	nonzeros int    // of the rows, dropped ones included
}

// tiny is an element that must be kept although it rounds to zero: the diagonal,
// or the only ones that a row has.
type tiny struct {
	row, col int32   // row within the range
	value    float32 // in units of the quantum
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
	q.nonzeros, q.tiny = 0, q.tiny[:0]
	nnz := int(b.m.RowPtr[hi] - b.m.RowPtr[lo])
	q.first = grow(q.first, hi-lo+1)
	q.col, q.m, q.width = grow(q.col, nnz), grow(q.m, nnz), grow(q.width, nnz)
	n := 0
	for i := lo; i < hi; i++ {
		q.first[i-lo] = int32(n)
		n = q.row(b, i, n)
	}
	q.first[hi-lo] = int32(n)
	q.col, q.m, q.width = q.col[:n], q.m[:n], q.width[:n]
}

// row appends row i to the n elements before it and returns their number.
func (q *integers) row(b *builder, i, n int) int {
	cols, vals := b.m.Row(i)
	up := b.part.perQExp - b.part.tol.exponent(i) // m = v 2^up
	scale, normal := 0.0, up >= minNormal && up <= maxNormal
	if normal {
		scale = math.Float64frombits(uint64(up+maxNormal) << 52)
	}
	start, diagonal := n, false
	col, ms, width := q.col[n:], q.m[n:], q.width[n:]
	col, ms, width = col[:len(vals)], ms[:len(vals)], width[:len(vals)]
	k, zeros := 0, 0
	for at, v := range vals {
		w := v * scale
		if !normal {
			w = csr.Ldexp(v, up)
		}
		m := int64(math.RoundToEven(w))
		if m == 0 {
			zeros++
			switch {
			case v == 0:
				q.nonzeros--
				continue
			case int(cols[at]) == i:
				diagonal = true
				q.keep(b, i, i, v)
				continue
			case !b.part.spec.NoDrop:
				continue
			}
			m = 1
			if v < 0 {
				m = -1
			}
		}
		col[k], ms[k] = cols[at], m
		width[k] = bitsOf(m)
		k++
	}
	q.nonzeros += len(vals)
	if zeros == len(vals) {
		return q.keepLargest(b, i, start, k, diagonal)
	}
	return start + k
}

// keep makes the element (i, j) a tiny one.
func (q *integers) keep(b *builder, i, j int, v float64) {
	value := csr.Ldexp(v, b.part.perQExp-b.part.tol.exponent(i))
	if math.Abs(value) < leastFloat32 {
		value = math.Copysign(leastFloat32, value)
	}
	q.tiny = append(q.tiny, tiny{int32(i - q.lo), int32(j), float32(value)})
}

// keepLargest keeps the largest element of a row of which all round to zero; n of
// them, from start on, are in the list nevertheless.
func (q *integers) keepLargest(b *builder, i, start, n int, diagonal bool) int {
	cols, vals := b.m.Row(i)
	largest := 0
	for k, v := range vals {
		if math.Abs(v) > math.Abs(vals[largest]) {
			largest = k
		}
	}
	if len(vals) == 0 || vals[largest] == 0 || int(cols[largest]) == i && diagonal {
		return start + n
	}
	q.keep(b, i, int(cols[largest]), vals[largest])
	to := start
	for k := start; k < start+n; k++ {
		if q.col[k] != cols[largest] {
			q.col[to], q.m[to], q.width[to] = q.col[k], q.m[k], q.width[k]
			to++
		}
	}
	return to
}

// tinyOf returns the tiny elements of rows lo to hi-1.
func tinyOf(list []tiny, lo, hi int) []tiny {
	row := func(e tiny, i int) int { return int(e.row) - i }
	from, _ := slices.BinarySearchFunc(list, lo, row)
	to, _ := slices.BinarySearchFunc(list, hi, row)
	return list[from:to]
}
