package dist

import (
	"encoding/binary"
	"slices"
	"unsafe"
)

// Share returns root's b, of any length, on all ranks. It is collective.
func Share(c Comm, root int, b []byte) []byte {
	if c.Size() == 1 {
		return b
	}
	var length [8]byte
	binary.LittleEndian.PutUint64(length[:], uint64(len(b)))
	c.Broadcast(root, length[:])
	if c.Rank() != root {
		b = make([]byte, binary.LittleEndian.Uint64(length[:]))
	}
	c.Broadcast(root, b)
	return b
}

// First returns the smallest rank on which what is true, or -1. It is collective.
func First(c Comm, what bool) int {
	least := []int64{int64(-c.Size())}
	if what {
		least[0] = int64(-c.Rank())
	}
	c.Max(least)
	if rank := int(-least[0]); rank < c.Size() {
		return rank
	}
	return -1
}

// Any reports whether what is true on any rank. It is collective.
func Any(c Comm, what bool) bool { return First(c, what) >= 0 }

// Bytes returns x as bytes, in the same memory, for messages. It assumes that all ranks have the same byte order.
func Bytes[T int32 | int64 | float32 | float64](x []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(zero)))
}

// Numbers returns b as numbers, in the same memory unless its alignment does not allow that.
func Numbers[T int32 | int64 | float32 | float64](b []byte) []T {
	if uintptr(unsafe.Pointer(unsafe.SliceData(b)))%8 != 0 {
		b = slices.Clone(b)
	}
	return numbers[T](b)
}
