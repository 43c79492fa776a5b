package kernels

import (
	"hash/crc32"
	"math/bits"
	"sync"
)

// crcStreams are read at once, each of crcStream bytes.
const (
	crcStreams = 4
	crcStream  = 1 << 16
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// CRC32C returns the CRC-32C (Castagnoli, RFC 3720) of b, that of hash/crc32. It is fastest where b has a multiple of 256 KiB.
func (k *Set) CRC32C(b []byte) uint32 {
	crc := uint32(0)
	for ; len(b) >= crcStreams*crcStream; b = b[crcStreams*crcStream:] {
		sums := [crcStreams]uint32{^crc}
		k.crc(b[:crcStreams*crcStream], crcStream, hide(&sums))
		for _, next := range sums[1:] {
			sums[0] = pastStream().apply(sums[0]) ^ next
		}
		crc = ^sums[0]
	}
	return crc32.Update(crc, castagnoli, b)
}

// crcKernel brings each of the sums, of a stream each of n bytes, a multiple of eight, of b, past its stream. Sums are registers: not inverted as CRCs
// are at either end.
type crcKernel func(b []byte, n int, sums *[crcStreams]uint32)

func crcStreamsOf(b []byte, n int, sums *[crcStreams]uint32) {
	for s := range sums {
		sums[s] = ^crc32.Update(^sums[s], castagnoli, b[s*n:(s+1)*n])
	}
}

// crcMap is a linear map of registers: what becomes of each bit.
type crcMap [32]uint32

func (m *crcMap) apply(v uint32) (w uint32) {
	for ; v != 0; v &= v - 1 {
		w ^= m[bits.TrailingZeros32(v)]
	}
	return w
}

// pastStream is the map that a stream of zeros is. With it the CRC of two streams follows from those of each, since all is linear.
var pastStream = sync.OnceValue(func() *crcMap {
	var m crcMap
	for k := range m {
		m[k] = ^crc32.Update(^(1 << k), castagnoli, make([]byte, 1))
	}
	for n := 1; n < crcStream; n *= 2 {
		half := m
		for k := range m {
			m[k] = half.apply(half[k])
		}
	}
	return &m
})
