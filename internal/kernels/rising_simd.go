//go:build !purego && (amd64 || arm64)

package kernels

import "unsafe"

func crcSIMD(b []byte, n int, sums *[crcStreams]uint32) {
	_ = b[:crcStreams*n]
	crcQuad(first(b), n, sums)
}

func offsetsSIMD(x []int64) bool { return offsetsQuad(whole(x), len(x)) != 0 }

func columnsSIMD(col []int32, begin []int64, from int64, cols int32) bool {
	return columnsQuad(first(col), len(col), whole(begin), len(begin), int(from), int(cols)) != 0
}

// whole is the first element, as a kernel takes it: int has 64 bits here.
func whole(x []int64) *int { return (*int)(unsafe.Pointer(unsafe.SliceData(x))) }
