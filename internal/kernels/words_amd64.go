//go:build !purego

package kernels

// wordTable moves the bytes of eight words to the top of eight lanes: byte k of
// the lanes is byte permutation[k] of the words where bit k of used is set, and
// zero elsewhere.
type wordTable struct {
	permutation [64]byte
	used        uint64
}

// The tables for words of so many bytes, in lanes of eight and of four bytes.
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

// Words.Decode for n > 0 numbers.

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
