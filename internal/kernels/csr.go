package kernels

import (
	"github.com/mpsolve/mpsolve/internal/dd"
)

// csrKernels are the kernels of CSR matrices, and of the rows and elements that other layouts keep aside.
type csrKernels struct {
	csr64      csrKernel[float64]
	csr32      csrKernel[float32]
	residual64 residualKernel[float64]
	csr64Multi csrMultiKernel[float64]
	csr32Multi csrMultiKernel[float32]
	coo        cooKernel
	addRows    addRowsKernel
}

var portableCSR = csrKernels{
	csr64:      csrMulVec[float64],
	csr32:      csrMulVec[float32],
	residual64: csrResidualDD[float64],
	csr64Multi: csrMulMulti[float64],
	csr32Multi: csrMulMulti[float32],
	coo:        cooAddVec,
	addRows:    addRows,
}

// Value is the type of the values of a matrix in memory; arithmetic is in
// float64.
type Value interface{ float32 | float64 }

type csrKernel[T Value] = func(dst []float64, lo, hi int, rowPtr []int64, col []int32, val []T, x []float64)

// CSRMulVec computes dst[i] = sum of val[k] x[col[k]] over the nonzeros rowPtr[i] <= k < rowPtr[i+1] of each row lo
// <= i < hi. The sum of a row does not depend on lo and hi, and has the same bits in all sets: products are rounded,
// element k of the row is added to sum k mod 4, and the sums are added as (s0 + s1) + (s2 + s3).
func CSRMulVec[T Value](k *Set, dst []float64, lo, hi int, rowPtr []int64, col []int32, val []T, x []float64) {
	switch val := any(val).(type) {
	case []float64:
		k.csr64(dst, lo, hi, rowPtr, col, val, x)
	case []float32:
		k.csr32(dst, lo, hi, rowPtr, col, val, x)
	}
}

// csrMulVec is CSRMulVec in portable Go.
func csrMulVec[T Value](dst []float64, lo, hi int, rowPtr []int64, col []int32, val []T, x []float64) {
	start := rowPtr[lo]
	for i := lo; i < hi; i++ {
		end := rowPtr[i+1]
		dst[i] = rowDot(col[start:end], val[start:end], x)
		start = end
	}
}

// CSRMulVecOrdinary is CSRMulVec as in textbooks, with one sum for each row: the baseline of benchmarks, about as
// fast as the same loop in C.
func CSRMulVecOrdinary(dst []float64, lo, hi int, rowPtr []int64, col []int32, val, x []float64) {
	for i := lo; i < hi; i++ {
		cols, vals := col[rowPtr[i]:rowPtr[i+1]], val[rowPtr[i]:rowPtr[i+1]]
		var s float64
		for k, c := range cols {
			s += float64(vals[k] * x[c])
		}
		dst[i] = s
	}
}

// rowDot returns the inner product of a sparse row with x.
func rowDot[T Value](col []int32, val []T, x []float64) float64 {
	val = val[:len(col)]
	var s0, s1, s2, s3 float64
	for len(col) >= 4 {
		c, v := col[:4:4], val[:4:4]
		s0 += float64(float64(v[0]) * x[c[0]])
		s1 += float64(float64(v[1]) * x[c[1]])
		s2 += float64(float64(v[2]) * x[c[2]])
		s3 += float64(float64(v[3]) * x[c[3]])
		col, val = col[4:], val[4:]
	}
	switch len(col) {
	case 3:
		s2 += float64(float64(val[2]) * x[col[2]])
		fallthrough
	case 2:
		s1 += float64(float64(val[1]) * x[col[1]])
		fallthrough
	case 1:
		s0 += float64(float64(val[0]) * x[col[0]])
	}
	return (s0 + s1) + (s2 + s3)
}

// CSRMulMulti is CSRMulVec for k = 2, 4 or 8 vectors, with the same bits: element j of vector v is x[k*j+v], and
// likewise for dst.
func CSRMulMulti[T Value](s *Set, dst []float64, k, lo, hi int, rowPtr []int64, col []int32, val []T, x []float64) {
	switch val := any(val).(type) {
	case []float64:
		s.csr64Multi(dst, k, lo, hi, rowPtr, col, val, x)
	case []float32:
		s.csr32Multi(dst, k, lo, hi, rowPtr, col, val, x)
	}
}

type csrMultiKernel[T Value] = func(dst []float64, k, lo, hi int, rowPtr []int64, col []int32, val []T, x []float64)

// csrMulMulti is CSRMulMulti in portable Go.
func csrMulMulti[T Value](dst []float64, k, lo, hi int, rowPtr []int64, col []int32, val []T, x []float64) {
	for i := lo; i < hi; i++ {
		var sums [4][MaxVectors]float64
		for p, end := rowPtr[i], rowPtr[i+1]; p < end; p++ {
			m, s := float64(val[p]), &sums[(p-rowPtr[i])&3]
			at := k * int(col[p])
			for v, xv := range x[at : at+k] {
				s[v] += float64(m * xv)
			}
		}
		for v := range k {
			dst[k*i+v] = (sums[0][v] + sums[1][v]) + (sums[2][v] + sums[3][v])
		}
	}
}

// COO is a list of elements of a sparse matrix, each with its row and column, sorted by rows.
type COO struct {
	Row, Col []int32
	Val      []float64
}

