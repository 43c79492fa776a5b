// Package csr holds sparse matrices in compressed sparse row storage with
// float64 values and 4-byte column indices: 12 bytes per nonzero and 8 bytes
// per row.
//
// Row i of a [Matrix] is the pair of slices
//
//	Col[RowPtr[i]:RowPtr[i+1]]  and  Val[RowPtr[i]:RowPtr[i+1]]
//
// with strictly increasing columns. RowPtr is 64 bits wide, since the number
// of nonzeros may pass 2^31; the number of columns may not.
//
// The package knows structure and norms, symmetry, orderings and exact scaling by
// powers of two. It knows nothing of precision: package adaptive stores matrices in
// fewer bits.
package csr
