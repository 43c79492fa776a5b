package ptxemu

import (
	"math/bits"
	"slices"
)

// bitset is a set of small numbers.
type bitset []uint64

// full returns a set that has all numbers below n, and some above.
func full(n int) bitset {
	s := make(bitset, (n+63)/64)
	for i := range s {
		s[i] = ^uint64(0)
	}
	return s
}

func (s bitset) add(i int)           { s[i/64] |= 1 << (i % 64) }
func (s bitset) has(i int) bool      { return s[i/64]>>(i%64)&1 != 0 }
func (s bitset) equal(t bitset) bool { return slices.Equal(s, t) }

func (s bitset) intersect(t bitset) {
	for i := range s {
		s[i] &= t[i]
	}
}

func (s bitset) count() (n int) {
	for _, v := range s {
		n += bits.OnesCount64(v)
	}
	return n
}
