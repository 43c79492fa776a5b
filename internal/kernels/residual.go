package kernels

import "github.com/mpsolve/mpsolve/pkg/dd"

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
