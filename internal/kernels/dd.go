package kernels

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/dd"
)

// ddKernels are the kernels of double-double products.
type ddKernels struct {
	csrDD   csrDDKernel
	slotsDD slotsDDKernel
}

var portableDD = ddKernels{
	csrDD:   csrMulVecDD,
	slotsDD: mulSlotsDD,
}

// ddNum and ddVec are struct dd_num and struct dd_vec of c/dd.h, which explains the functions below.
type (
	ddNum = dd.DD
	ddVec = dd.Vec
)

// ddProd returns a x, not renormalised.
func ddProd(a, x dd.DD) dd.DD {
	p, e := dd.TwoProd(a.Hi, x.Hi)
	return dd.DD{Hi: p, Lo: math.FMA(a.Hi, x.Lo, math.FMA(a.Lo, x.Hi, e))}
}

// dProd is ddProd for a float64 a.
func dProd(a float64, x dd.DD) dd.DD {
	p, e := dd.TwoProd(a, x.Hi)
	return dd.DD{Hi: p, Lo: math.FMA(a, x.Lo, e)}
}

// ddAccumulate returns s + p, with the errors of the high parts summed in Lo.
func ddAccumulate(s, p dd.DD) dd.DD {
	t, e := dd.TwoSum(s.Hi, p.Hi)
	return dd.DD{Hi: t, Lo: s.Lo + (e + p.Lo)}
}

// ddRenormalise returns s as a number with |Lo| at most half an ulp of Hi, if |Hi| >= |Lo|.
func ddRenormalise(s dd.DD) dd.DD { return dd.FastTwoSum(s.Hi, s.Lo) }

// Products of rows with double-double vectors. A row of n elements computes
//
//	p = fl(a xh), e = fma(a, xl, fma(a, xh, -p));  (h, f) = TwoSum(h, p), l = l + (f + e)
//
// for each element (ddAccumulate of dProd), and renormalises h + l to a double-double number once, at the end: the
// sum of Dot2 [OgitaRO05], with the low part of x. Without over- and underflow, the error is at most
//
//	(n+2)² u² (|A| |x|)_i,  u = 2^-53.

// sumDD returns the function that adds products: ddAccumulate, or DD-AVX's.
func sumDD(normal bool) func(s, p dd.DD) dd.DD {
	if normal {
		return func(s, p dd.DD) dd.DD { return ddRenormalise(ddAccumulate(s, p)) }
	}
	return ddAccumulate
}

// DDValues are the values of a matrix for products with double-double vectors.
type DDValues struct {
	Val []float64
	Low []float64 // low parts of double-double values; nil: the values are float64

	// Normal renormalises sums at each addition, as DD-AVX does: slower, and no more accurate. It excludes Low.
	Normal bool
}

type csrDDKernel = func(dst dd.Vec, lo, hi int, rowPtr []int64, col []int32, v DDValues, x dd.Vec)

// CSRMulVecDD is CSRMulVec for double-double vectors: dst[i] = sum of val[k] x[col[k]]. Element k of a row is added
// to sum k mod 4; the sums are added as (s0 + s1) + (s2 + s3).
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

type slotsDDKernel = func(dst dd.Vec, p *SlotPanel, x dd.Vec, row0 int, d Units, add bool)

// MulSlotsDD is MulSlots for double-double vectors and slots of single elements. The integers and the multiplication
// by a unit are exact, so the error is that of CSRMulVecDD. Integers of more than 53 bits are rounded to float64, as
// in MulSlots.
func (k *Set) MulSlotsDD(dst dd.Vec, p *SlotPanel, x dd.Vec, row0 int, d Units, add bool) {
	k.slotsDD(dst, p, x, row0, d, add)
}

func mulSlotsDD(dst dd.Vec, p *SlotPanel, x dd.Vec, row0 int, d Units, add bool) {
	var s [Lanes]dd.DD
	row, rows, widths, index := 0, p.rows(dst.Len()), p.Widths, p.Index
	values := [2][]byte{p.Values, p.Values[p.Odd:]}
	for _, g := range p.Groups {
		for k := range int(g.Slots) {
			var m [Lanes]float64
			var cols [Lanes]int
			from := &values[k&1]
			slotValues(&m, *from, int(widths[k]), g.Flags)
			*from = (*from)[widths[k]:]
			first := int(g.Base)
			if g.Flags&Diagonal != 0 {
				first = row0 + row + int(p.Offsets[int(g.Base)+k])
				cols = [Lanes]int{0, 1, 2, 3, 4, 5, 6, 7}
			} else {
				index = p.columns(&cols, index)
			}
			for l, c := range cols {
				s[l] = ddAccumulate(s[l], dProd(m[l], x.At(first+c)))
			}
		}
		widths = widths[g.Slots:]
		if g.Flags&Last == 0 {
			continue
		}
		n := min(Lanes, rows-row)
		if g.Flags&OneRow != 0 {
			n = 1
			for h := Lanes / 2; h > 0; h /= 2 {
				for l := range h {
					s[l] = ddAccumulate(s[l], s[l+h])
				}
			}
		}
		for l := range n {
			i := row + l
			if p.Order != nil {
				i = int(p.Order[i])
			}
			u := d.at(i)
			sum := dd.DD{Hi: s[l].Hi * u, Lo: s[l].Lo * u}
			if add {
				sum = ddAccumulate(dst.At(i), sum)
			}
			dst.Set(i, ddSum(sum))
		}
		row += n
		s = [Lanes]dd.DD{}
	}
}