// Slice returns the elements lo to hi-1.
func (m COO) Slice(lo, hi int) COO { return COO{m.Row[lo:hi], m.Col[lo:hi], m.Val[lo:hi]} }

// COOAddVec adds A x to dst: each row with elements gets their sum, which has the bits of CSRMulVec if all elements
// of the row are in the list.
func (k *Set) COOAddVec(dst []float64, m COO, x []float64) { k.coo(dst, m.Row, m.Col, m.Val, x) }

type cooKernel = func(dst []float64, row, col []int32, val, x []float64)

// cooAddVec is COOAddVec in portable Go.
func cooAddVec(dst []float64, row, col []int32, val, x []float64) {
	for len(row) > 0 {
		n, r := 1, row[0]
		for n < len(row) && row[n] == r {
			n++
		}
		dst[r] += rowDot(col[:n], val[:n], x)
		row, col, val = row[n:], col[n:], val[n:]
	}
}

// AddRows adds to dst the products of the rows lo <= i < hi of a matrix with x. Row i has the elements rowPtr[i] to
// rowPtr[i+1]-1, with the columns col and the values that src stores as words. The order of the additions differs
// between sets.
func (k *Set) AddRows(dst []float64, lo, hi int, rowPtr []uint32, col []int32, w Words, src []byte, x []float64) {
	if rowPtr[lo] < rowPtr[hi] {
		k.addRows(dst, lo, hi, rowPtr, col, w, src, x)
	}
}

type addRowsKernel = func(dst []float64, lo, hi int, rowPtr []uint32, col []int32, w Words, src []byte, x []float64)

// longRow is the number of elements from which on a call per row pays.
const longRow = 12

// run is the number of values that are decoded at a time: they stay in the first-level cache.
const run = 512

// addRows is AddRows in portable Go.
func addRows(dst []float64, lo, hi int, rowPtr []uint32, col []int32, w Words, src []byte, x []float64) {
	var buffer [run]float64
	row := lo
	for start, end := int(rowPtr[lo]), int(rowPtr[hi]); start < end; start += run {
		values := buffer[:min(run, end-start)]
		decodeWords(values, src[start*w.Bytes:], w)
		row = addRun(dst, row, rowPtr, col, values, start, x)
	}
}

// AddRows32 is AddRows with products and sums in float32.
func (k *Set) AddRows32(dst []float64, lo, hi int, rowPtr []uint32, col []int32, w Words, src []byte, x []float64) {
	var buffer [run]float64
	row := lo
	for start, end := int(rowPtr[lo]), int(rowPtr[hi]); start < end; start += run {
		values := buffer[:min(run, end-start)]
		k.Decode(w, values, src[start*w.Bytes:])
		row = addRun32(dst, row, rowPtr, col, values, start, x)
	}
}

// addRun adds the products of elements start, start+1, ..., which have these values; the first is in row `row` or
// later. It returns the row of the last one.
func addRun(dst []float64, row int, rowPtr []uint32, col []int32, values []float64, start int, x []float64) int {
	stop := start + len(values)
	col = col[start:stop]
	values = values[:len(col)]
	for k := 0; ; row++ {
		end := min(int(rowPtr[row+1]), stop) - start
		if end-k >= longRow {
			dst[row] += rowDot(col[k:end], values[k:end], x)
			k = end
		} else if k < end { // a call would cost as much as the row
			s := dst[row]
			for ; k < end; k++ {
				s += float64(values[k] * x[col[k]])
			}
			dst[row] = s
		}
		if k == len(col) {
			return row
		}
	}
}

// addRun32 is addRun with products and sums in float32.
func addRun32(dst []float64, row int, rowPtr []uint32, col []int32, values []float64, start int, x []float64) int {
	stop := start + len(values)
	for k := start; ; row++ {
		end := int(rowPtr[row+1])
		if end <= k {
			continue
		}
		end = min(end, stop)
		var s float32
		for p, c := range col[k:end] {
			s += float32(float32(values[k-start+p]) * float32(x[c]))
		}
		dst[row] += float64(s)
		if k = end; k == stop {
			return row
		}
	}
}

type residualKernel[T Value] = func(r, b []float64, lo, hi int, rowPtr []int64, col []int32, val []T, x []float64)

// CSRResidualDD computes r[i] = b[i] - (A x)[i] for each row lo <= i < hi with
// double-double accumulation, rounded once at the end.
func CSRResidualDD[T Value](k *Set, r, b []float64, lo, hi int, rowPtr []int64, col []int32, val []T, x []float64) {
	if val, ok := any(val).([]float64); ok {
		k.residual64(r, b, lo, hi, rowPtr, col, val, x)
		return
	}
	csrResidualDD(r, b, lo, hi, rowPtr, col, val, x)
}

func csrResidualDD[T Value](r, b []float64, lo, hi int, rowPtr []int64, col []int32, val []T, x []float64) {
	start := rowPtr[lo]
	for i := lo; i < hi; i++ {
		end := rowPtr[i+1]
		s := dd.From(b[i])
		v := val[start:end]
		for k, c := range col[start:end] {
			s = s.AddProd(-float64(v[k]), x[c])
		}
		r[i] = s.Float()
		start = end
	}
}
