//go:build !purego

package kernels

func decodeBitsSIMD(dst []float64, src []byte, bytes int, f FloatBits) bool {
	if active < AVX512 || len(dst) == 0 {
		return false
	}
	decodeBitsAVX512(&dst[0], len(dst), &src[0], bytes, &wordTables[bytes], &f)
	return true
}

func decodeFloat32SIMD(dst []float64, src []byte, bytes int) bool {
	if active < AVX512 || len(dst) == 0 {
		return false
	}
	decodeFloat32AVX512(&dst[0], len(dst), &src[0], bytes, &float32Tables[bytes])
	return true
}

func decodeFixedSIMD(dst []float64, src []byte, bytes int, quantum float64) bool {
	if active < AVX512 || len(dst) == 0 {
		return false
	}
	decodeFixedAVX512(&dst[0], len(dst), &src[0], bytes, &wordTables[bytes], quantum)
	return true
}

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
		for i := range 8 {
			for k := range bytes {
				at := i*lane + lane - bytes + k
				t.permutation[at] = byte(i*bytes + k)
				t.used |= 1 << at
			}
		}
	}
	return tables
}

// The loops of decode.go for n > 0 numbers, eight at a time; they touch nothing
// behind the words.

//go:noescape
func decodeBitsAVX512(dst *float64, n int, src *byte, bytes int, table *wordTable, f *FloatBits)

//go:noescape
func decodeFloat32AVX512(dst *float64, n int, src *byte, bytes int, table *wordTable)

//go:noescape
func decodeFixedAVX512(dst *float64, n int, src *byte, bytes int, table *wordTable, quantum float64)
