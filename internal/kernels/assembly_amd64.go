//go:build !purego

package kernels

import (
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/kernels/simd"
)

func mulChunksAVX512(c *Chunks, p ChunkProduct) {
	call := newChunkCall(c, &p)
	if c.Floats != nil {
		chunksFloatAVX512(&call, first(c.Floats))
	} else {
		chunksIntAVX512(&call, first(c.Ints))
	}
}

//go:noescape
func chunksIntAVX512(c *chunkCall, values *int16)

//go:noescape
func chunksFloatAVX512(c *chunkCall, values *float32)

// wordTable moves the bytes of eight words to the top of eight lanes: byte k of the lanes is byte permutation[k] of
// the words where bit k of used is set, and zero elsewhere.
type wordTable struct {
	permutation [64]byte
	used        uint64
}

// The tables for words of each number of bytes, in lanes of eight and of four bytes.
var (
	wordTables    = newWordTables(8)
	float32Tables = newWordTables(4)
)

func newWordTables(lane int) (tables [9]wordTable) {
	for bytes := 1; bytes <= lane; bytes++ {
		t := &tables[bytes]
		for i := range Lanes {
			for k := range bytes {
				at := i*lane + lane - bytes + k
				t.permutation[at] = byte(i*bytes + k)
				t.used |= 1 << at
			}
		}
	}
	return tables
}

func decodeAVX512(dst []float64, src []byte, w Words) {
	switch w.Kind {
	case Float32:
		decodeFloat32AVX512(&dst[0], len(dst), &src[0], &w, &float32Tables[w.Bytes])
	case Fixed:
		decodeFixedAVX512(&dst[0], len(dst), &src[0], &w, &wordTables[w.Bytes])
	case Scaled:
		decodeScaledAVX512(&dst[0], len(dst), &src[0], &w, &wordTables[w.Bytes])
	default:
		decodeBitsAVX512(&dst[0], len(dst), &src[0], &w, &wordTables[w.Bytes])
	}
}

func addRowsAVX512(dst []float64, lo, hi int, rowPtr []uint32, col []int32, w Words, src []byte, x []float64) {
	n, start := hi-lo, int(rowPtr[lo])
	to, ptr, from, words := &dst[lo], &rowPtr[lo], &col[start], &src[start*w.Bytes]
	switch w.Kind {
	case Float32:
		rowsFloat32AVX512(to, n, ptr, from, words, &x[0], &w, &float32Tables[w.Bytes])
	case Fixed:
		rowsFixedAVX512(to, n, ptr, from, words, &x[0], &w, &wordTables[w.Bytes])
	case Scaled:
		rowsScaledAVX512(to, n, ptr, from, words, &x[0], &w, &wordTables[w.Bytes])
	default:
		rowsBitsAVX512(to, n, ptr, from, words, &x[0], &w, &wordTables[w.Bytes])
	}
}

// Decode for n > 0 numbers.

//go:noescape
func decodeBitsAVX512(dst *float64, n int, src *byte, w *Words, table *wordTable)

//go:noescape
func decodeFloat32AVX512(dst *float64, n int, src *byte, w *Words, table *wordTable)

//go:noescape
func decodeFixedAVX512(dst *float64, n int, src *byte, w *Words, table *wordTable)

//go:noescape
func decodeScaledAVX512(dst *float64, n int, src *byte, w *Words, table *wordTable)

// AddRows for n > 0 rows; col and src begin with the first row.

//go:noescape
func rowsBitsAVX512(dst *float64, n int, rowPtr *uint32, col *int32, src *byte, x *float64, w *Words, table *wordTable)

//go:noescape
func rowsFloat32AVX512(dst *float64, n int, rowPtr *uint32, col *int32, src *byte, x *float64, w *Words, table *wordTable)

//go:noescape
func rowsFixedAVX512(dst *float64, n int, rowPtr *uint32, col *int32, src *byte, x *float64, w *Words, table *wordTable)

//go:noescape
func rowsScaledAVX512(dst *float64, n int, rowPtr *uint32, col *int32, src *byte, x *float64, w *Words, table *wordTable)

func termsSIMD(kernel func(col *int32, val *float64, room int, j *int32, f *float64, n int, part *Rows, shift uint) (rows, terms int)) termsKernel {
	return func(col []int32, val []float64, j []int32, f []float64, part []Rows, shift uint) (rows, terms int) {
		return kernel(&col[0], &val[:len(col)][0], len(col), &j[0], &f[:len(j)][0], len(j), &part[0], shift)
	}
}

func addTermsSIMD(kernel func(place, col *int32, val *float64, c *int32, p *float64, n int) int) addTermsKernel {
	return func(place, col []int32, val []float64, c []int32, p []float64) int {
		return kernel(&place[0], &col[0], &val[0], &c[0], &p[0], len(c))
	}
}

//go:noescape
func termsAVX2(col *int32, val *float64, room int, j *int32, f *float64, n int, part *Rows, shift uint) (rows, terms int)

//go:noescape
func addTermsAVX2(place, col *int32, val *float64, c *int32, p *float64, n int) int

// residualGroups leaves groups of rows of unlike lengths to the portable loop.
func residualGroups(r, b []float64, lo, hi int, rowPtr []int64, col []int32, val, x []float64) {
	for lo < hi {
		end := evenRows(rowPtr, lo, hi)
		if end > lo {
			residualAVX512(&r[lo], &b[lo], (end-lo)/8, &rowPtr[lo], &col[0], &val[0], &x[0])
			lo = end
		}
		if end = min(lo+8, hi); end > lo {
			csrResidualDD(r, b, lo, end, rowPtr, col, val, x)
			lo = end
		}
	}
}

// evenRows returns the end of the rows from lo on that have about the same length within each group of eight rows,
// whose sums all take as many steps as the longest row.
func evenRows(rowPtr []int64, lo, hi int) int {
	for ; lo+8 <= hi; lo += 8 {
		ends := rowPtr[lo : lo+9]
		longest := ends[1] - ends[0]
		for k := 1; k < 8; k++ {
			longest = max(longest, ends[k+1]-ends[k])
		}
		if all := ends[8] - ends[0]; all == 0 || 2*longest > all {
			break
		}
	}
	return lo
}

//go:noescape
func residualAVX512(r, b *float64, groups int, rowPtr *int64, col *int32, val, x *float64)

func quantizeVectors(m []int64, width []uint8, v []float64, scale float64) int {
	if len(v) == 0 {
		return 0
	}
	return quantizeAVX512(&m[0], &width[0], &v[0], len(v), scale)
}

//go:noescape
func quantizeAVX512(m *int64, width *uint8, v *float64, n int, scale float64) (zeros int)

func packSlotsOct(even, odd []byte, m []int64, items []int32, widths []uint8) {
	c := newPackCall(m, first(items), widths)
	c.to[0], c.to[1] = first(even), first(odd)
	simd.PackOct(unsafe.Pointer(&c))
}

func packBlocksVectorsOct(to *[MaxBlock][]byte, m []int64, items *BlockItems, b, w int) {
	width := [1]byte{byte(w)}
	c := newPackCall(m, &items.First[0], width[:])
	c.blocks(to, items, b)
	simd.PackBlocksOct(unsafe.Pointer(&c))
}
