package kernels

import (
	"hash/crc32"
	"math"
	"math/bits"
	"sync"
)

// fileKernels are the kernels of files: checksums, and checks of offsets and columns.
type fileKernels struct {
	crc     crcKernel
	offsets offsetsKernel
	columns columnsKernel
}

var portableFiles = fileKernels{
	crc:     crcStreamsOf,
	offsets: offsetsRise,
	columns: columnsRise,
}

// OffsetsRise reports whether no element of x is less than the element before it.
func (k *Set) OffsetsRise(x []int64) bool { return k.offsets(x) }

// ColumnsRise reports whether all of col, fewer than 2^31, lie between 0 and cols-1 and each is greater than the one
// before it, except at the beginning of a row. col[0] is entry number from of a matrix. begin holds the numbers of
// the entries with which rows begin, after col[0] up to the last one, in ascending order; several are equal where
// rows are empty. If begin is not of this form, ColumnsRise returns false.
func (k *Set) ColumnsRise(col []int32, begin []int64, from int64, cols int32) bool {
	return len(col) == 0 || k.columns(col, begin, from, cols)
}

type (
	offsetsKernel func(x []int64) bool
	columnsKernel func(col []int32, begin []int64, from int64, cols int32) bool
)

func offsetsRise(x []int64) bool {
	for i := 1; i < len(x); i++ {
		if x[i] < x[i-1] {
			return false
		}
	}
	return true
}

// columnsRise has no branches that are hard to predict: columns may fall as often as rows begin with a fall.
func columnsRise(col []int32, begin []int64, from int64, cols int32) bool {
	last, top := col[0], uint32(col[0]) // negative columns are above all others
	falls := uint32(0)
	for _, j := range col[1:] {
		falls += fall(last, j)
		top = max(top, uint32(j))
		last = j
	}
	before := int64(0) // where the row before begins; empty rows count once
	for _, at := range begin {
		at -= from
		if at < 1 || at >= int64(len(col)) {
			return false
		}
		if at != before {
			falls -= fall(col[at-1], col[at])
		}
		before = at
	}
	return top < uint32(cols) && falls == 0
}

// fall returns 1 if b is not greater than a.
func fall(a, b int32) uint32 { return uint32((int64(b)-int64(a)-1)>>63) & 1 }

// crcStreams streams are read at once, each of crcStream bytes.
const (
	crcStreams = 4
	crcStream  = 1 << 16
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// CRC32C returns the CRC-32C (Castagnoli, RFC 3720) of b, as hash/crc32 does. It is fastest if the length of b is a
// multiple of 256 KiB.
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

// crcKernel advances each of the sums past its stream in b, of n bytes each, a multiple of eight. The sums are
// registers: not inverted, as CRCs are at both ends.
type crcKernel func(b []byte, n int, sums *[crcStreams]uint32)

func crcStreamsOf(b []byte, n int, sums *[crcStreams]uint32) {
	for s := range sums {
		sums[s] = ^crc32.Update(^sums[s], castagnoli, b[s*n:(s+1)*n])
	}
}

// crcMap is a linear map of registers: the image of each bit.
type crcMap [32]uint32

func (m *crcMap) apply(v uint32) (w uint32) {
	for ; v != 0; v &= v - 1 {
		w ^= m[bits.TrailingZeros32(v)]
	}
	return w
}

// pastStream is the map of a register that a stream of zeros causes. It gives the CRC of two concatenated streams
// from the CRCs of both, since CRCs are linear.
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

// PlainAsymmetry is the asymmetry from which a sample of the rows is enough: it is far from
// what rounding leaves.
const PlainAsymmetry = 1e-6

// Asymmetry returns |a - b| relative to the largest of |a|, |b| and scale, NaN if a
// or b is NaN, for an entry and its partner that are not both 0 and scale = sqrt|a_ii a_jj|.
func Asymmetry(a, b, scale float64) float64 {
	return math.Abs(a-b) / max(math.Abs(a), math.Abs(b), scale)
}

// HashEntry is a hash of an entry, by products whose halves are joined: of row, column and the bits of the value.
func HashEntry(i, j, v uint64) uint64 {
	hi, lo := bits.Mul64(v^0xa0761d6478bd642f, (bits.RotateLeft64(i, 32)^j)^0xe7037ed1a0b428db)
	hi, lo = bits.Mul64(hi^lo^0x8ebc6af09c88c6e3, 0x589965cc75374cc3)
	return hi ^ lo
}
