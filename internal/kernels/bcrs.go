package kernels

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/dd"
)

// BCRSRows is the number of rows of a block of BCRS.
const BCRSRows = 4

// BCRS is a sparse matrix in blocks of four rows and one column, BCRS4x1 of DD-AVX: block row r is the blocks Start[r] to
// Start[r+1]-1, in ascending order of their columns, with the numbers 4b to 4b+3 of Val for block b. Blocks are
// filled up with zeros.
type BCRS struct {
	Start []int64
	Col   []int32
	Val   []float64
}

// NewBCRS returns a matrix in CSR, whose rows have their columns in ascending order, as BCRS.
func NewBCRS(rowPtr []int64, col []int32, val []float64) BCRS {
	rows := len(rowPtr) - 1
	m := BCRS{Start: make([]int64, 1, (rows+BCRSRows-1)/BCRSRows+1)}
	for lo := 0; lo < rows; lo += BCRSRows {
		var next [BCRSRows]int64
		n := copy(next[:], rowPtr[lo:rows])
		for {
			j := int32(math.MaxInt32)
			for r, k := range next[:n] {
				if k < rowPtr[lo+r+1] {
					j = min(j, col[k])
				}
			}
			if j == math.MaxInt32 {
				break
			}
			var block [BCRSRows]float64
			for r, k := range next[:n] {
				if k < rowPtr[lo+r+1] && col[k] == j {
					block[r] = val[k]
					next[r]++
				}
			}
			m.Col, m.Val = append(m.Col, j), append(m.Val, block[:]...)
		}
		m.Start = append(m.Start, int64(len(m.Col)))
	}
	return m
}

// Parts cuts the matrix into the columns bounds[k] to bounds[k+1]-1.
func (m BCRS) Parts(bounds []int) (parts []BCRSPart) {
	first := m.Start[:len(m.Start)-1]
	for k, hi := range bounds[1:] {
		end := make([]int64, len(first))
		for r, from := range first {
			n, _ := slices.BinarySearch(m.Col[from:m.Start[r+1]], int32(hi))
			end[r] = from + int64(n)
		}
		parts = append(parts, BCRSPart{Lo: bounds[k], Hi: hi, First: first, End: end})
		first = end
	}
	return parts
}

// BCRSPart is the columns Lo to Hi-1 of a BCRS: of block row r the blocks First[r] to End[r]-1.
type BCRSPart struct {
	Lo, Hi     int
	First, End []int64
}

type (
	bcrsKernel    = func(dst []float64, m BCRS, x []float64)
	bcrsDDKernel  = func(dst dd.Vec, m BCRS, x dd.Vec)
	bcrsTKernel   = func(dst []float64, m BCRS, p BCRSPart, x []float64)
	bcrsTDDKernel = func(dst dd.Vec, m BCRS, p BCRSPart, x dd.Vec)
)

// BCRSMulVec computes dst = A x. The blocks of a row go to two sums alternately, products being added by FMA.
func (k *Set) BCRSMulVec(dst []float64, m BCRS, x []float64) { k.bcrs(dst, m, x) }

// BCRSMulVecDD is BCRSMulVec for double-double vectors.
func (k *Set) BCRSMulVecDD(dst dd.Vec, m BCRS, x dd.Vec) { k.bcrsDD(dst, m, x) }

// BCRSMulVecT computes the elements of a part of dst = A^T x: the products of a block, which are rounded, are added as (p0 + p1) +
// (p2 + p3), and then to the element of its column, in the order of the block rows. So no part has another's elements, and the
// bits do not depend on the parts.
func (k *Set) BCRSMulVecT(dst []float64, m BCRS, p BCRSPart, x []float64) { k.bcrsT(dst, m, p, x) }

// BCRSMulVecTDD is BCRSMulVecT for double-double vectors.
func (k *Set) BCRSMulVecTDD(dst dd.Vec, m BCRS, p BCRSPart, x dd.Vec) { k.bcrsTDD(dst, m, p, x) }

func bcrsMulVec(dst []float64, m BCRS, x []float64) {
	for i := range dst {
		var s [2]float64
		r := i / BCRSRows
		for b := m.Start[r]; b < m.Start[r+1]; b++ {
			to := &s[(b-m.Start[r])&1]
			*to = math.FMA(m.Val[int(b)*BCRSRows+i%BCRSRows], x[m.Col[b]], *to)
		}
		dst[i] = s[0] + s[1]
	}
}

func bcrsMulVecDD(dst dd.Vec, m BCRS, x dd.Vec) {
	for i := range dst.Hi {
		var s [2]dd.DD
		r := i / BCRSRows
		for b := m.Start[r]; b < m.Start[r+1]; b++ {
			to := &s[(b-m.Start[r])&1]
			*to = ddAccumulate(*to, dProd(m.Val[int(b)*BCRSRows+i%BCRSRows], x.At(int(m.Col[b]))))
		}
		dst.Set(i, ddSum(ddAccumulate(s[0], s[1])))
	}
}

func bcrsMulVecT(dst []float64, m BCRS, p BCRSPart, x []float64) {
	clear(dst[p.Lo:p.Hi])
	for r := range p.First {
		var v [BCRSRows]float64
		copy(v[:], x[r*BCRSRows:])
		for b := p.First[r]; b < p.End[r]; b++ {
			a := m.Val[b*BCRSRows:][:BCRSRows]
			dst[m.Col[b]] += (float64(a[0]*v[0]) + float64(a[1]*v[1])) + (float64(a[2]*v[2]) + float64(a[3]*v[3]))
		}
	}
}

func bcrsMulVecTDD(dst dd.Vec, m BCRS, p BCRSPart, x dd.Vec) {
	clear(dst.Hi[p.Lo:p.Hi])
	clear(dst.Lo[p.Lo:p.Hi])
	for r := range p.First {
		var v [BCRSRows]dd.DD
		for k := range min(BCRSRows, x.Len()-r*BCRSRows) {
			v[k] = x.At(r*BCRSRows + k)
		}
		for b := p.First[r]; b < p.End[r]; b++ {
			var t [BCRSRows]dd.DD
			for k := range t {
				t[k] = dProd(m.Val[int(b)*BCRSRows+k], v[k])
			}
			j := int(m.Col[b])
			dst.Set(j, ddAccumulate(dst.At(j), ddAccumulate(ddAccumulate(t[0], t[1]), ddAccumulate(t[2], t[3]))))
		}
	}
	for j := p.Lo; j < p.Hi; j++ {
		dst.Set(j, ddSum(dst.At(j)))
	}
}
