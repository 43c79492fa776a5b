// Package packed stores numbers in few bits: the elements of sparse matrices, and dense vectors.
//
// For a matrix, package packed determines the format in which each element of a sparse matrix is stored, so that the errors stay
// within a given accuracy epsilon. It does not determine the layout of the elements in memory: that is the task of
// package adaptive, which documents the theory.
//
// A [Spec] names a [Set] of formats, epsilon and a criterion. [NewPartition] computes the [Tolerances], which are the unit and
// the absolute error theta of each row, and the [Partition] of magnitudes into [Class]es, one for each format. The
// elements of a row then go to the buckets that [Partition.Assign] returns, or [Integers.Quantize] rounds all
// elements of some rows to integer multiples of the quanta of their rows, the AFX format.
//
// It then arranges a sparse matrix of integers in SELL slices (sliced ELLPACK, [Kreutzer14]): rows lie side by
// side in the lanes of a processor's vectors, so that a slot, one item for each lane, is multiplied at once. An item
// is an element of the matrix or a small dense block.
//
// A [Packer] does what slices of any number of lanes have in common: it deals the items of rows to lanes, finds the
// diagonals that rows share, groups the other items by columns within reach of a base, and puts wide items first, so
// that few bits are wasted. Its users define the bytes of a slot: pkg/adaptive has slices of 8 lanes for AVX-512,
// pkg/gpu slices of 32.
//
// A [Vector] is a dense vector in adaptive precision: blocks of [Block] elements, each stored in the narrowest
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
