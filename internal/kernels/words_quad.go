//go:build !purego && (amd64 || arm64)

package kernels

// wordCall is the arguments of the assembly, with struct word_call of c/words.c.
type wordCall struct {
	dst    *float64
	n      int // of numbers, or of rows
	src    *byte
	words  *Words
	table  *[32]byte
	rowPtr *uint32
	col    *int32
	x      *float64
}

// quadTables say where the bytes of four words come from that are moved to the top of four
// lanes, for words of so many bytes: two words are in 16 bytes, or none where it is 0x80.
var quadTables = newQuadTables()

func newQuadTables() (tables [9][32]byte) {
	for bytes := 1; bytes <= 8; bytes++ {
		for l := range 4 {
			for k := range 8 {
				at := 0x80
				if from := k - (8 - bytes); from >= 0 {
					at = l%2*bytes + from
				}
				tables[bytes][8*l+k] = byte(at)
			}
		}
	}
	return tables
}

func decodeQuad(dst []float64, src []byte, w Words) {
	decodeWordsQuad(&wordCall{dst: &dst[0], n: len(dst), src: &src[0], words: &w, table: &quadTables[w.Bytes]})
}

func addRowsWordsQuad(dst []float64, lo, hi int, rowPtr []uint32, col []int32, w Words, src []byte, x []float64) {
	start := int(rowPtr[lo])
	addRowsQuad(&wordCall{
		dst: &dst[lo], n: hi - lo, src: &src[start*w.Bytes], words: &w, table: &quadTables[w.Bytes],
		rowPtr: &rowPtr[lo], col: &col[start], x: &x[0],
	})
}
