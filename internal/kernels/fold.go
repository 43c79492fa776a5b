package kernels

import "math"

// foldLine is the number of elements in a cache line.
const foldLine = 8

// StreamLength returns the number of elements, in whole cache lines, of each of the
// streams that Fold reads from a slice of n elements.
func StreamLength(n, streams int) int { return n / streams / foldLine * foldLine }

// Fold returns the exclusive or of the bits of all elements of 1 to 4 contiguous
// streams that x is divided into, reading a cache line of each in turn. It is the
// cheapest use of every element: its speed is that of reading memory.
func (k *Set) Fold(x []float64, streams int) uint64 {
	return k.fold(x, StreamLength(len(x), streams), streams)
}

// foldKernel folds n elements of each stream.
type foldKernel func(x []float64, n, streams int) uint64

func fold(x []float64, n, streams int) uint64 {
	var f0, f1, f2, f3 uint64
	for i := 0; i < n; i += foldLine {
		for s := range streams {
			v := x[s*n+i : s*n+i+foldLine : s*n+i+foldLine]
			f0 ^= math.Float64bits(v[0]) ^ math.Float64bits(v[4])
			f1 ^= math.Float64bits(v[1]) ^ math.Float64bits(v[5])
			f2 ^= math.Float64bits(v[2]) ^ math.Float64bits(v[6])
			f3 ^= math.Float64bits(v[3]) ^ math.Float64bits(v[7])
		}
	}
	return f0 ^ f1 ^ f2 ^ f3
}
