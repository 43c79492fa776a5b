// Package factor factors sparse matrices by the multifrontal method ([DuffReid83], [Liu92]), and solves with the factors.
//
// A [Tree] groups the pivots of an order into nodes. Node j has k pivots and m later rows that its rows of the factors have entries for, and
// a front: the dense matrix
//
//	F = [ F11 F12 ]   k
//	    [ F21 F22 ]   m
//
// which is the sum of the entries of A in rows and columns of its pivots, and of what its children pass on. Its pivots are eliminated, with
// L11 U11 = F11, U12 = L11^-1 F12 and L21 = F21 U11^-1, and F22 - L21 U12 is passed to its parent. Symmetric matrices have F11 = L11 D L11^T and
// store D L^T alone.
//
// A [Rule] chooses pivots among those of a node: as they come for positive definite matrices, by Bunch and Kaufman with blocks of D of 1 x 1 and
// 2 x 2 for other symmetric ones [BunchKaufman77], and the largest of a column for the others. Pivots that vanish are replaced
// [LiDemmel98]; none is delayed to the parent then, so that memory and work are known from the tree. [Delay] and [Pair] delay before there is a tree.
//
// Fronts are made in FP32 or FP64 by products of dense panels (kernels.DenseKernels). Subtrees are factored side by side, then the nodes
// above them, whose panels all threads share. A [Solver] substitutes in FP64, whatever the numbers of the factors are.
package factor
