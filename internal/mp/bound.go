package mp

import "math/big"

// boundPrec is the precision of bounds, which are rounded up by slightly more than necessary.
const boundPrec = 64

// bound returns 2^(-52 size) factor, for vectors of the given precision.
func bound(bits int, factor *big.Float) *big.Float {
	f := new(big.Float).SetPrec(boundPrec).SetMode(big.ToPositiveInf).Set(factor)
	return f.SetMantExp(f, -limbBits*sizeOf(bits))
}

func product3(n int64, x, y *big.Float) *big.Float {
	f := new(big.Float).SetPrec(boundPrec).SetMode(big.ToPositiveInf).SetInt64(n)
	return f.Mul(f.Mul(f, x), y)
}

// DotBound bounds the difference between the sum of n products of Dot and x·y, before the sum is rounded to nearest,
// which adds a relative error of up to 2^-Bits. With L limbs of fixed-point numbers, 52 L >= Bits + 20, it is
//
//	17 n 2^(-52 L) ||x||_inf ||y||_inf
//
// Each vector is truncated by at most 4 2^(-52 L) of its norm, each product by (2 L - 2) 2^(-52 L - 48).
func DotBound(bits, n int, x, y *big.Float) *big.Float {
	return bound(bits, product3(17*int64(n), x, y))
}

// MulBound bounds the same difference for an element of Dense.MulVec with n columns, where x is the norm of the
// vector and a the largest element of the row, both in the infinity norm. For MulVecT, n is the number of rows, a is
// 1, and x is the largest product of an element of x and the largest element of its row.
func MulBound(bits, n int, a, x *big.Float) *big.Float { return DotBound(bits, n, a, x) }

// MatrixBound bounds the same difference for a row of Matrix.MulVec and Residual with n nonzeros, of which most is
// the largest absolute value and sum the sum of the absolute values:
//
//	2^(-52 L) ||x||_inf (2 sum + 4 n most) <= 2^-Bits ||x||_inf sum    for n < 2^18
//
// The first term comes from the truncation of x, the second from products with nonzeros that are smaller than the
// largest by 2^51; all other products are exact.
func MatrixBound(bits, n int, sum, most, x *big.Float) *big.Float {
	f := product3(4*int64(n), most, x)
	return bound(bits, f.Add(f, product3(2, sum, x)))
}
