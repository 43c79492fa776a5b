package kernels

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/dd"
)

// Products of rows with double-double vectors. A row of n elements is
//
//	p = fl(a xh), e = fma(a, xl, fma(a, xh, -p));  (h, f) = TwoSum(h, p), l = l + (f + e)
//
// for each element, and h + l is made a double-double number once, at the end: the sum of Dot2 [Ogita05],
// with the low part of x. If nothing over- or underflows, the error is at most
//
//	(n+2)² u² (|A| |x|)_i,  u = 2^-53.

// ddSum is the sum h + l.
type ddSum struct{ h, l float64 }

// add adds p + e.
func (s *ddSum) add(p, e float64) {
	t, f := dd.TwoSum(s.h, p)
	*s = ddSum{t, s.l + (f + e)}
}

// addNormal adds p + e and makes the sum a double-double number at once, as DD-AVX does.
func (s *ddSum) addNormal(p, e float64) {
	t, f := dd.TwoSum(s.h, p)
	f += s.l + e
	h := t + f
	*s = ddSum{h, f - (h - t)}
}

// ddProduct is a (xh + xl) as a term of a sum.
func ddProduct(a, xh, xl float64) (p, e float64) {
	p = float64(a * xh)
	return p, math.FMA(a, xl, math.FMA(a, xh, -p))
}

// addProduct adds a (xh + xl).
func (s *ddSum) addProduct(a, xh, xl float64) { s.add(ddProduct(a, xh, xl)) }

// plus is the sum of two.
func (s ddSum) plus(t ddSum) ddSum {
	h, e := dd.TwoSum(s.h, t.h)
	return ddSum{h, e + (s.l + t.l)}
}

// put sets element i of dst.
func (s ddSum) put(dst dd.Vec, i int) { dst.Hi[i], dst.Lo[i] = dd.TwoSum(s.h, s.l) }

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
	for i := lo; i < hi; i++ {
		var s [4]ddSum
		for k := rowPtr[i]; k < rowPtr[i+1]; k++ {
			j, to := col[k], &s[(k-rowPtr[i])&3]
			p, e := ddProduct(v.Val[k], x.Hi[j], x.Lo[j])
			if v.Low != nil {
				e = math.FMA(v.Low[k], x.Hi[j], e)
			}
			if v.Normal {
				to.addNormal(p, e)
			} else {
				to.add(p, e)
			}
		}
		s[0].plus(s[1]).plus(s[2].plus(s[3])).put(dst, i)
	}
}
