package mp

import "math/big"

// boundPrec is the precision of bounds, which are rounded up by a little more than they need.
const boundPrec = 64

// bound returns 2^(-52 size) factor, for vectors of that precision.
func bound(bits int, factor *big.Float) *big.Float {
	f := new(big.Float).SetPrec(boundPrec).SetMode(big.ToPositiveInf).Set(factor)
	return f.SetMantExp(f, -limbBits*sizeOf(bits))
}

func product3(n int64, x, y *big.Float) *big.Float {
	f := new(big.Float).SetPrec(boundPrec).SetMode(big.ToPositiveInf).SetInt64(n)
	return f.Mul(f.Mul(f, x), y)
}

// DotBound bounds what the sum of n products of Dot differs from x·y by, before it is rounded to nearest, which may be by 2^-Bits
// of itself: with L limbs of fixed-point numbers, 52 L >= Bits + 20,
//
//	17 n 2^(-52 L) ||x||_inf ||y||_inf
//
// Each vector is truncated by at most 4 2^(-52 L) of its norm, each product by (2 L - 2) 2^(-52 L - 48).
func DotBound(bits, n int, x, y *big.Float) *big.Float {
	return bound(bits, product3(17*int64(n), x, y))
}

// MulBound bounds the same for an element of Dense.MulVec, of n columns: x is the norm of the vector, a the largest element of the row, both in
// the infinity norm. For MulVecT, n is the number of rows, a is 1, and x is the largest product of an element of x and
// the largest element of its row.
func MulBound(bits, n int, a, x *big.Float) *big.Float { return DotBound(bits, n, a, x) }

// MatrixBound bounds the same for a row of Matrix.MulVec and Residual that has n nonzeros, the largest being most and the sum of their
// absolute values sum:
//
//	2^(-52 L) ||x||_inf (2 sum + 4 n most) <= 2^-Bits ||x||_inf sum    for n < 2^18
//
// The first term is the truncation of x, the second that of products with nonzeros that are smaller than the largest by 2^51: there are no others
// that are not exact.
func MatrixBound(bits, n int, sum, most, x *big.Float) *big.Float {
	f := product3(4*int64(n), most, x)
	return bound(bits, f.Add(f, product3(2, sum, x)))
}
