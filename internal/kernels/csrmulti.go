package kernels

// CSRMulMulti is CSRMulVec of k = 2, 4 or 8 vectors, with the same bits: element j of vector v is
// x[k*j+v], and so for dst.
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
