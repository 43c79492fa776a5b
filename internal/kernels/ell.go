package kernels

// ELL is a sparse matrix of Width elements in every row, column by column:
// element k of row i is number k*Stride+i of Col and Val. Shorter rows are filled
// up with zeros of any column.
type ELL[S Value] struct {
	Width, Stride int
	Col           []int32
	Val           []S
}

// ELLMulVec computes dst = A x for the rows lo <= i < hi, with values and vectors
// of type S and the arithmetic of type A: elements of a row are added one by one,
// each product rounded before.
func ELLMulVec[S, A Value](k *Set, dst []S, lo, hi int, m ELL[S], x []S) {
	switch to := any(dst).(type) {
	case []float64:
		k.ell64(to, lo, hi, m.Width, m.Stride, m.Col, any(m.Val).([]float64), any(x).([]float64))
	case []float32:
		kernel := k.ell32
		if _, mixed := any(A(0)).(float64); mixed {
			kernel = k.ellMixed
		}
		kernel(to, lo, hi, m.Width, m.Stride, m.Col, any(m.Val).([]float32), any(x).([]float32))
	}
}

type ellKernel[S Value] = func(dst []S, lo, hi, width, stride int, col []int32, val, x []S)

// ellMulVec is ELLMulVec in portable Go.
func ellMulVec[S, A Value](dst []S, lo, hi, width, stride int, col []int32, val, x []S) {
	for i := lo; i < hi; i++ {
		var s A
		for k, at := 0, i; k < width; k, at = k+1, at+stride {
			s += A(A(val[at]) * A(x[col[at]]))
		}
		dst[i] = S(s)
	}
}
