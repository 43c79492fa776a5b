// Package packed holds dense vectors in adaptive precision: blocks of [Block] elements, each stored in the narrowest
// of a few formats that keeps an absolute error theta for every element,
//
//	max |x_i| <= theta        dropped
//	          <= 2^16 theta   integers of 16 bits in units of the block (about)
//	          <= 2^24 theta   FP32
//	otherwise                 FP64, exact
//
// This is the partition of [Molina24], equation (3.15), with the blocks of a vector instead of the elements of a row:
// a block needs no indices, which would cost more than narrow formats save. With theta = epsilon ||x||_1 / n, see
// [Tolerance],
//
//	|x^·y - x·y| <= n theta ||y||_inf = epsilon ||x||_1 ||y||_inf,
//
// remark 3.3 of [Molina24] for inner products, and for sums with y = (1, ..., 1): n is the constant c of theorem 1
// for a single row of n elements. Arithmetic is in FP64.
//
// The largest element of a block determines the format of the whole block, however different the magnitudes of its
// elements are. Where the order of the elements is free, as in sums, [Order] groups the elements of each format.
package packed
