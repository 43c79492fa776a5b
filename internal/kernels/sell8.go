package kernels

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/dd"
)

// filledKernels are the kernels of layouts that fill rows up.
type filledKernels struct {
	ell64      ellKernel[float64]
	ell32      ellKernel[float32]
	ellMixed   ellKernel[float32]
	sell8      sell8Kernel
	sell8DD    sell8DDKernel
	sell8Multi filledMultiKernel
}

var portableFilled = filledKernels{
	ell64:      ellMulVec[float64, float64],
	ell32:      ellMulVec[float32, float32],
	ellMixed:   ellMulVec[float32, float64],
	sell8:      sell8MulVec,
	sell8DD:    sell8MulVecDD,
	sell8Multi: sell8MulMulti,
}

// SELL8 is a sparse matrix in chunks of eight rows [Kreutzer14]. Chunk c has the slots Start[c] to Start[c+1]-1, each
// with an element of each of its rows; slot s has the numbers 8s to 8s+7 of Col and Val. Zeros in any column pad
// shorter rows.
type SELL8 struct {
	Start []int64
	Col   []int32
	Val   []float64
}

// NewSELL8 returns a CSR matrix as SELL8.
func NewSELL8(rowPtr []int64, col []int32, val []float64) SELL8 {
	m := EmptySELL8(SELL8Start(rowPtr))
	m.Fill(0, len(rowPtr)-1, rowPtr, col, val)
	return m
}

// SELL8Start returns the starts of the chunks of a CSR matrix.
func SELL8Start(rowPtr []int64) []int64 {
	rows := len(rowPtr) - 1
	start := make([]int64, 1, (rows+Lanes-1)/Lanes+1)
	for lo := 0; lo < rows; lo += Lanes {
		longest := int64(0)
		for i := lo; i < min(lo+Lanes, rows); i++ {
			longest = max(longest, rowPtr[i+1]-rowPtr[i])
		}
		start = append(start, start[len(start)-1]+longest)
	}
	return start
}

// SELL8Bytes returns the bytes of a matrix whose chunks have these starts.
func SELL8Bytes(start []int64) int64 {
	return 8*int64(len(start)) + 12*Lanes*start[len(start)-1]
}

// EmptySELL8 returns a matrix whose chunks have these starts, to be filled.
func EmptySELL8(start []int64) SELL8 {
	places := Lanes * start[len(start)-1]
	return SELL8{Start: start, Col: make([]int32, places), Val: make([]float64, places)}
}

// Fill fills in the rows lo to hi-1 of the CSR matrix; lo is a multiple of eight. The padding of a row has the row's
// last column.
func (m SELL8) Fill(lo, hi int, rowPtr []int64, col []int32, val []float64) {
	for i := lo; i < hi; i++ {
		at, last := m.Start[i/Lanes]*Lanes+int64(i%Lanes), int32(0)
		for k := rowPtr[i]; k < rowPtr[i+1]; k, at = k+1, at+Lanes {
			last = col[k]
			m.Col[at], m.Val[at] = last, val[k]
		}
		for ; at < m.Start[i/Lanes+1]*Lanes; at += Lanes {
			m.Col[at] = last
		}
	}
}

type sell8Kernel = func(dst []float64, m SELL8, x []float64)

type sell8DDKernel = func(dst dd.Vec, m SELL8, x dd.Vec, normal bool)

// SELL8MulVec computes dst = A x. The slots of a chunk go to two sums alternately; products are added by FMA.
func (k *Set) SELL8MulVec(dst []float64, m SELL8, x []float64) { k.sell8(dst, m, x) }

// SELL8MulVecDD is SELL8MulVec for double-double vectors, with one sum for a row; for normal see DDValues.
func (k *Set) SELL8MulVecDD(dst dd.Vec, m SELL8, x dd.Vec, normal bool) { k.sell8DD(dst, m, x, normal) }

func sell8MulVec(dst []float64, m SELL8, x []float64) {
	for i := range dst {
		var s [2]float64
		c := i / Lanes
		for k := m.Start[c]; k < m.Start[c+1]; k++ {
			at := int(k)*Lanes + i%Lanes
			to := &s[(k-m.Start[c])&1]
			*to = math.FMA(m.Val[at], x[m.Col[at]], *to)
		}
		dst[i] = s[0] + s[1]
	}
}

func sell8MulVecDD(dst dd.Vec, m SELL8, x dd.Vec, normal bool) {
	plus := sumDD(normal)
	for i := range dst.Hi {
		var s dd.DD
		c := i / Lanes
		for k := m.Start[c]; k < m.Start[c+1]; k++ {
			at := int(k)*Lanes + i%Lanes
			s = plus(s, dProd(m.Val[at], x.At(int(m.Col[at]))))
		}
		dst.Set(i, ddSum(s))
	}
}

// ELL is a sparse matrix with Width elements in every row, column by column: element k of row i is number k*Stride+i
// of Col and Val. Zeros in any column pad shorter rows.
type ELL[S Value] struct {
	Width, Stride int
	Col           []int32
	Val           []S
}

// ELLMulVec computes dst = A x for the rows lo <= i < hi, with values and vectors of type S and arithmetic in type A:
// the elements of a row are added one by one, and each product is rounded first.
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

// filledMultiKernel is SELL8MulMulti or BCRSMulMulti.
type filledMultiKernel = func(dst []float64, k int, start []int64, col []int32, val, x []float64)

// SELL8MulMulti is SELL8MulVec for k = 2, 4 or 8 vectors, with the same bits: element j of vector v is x[k*j+v], and
// likewise for dst.
func (s *Set) SELL8MulMulti(dst []float64, k int, m SELL8, x []float64) {
	s.sell8Multi(dst, k, m.Start, m.Col, m.Val, x)
}

// BCRSMulMulti is BCRSMulVec for k vectors in the same way.
func (s *Set) BCRSMulMulti(dst []float64, k int, m BCRS, x []float64) {
	s.bcrsMulti(dst, k, m.Start, m.Col, m.Val, x)
}

func sell8MulMulti(dst []float64, k int, start []int64, col []int32, val, x []float64) {
	filledMulti(dst, k, Lanes, start, val, x, func(slot int64, lane int) int32 { return col[slot*Lanes+int64(lane)] })
}

func bcrsMulMulti(dst []float64, k int, start []int64, col []int32, val, x []float64) {
	filledMulti(dst, k, BCRSRows, start, val, x, func(slot int64, _ int) int32 { return col[slot] })
}

// filledMulti multiplies by chunks of so many rows in portable Go.
func filledMulti(dst []float64, k, rows int, start []int64, val, x []float64, column func(slot int64, lane int) int32) {
	for i := range len(dst) / k {
		var s [2][MaxVectors]float64
		c, lane := i/rows, i%rows
		for slot := start[c]; slot < start[c+1]; slot++ {
			a, to := val[int(slot)*rows+lane], &s[(slot-start[c])&1]
			for v, e := range x[k*int(column(slot, lane)):][:k] {
				to[v] = math.FMA(a, e, to[v])
			}
		}
		for v := range k {
			dst[k*i+v] = s[0][v] + s[1][v]
		}
	}
}
