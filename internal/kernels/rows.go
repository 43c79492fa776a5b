package kernels

// AddRows adds to dst the products of the rows lo <= i < hi of a matrix with x:
// row i is the elements rowPtr[i] to rowPtr[i+1]-1, with the columns col and the
// values that src holds as words. The sets add in different orders.
func (k *Set) AddRows(dst []float64, lo, hi int, rowPtr []uint32, col []int32, w Words, src []byte, x []float64) {
	if rowPtr[lo] < rowPtr[hi] {
		k.addRows(dst, lo, hi, rowPtr, col, w, src, x)
	}
}

type addRowsKernel = func(dst []float64, lo, hi int, rowPtr []uint32, col []int32, w Words, src []byte, x []float64)

// longRow is the number of elements from which on a call for a row pays.
const longRow = 12

// run is the number of values that are decoded at a time: they stay in the
// first-level cache.
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

// addRun adds the products of elements start, start+1, ..., which have these
// values; the first is in row `row` or later. It returns the row of the last one.
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
