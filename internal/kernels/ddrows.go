package kernels

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/dd"
)

// Products of rows with double-double vectors. A row of n elements is
//
//	p = fl(a xh), e = fma(a, xl, fma(a, xh, -p));  (h, f) = TwoSum(h, p), l = l + (f + e)
//
// for each element (ddAccumulate of dProd), and h + l is made a double-double number once, at the end: the sum of
// Dot2 [OgitaRO05], with the low part of x. If nothing over- or underflows, the error is at most
//
//	(n+2)² u² (|A| |x|)_i,  u = 2^-53.

// sumDD is how products are added: ddAccumulate, or that of DD-AVX.
func sumDD(normal bool) func(s, p dd.DD) dd.DD {
	if normal {
		return func(s, p dd.DD) dd.DD { return ddRenormalise(ddAccumulate(s, p)) }
	}
	return ddAccumulate
}

// DDValues are the values of a matrix that is multiplied with double-double vectors.
type DDValues struct {
	Val []float64
	Low []float64 // what they lack of double-double ones; nil: nothing

	// Normal makes sums double-double numbers at each addition, as DD-AVX does: slower, and no more accurate.
	// Not with Low.
	Normal bool
}

type csrDDKernel = func(dst dd.Vec, lo, hi int, rowPtr []int64, col []int32, v DDValues, x dd.Vec)

// CSRMulVecDD is CSRMulVec for double-double vectors: dst[i] = sum of val[k] x[col[k]]. Element k of a row is
// added to sum k mod 4; then (s0 + s1) + (s2 + s3).
func (k *Set) CSRMulVecDD(dst dd.Vec, lo, hi int, rowPtr []int64, col []int32, v DDValues, x dd.Vec) {
	k.csrDD(dst, lo, hi, rowPtr, col, v, x)
}

func csrMulVecDD(dst dd.Vec, lo, hi int, rowPtr []int64, col []int32, v DDValues, x dd.Vec) {
	plus := sumDD(v.Normal)
	for i := lo; i < hi; i++ {
		var s [4]dd.DD
		for k := rowPtr[i]; k < rowPtr[i+1]; k++ {
			p := dProd(v.Val[k], x.At(int(col[k])))
			if v.Low != nil {
				p.Lo = math.FMA(v.Low[k], x.Hi[col[k]], p.Lo)
			}
			to := &s[(k-rowPtr[i])&3]
			*to = plus(*to, p)
		}
		dst.Set(i, ddSum(plus(plus(s[0], s[1]), plus(s[2], s[3]))))
	}
}
