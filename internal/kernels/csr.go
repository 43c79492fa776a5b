package kernels

// Value is the type of the values of a matrix in memory; arithmetic is in
// float64.
type Value interface{ float32 | float64 }

type csrKernel[T Value] = func(dst []float64, lo, hi int, rowPtr []int64, col []int32, val []T, x []float64)

// CSRMulVec computes dst[i] = sum of val[k] x[col[k]] over the nonzeros
// rowPtr[i] <= k < rowPtr[i+1] of each row lo <= i < hi. The sum of a row does
// not depend on lo and hi, and has the same bits in all sets: element k of the row is added to
// sum k mod 4, products being rounded before; then (s0 + s1) + (s2 + s3).
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

// CSRMulVecOrdinary is CSRMulVec as textbooks write it, with one sum for each row: the
// baseline of benchmarks, about as fast as the same loop in C.
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

// rowDot is the inner product of one sparse row with x.
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
