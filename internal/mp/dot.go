package mp

import (
	"math/big"

	"github.com/mpsolve/mpsolve/internal/parallel"
)

// byLanes is a vector in fixed point, Lanes numbers at a time: limb k of number Lanes c + l is limb[Lanes (size c + k) + l].
// Numbers after the last one are 0.
type byLanes struct {
	chunks int
	limb   []uint64
	sums   []uint64 // size + 1 limbs of the sum of all numbers
}

// fixLanes rounds x_i 2^add(i) to fixed point relative to 2^e. Chunk c belongs to part c / perPart.
func fixLanes(pool *parallel.Pool, x *Vec, size, e int, add func(i int) int) *byLanes {
	f := &byLanes{chunks: (x.Len() + lanes - 1) / lanes}
	f.limb = make([]uint64, f.chunks*lanes*size)
	bounds := blocks(f.chunks)
	parts := make([]sum, len(bounds)-1)
	pool.RunRanges(bounds, func(k, lo, hi int) {
		s := make(sum, size+1)
		for c := lo; c < hi; c++ {
			limbs := f.limb[c*lanes*size : (c+1)*lanes*size]
			for l := range lanes {
				if i := c*lanes + l; i < x.Len() {
					x.offset(limbs[l:], lanes, size, i, e-add(i))
				} else {
					limbs[lanes*(size-1)+l] = half
				}
				s.add(0, limbs[l:], lanes)
			}
			s.carry()
		}
		parts[k] = s
	})
	f.sums = make([]uint64, size+1)
	all := make(sum, size+1)
	for _, s := range parts {
		for k := range s {
			all[k] += s[k]
		}
		all.carry()
	}
	for k := range all {
		f.sums[k] = uint64(all[k])
	}
	return f
}

// blocks divides n into ranges for threads; sums over the ranges are exact, so that results do not depend on them.
func blocks(n int) (bounds []int) {
	const most = 64
	parts := min(n, most)
	for k := range parts {
		bounds = append(bounds, n*k/parts)
	}
	return append(bounds, n)
}

func none(int) int { return 0 }

// Dot returns x·y with the precision of x, rounded once. The vectors, of the same length and precision, are rounded
// to fixed point relative to their largest elements, and the sum is exact except for the lowest bits of products. See
// DotBound.
func Dot(pool *parallel.Pool, x, y *Vec) *big.Float {
	if x.Len() != y.Len() || x.bits != y.bits {
		panic("mp: an inner product of vectors that do not match")
	}
	result := New(1, x.bits)
	ex, some := x.top()
	ey, others := y.top()
	if !some || !others {
		return result.At(0)
	}
	size := sizeOf(x.bits)
	a, b := fixLanes(pool, x, size, ex, none), fixLanes(pool, y, size, ey, none)
	bounds := blocks(a.chunks)
	parts := make([]sum, len(bounds)-1)
	pool.RunRanges(bounds, func(k, lo, hi int) {
		u, step := newUpper(size), lanes*size
		u.add(dot(size), a.limb[lo*step:hi*step], step, b.limb[lo*step:hi*step], hi-lo)
		parts[k] = u.total()
	})
	s := make(sum, size+3)
	for _, part := range parts {
		for k := range s {
			s[k] += part[k]
		}
		s.carry()
	}
	s.finish(size, lanes*a.chunks, a.sums, b.sums)
	s.put(result, 0, unit(size, ex, ey), make([]uint64, packed(len(s))))
	return result.At(0)
}
