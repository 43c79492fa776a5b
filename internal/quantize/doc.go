// Package quantize decides in which format each element of a sparse matrix is stored, so that
// the errors stay within a wanted accuracy epsilon. It knows nothing of how the elements then
// lie in memory: that is the task of package adaptive, which documents the theory.
//
// A [Spec] names a [Set] of formats, epsilon and a criterion. [New] computes the
// [Tolerances], the unit and the absolute error theta of each row, and the [Partition] of
// magnitudes into [Class]es, one for each format. The elements of a row then go to the buckets
// that [Partition.Assign] returns, or all elements of some rows become integer multiples of
// the quanta of their rows, the AFX format, by [Integers.Quantize].
package quantize
