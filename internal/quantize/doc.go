// Package quantize determines the format in which each element of a sparse matrix is stored, so that the errors stay
// within a given accuracy epsilon. It does not determine the layout of the elements in memory: that is the task of
// package adaptive, which documents the theory.
//
// A [Spec] names a [Set] of formats, epsilon and a criterion. [New] computes the [Tolerances], which are the unit and
// the absolute error theta of each row, and the [Partition] of magnitudes into [Class]es, one for each format. The
// elements of a row then go to the buckets that [Partition.Assign] returns, or [Integers.Quantize] rounds all
// elements of some rows to integer multiples of the quanta of their rows, the AFX format.
package quantize
