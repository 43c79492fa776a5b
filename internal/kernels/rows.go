package kernels

// AddRows adds to dst the products of a run of values with x: the values are
// elements start, start+1, ... of a matrix whose row i is the elements
// rowPtr[i] to rowPtr[i+1]-1, and the first of them is in row `row` or later. It
// returns the row of the last one. What becomes of values is not defined, and
// the tiers add the products of a row in different orders.
func AddRows(dst []float64, row int, rowPtr []uint32, col []int32, values []float64, start int, x []float64) int {
	if last, ok := addRowsSIMD(dst, row, rowPtr, col, values, start, x); ok {
		return last
	}
	return addRows(dst, row, rowPtr, col, values, start, x)
}

// addRows is AddRows in portable Go.
func addRows(dst []float64, row int, rowPtr []uint32, col []int32, values []float64, start int, x []float64) int {
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

// AddRows32 is AddRows with products and sums in float32.
func AddRows32(dst []float64, row int, rowPtr []uint32, col []int32, values []float64, start int, x []float64) int {
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
