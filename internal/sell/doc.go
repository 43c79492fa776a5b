// Package sell arranges a sparse matrix of integers in SELL slices (sliced ELLPACK, [Kreutzer14]): rows lie side by
// side in the lanes of a processor's vectors, so that a slot, one item for each lane, is multiplied at once. An item
// is an element of the matrix or a small dense block.
//
// A [Packer] does what slices of any number of lanes have in common: it deals the items of rows to lanes, finds the
// diagonals that rows share, groups the other items by columns within reach of a base, and puts wide items first, so
// that few bits are wasted. Its users define the bytes of a slot: pkg/adaptive has slices of 8 lanes for AVX-512,
// pkg/gpu slices of 32.
package sell
