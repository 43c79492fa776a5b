package bandwidth

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// streamLength is the number of elements, in whole lines, of each stream.
func streamLength(part []float64, streams int) int { return len(part) / streams / line * line }

// fold returns the exclusive or of the bits of all elements of the streams that
// part is divided into: as cheap a use of every element as there is.
func fold(part []float64, streams int) uint64 {
	n := streamLength(part, streams)
	tier, _ := kernels.ActiveTier() // a wrong name is the command line's concern
	if simd := simdFolds[tier]; simd != nil && n > 0 {
		return simd(&part[0], n, streams)
	}
	return foldPortable(part, n, streams)
}

// foldPortable is fold in portable Go, n elements of each stream.
func foldPortable(part []float64, n, streams int) uint64 {
	var f0, f1, f2, f3 uint64
	for i := 0; i < n; i += line {
		for s := range streams {
			v := part[s*n+i : s*n+i+line : s*n+i+line]
			f0 ^= math.Float64bits(v[0]) ^ math.Float64bits(v[4])
			f1 ^= math.Float64bits(v[1]) ^ math.Float64bits(v[5])
			f2 ^= math.Float64bits(v[2]) ^ math.Float64bits(v[6])
			f3 ^= math.Float64bits(v[3]) ^ math.Float64bits(v[7])
		}
	}
	return f0 ^ f1 ^ f2 ^ f3
}
