package kernels

import "math"

// filledMultiKernel is SELL8MulMulti or BCRSMulMulti.
type filledMultiKernel = func(dst []float64, k int, start []int64, col []int32, val, x []float64)

// SELL8MulMulti is SELL8MulVec of k = 2, 4 or 8 vectors, with the same bits: element j of vector v is x[k*j+v], and
// so for dst.
func (s *Set) SELL8MulMulti(dst []float64, k int, m SELL8, x []float64) {
	s.sell8Multi(dst, k, m.Start, m.Col, m.Val, x)
}

// BCRSMulMulti is BCRSMulVec of k vectors in the same way.
func (s *Set) BCRSMulMulti(dst []float64, k int, m BCRS, x []float64) {
	s.bcrsMulti(dst, k, m.Start, m.Col, m.Val, x)
}

func sell8MulMulti(dst []float64, k int, start []int64, col []int32, val, x []float64) {
	filledMulti(dst, k, Lanes, start, val, x, func(slot int64, lane int) int32 { return col[slot*Lanes+int64(lane)] })
}

func bcrsMulMulti(dst []float64, k int, start []int64, col []int32, val, x []float64) {
	filledMulti(dst, k, BCRSRows, start, val, x, func(slot int64, _ int) int32 { return col[slot] })
}

// filledMulti multiplies chunks of so many rows in portable Go.
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
