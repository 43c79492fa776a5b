package kernels

import (
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dd"
)

// bcrsKernels are the kernels of BCRS4x1.
type bcrsKernels struct {
	bcrs      bcrsKernel
	bcrsT     bcrsTKernel
	bcrsDD    bcrsDDKernel
	bcrsTDD   bcrsTDDKernel
	bcrsMulti filledMultiKernel
}

var portableBCRS = bcrsKernels{
	bcrs:      bcrsMulVec,
	bcrsT:     bcrsMulVecT,
	bcrsDD:    bcrsMulVecDD,
	bcrsTDD:   bcrsMulVecTDD,
	bcrsMulti: bcrsMulMulti,
}

// BCRSRows is the number of rows of a block of BCRS.
const BCRSRows = 4

// BCRS is a sparse matrix in blocks of four rows and one column, BCRS4x1 of DD-AVX. Block row r has the blocks
// Start[r] to Start[r+1]-1, in ascending order of their columns; block b has the numbers 4b to 4b+3 of Val. Zeros pad
// the blocks.
type BCRS struct {
	Start []int64
	Col   []int32
	Val   []float64
}

// NewBCRS returns a CSR matrix, whose rows have their columns in ascending order, as BCRS.
func NewBCRS(rowPtr []int64, col []int32, val []float64) BCRS {
	rows := len(rowPtr) - 1
	m := EmptyBCRS(BCRSStart(CountBCRS(0, rows, rowPtr, col)))
	m.Fill(0, rows, rowPtr, col, val)
	return m
}

// CountBCRS returns the number of blocks of each block row of the rows lo to hi-1 of a CSR matrix; lo is a multiple
// of four.
func CountBCRS(lo, hi int, rowPtr []int64, col []int32) []int64 {
	counts := make([]int64, 0, (hi-lo+BCRSRows-1)/BCRSRows)
	for ; lo < hi; lo += BCRSRows {
		n := int64(0)
		for walk := newBlockWalk(lo, rowPtr); walk.next(col); {
			n++
		}
		counts = append(counts, n)
	}
	return counts
}

// BCRSStart returns the starts of block rows with so many blocks.
func BCRSStart(counts []int64) []int64 {
	start := make([]int64, len(counts)+1)
	for r, n := range counts {
		start[r+1] = start[r] + n
	}
	return start
}

// BCRSBytes returns the bytes of a matrix whose block rows have these starts.
func BCRSBytes(start []int64) int64 {
	return 8*int64(len(start)) + (4+8*BCRSRows)*start[len(start)-1]
}

// EmptyBCRS returns a matrix whose block rows have these starts, to be filled.
func EmptyBCRS(start []int64) BCRS {
	blocks := start[len(start)-1]
	return BCRS{Start: start, Col: make([]int32, blocks), Val: make([]float64, BCRSRows*blocks)}
}

// Fill fills in the rows lo to hi-1 of the CSR matrix; lo is a multiple of four.
func (m BCRS) Fill(lo, hi int, rowPtr []int64, col []int32, val []float64) {
	for ; lo < hi; lo += BCRSRows {
		b := m.Start[lo/BCRSRows]
		for walk := newBlockWalk(lo, rowPtr); walk.next(col); b++ {
			m.Col[b] = walk.col
			for r, k := range walk.at {
				if walk.has[r] {
					m.Val[int(b)*BCRSRows+r] = val[k-1]
				}
			}
		}
	}
}

// blockWalk iterates over the blocks of four CSR rows, in the order of their columns.
type blockWalk struct {
	at, end [BCRSRows]int64 // the next element of each row
	has     [BCRSRows]bool  // whether the row has an element in the current block
	col     int32           // of the current block
}

// newBlockWalk begins with the rows from lo on.
func newBlockWalk(lo int, rowPtr []int64) (w blockWalk) {
	rows := len(rowPtr) - 1
	for r := range min(BCRSRows, rows-lo) {
		w.at[r], w.end[r] = rowPtr[lo+r], rowPtr[lo+r+1]
	}
	return w
}

// next goes to the next block; it returns false if there is none.
func (w *blockWalk) next(col []int32) bool {
	const none = math.MaxInt32
	w.col = none
	for r, k := range w.at {
		if k < w.end[r] {
			w.col = min(w.col, col[k])
		}
	}
	if w.col == none {
		return false
	}
	for r, k := range w.at {
		if w.has[r] = k < w.end[r] && col[k] == w.col; w.has[r] {
			w.at[r]++
		}
	}
	return true
}

// Parts splits the matrix into parts with the columns bounds[k] to bounds[k+1]-1.
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

// BCRSPart is the columns Lo to Hi-1 of a BCRS matrix: the blocks First[r] to End[r]-1 of block row r.
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

// BCRSMulVec computes dst = A x. The blocks of a row go to two sums alternately; products are added by FMA.
func (k *Set) BCRSMulVec(dst []float64, m BCRS, x []float64) { k.bcrs(dst, m, x) }

// BCRSMulVecDD is BCRSMulVec for double-double vectors.
func (k *Set) BCRSMulVecDD(dst dd.Vec, m BCRS, x dd.Vec) { k.bcrsDD(dst, m, x) }

// BCRSMulVecT computes the elements of a part of dst = A^T x. The four products of a block are rounded, added as (p0
// + p1) + (p2 + p3), and then added to the element of the block's column, in the order of the block rows. Parts share
// no elements, so the bits do not depend on the parts.
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
