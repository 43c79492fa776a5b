// Package mp has vectors of floating-point numbers of 53 to 1696 bits, and products with them: inner products, dense
// matrices, and sparse matrices of float64, as residuals need them.
//
// # Numbers
//
// A [Vec] stores numbers as math/big does: sign, exponent and a significand of Bits bits in words of 64 bits, rounded
// to nearest, ties to even. [Vec.Axpy], [Vec.Scale] and [Vec.AddScaled] round each element once, as if the sum were
// exact.
//
// # Products
//
// For a product the vectors are converted to fixed point once, relative to their largest elements; each number
// becomes an integer in L limbs of 52 bits:
//
//	x_j = X_j 2^(E - 52 L),    |X_j| < 2^(52 L),    52 L >= Bits + 20
//
// with L = 3, 5, 9, 17 or 33, the sizes of the kernels. Sums therefore have no exponents and no roundings, and words
// of 64 bits hold the sum of 4095 limbs before carries are due. The result of a row is rounded once. AVX-512 IFMA
// (vpmadd52luq and vpmadd52huq) multiplies limbs; AVX2 and NEON use two FMA that round towards zero (Emmart, Zheng
// and Weems, Faster modular exponentiation using double precision floating point arithmetic on the GPU, 2018):
//
//	h = fma(a, b, 2^104)              = 2^104 + 2^52 floor(a b / 2^52)
//	l = fma(a, b, 2^104 + 2^52 - h)   = 2^52 + a b mod 2^52
//
// The bits of h and l, as integers, are constants plus the limbs of the product. Both are exact, so that every
// processor and any number of threads give the same bits.
//
// Of dense products (multiple precision times multiple precision) only the upper limbs are computed, by L (L + 1) / 2
// products of limbs instead of L^2. The lanes hold eight rows. Both factors are made positive by adding 2^(52 L - 1);
// what that adds is subtracted from the sum of the row, exactly.
//
// A nonzero of a sparse matrix is two limbs in units of its row, so that a product takes 2 L products of limbs. The
// lanes hold the limbs of one number of x, and nothing is gathered. The bits of x are inverted where the product is
// negative.
//
// # Errors
//
// With u = 2^-Bits, the error of a result y of n terms is bounded by, see [DotBound] and [MatrixBound],
//
//	|ŷ - y| <= u |ŷ| + 17 n 2^(-52 L) ||a||_inf ||x||_inf             inner products, rows of dense matrices
//	|ŷ - y| <= u |ŷ| + 2^(-52 L) ||x||_inf (2 sum |a_j| + 4 n max |a_j|)    rows of sparse matrices
//
// MPRES has ||ŷ - y||_1 <= (n + 2) u / (1 - (n + 2) u) ||A||_1 ||x||_1, where u < 4 / sqrt(M) for the product M of
// its moduli. Small elements beside large ones have fewer bits here than in MPRES; the bounds are of the same kind.
//
// # Residues
//
// Types whose names begin with Residue are multiple precision by residue number systems: an integer X is represented
// by its residues modulo primes, which are added and multiplied without carries. [ResidueNumber], [ResidueArray] and
// [ResidueMatrix] are the floating-point format of MPRES-BLAS and its product y = alpha A x + beta y as published
// (Isupov and Knyazkov, Multiple-precision matrix-vector multiplication on graphics processing units, 2020), in plain
// Go: a reference, which the tests compare with math/big. [ResidueDense] and [ResidueSparse] hold integers, elements
// scaled to a common power of two, so that inner products are exact and an element of the result is converted once.
package mp
