//go:build !purego && (amd64 || arm64)

package kernels

import (
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/kernels/simd"
)

// wordCall holds the arguments of the assembly, with struct word_call of c/words.c.
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

// quadTables holds the source positions of the bytes of four words that are moved to the top of four lanes, by the
// number of bytes of a word: 16 bytes hold two words; 0x80 stands for no byte.
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
	simd.DecodeWordsQuad(unsafe.Pointer(&wordCall{dst: &dst[0], n: len(dst), src: &src[0], words: &w, table: &quadTables[w.Bytes]}))
}

func addRowsWordsQuad(dst []float64, lo, hi int, rowPtr []uint32, col []int32, w Words, src []byte, x []float64) {
	start := int(rowPtr[lo])
	simd.AddRowsQuad(unsafe.Pointer(&wordCall{
		dst: &dst[lo], n: hi - lo, src: &src[start*w.Bytes], words: &w, table: &quadTables[w.Bytes],
		rowPtr: &rowPtr[lo], col: &col[start], x: &x[0],
	}))
}

// limbFunc is a kernel of c/limbs.c.
type limbFunc func(s, a *uint64, step int, b *uint64, count int)

// limbsSIMD makes a kernel from the functions for each of limbSizes; each is the number of b for a number of a.
func limbsSIMD(each int, of [len(limbSizes)]limbFunc) limbKernel {
	return func(size int, s, a []uint64, step int, b []uint64, count int) {
		if count <= 0 {
			return
		}
		// The lengths are checked here, since assembly does not.
		_, _, _ = s[Lanes*(size+1)-1], a[step*(count-1)+Lanes*size-1], b[each*size*count-1]
		of[limbIndex(size)](&s[0], &a[0], step, &b[0], count)
	}
}

// rowLimbsFunc is a kernel of c/limbsrows.c.
type rowLimbsFunc func(s *uint64, ptr *int, rows int, col *int32, entries, x, below *uint64)

// belowLimbs holds masks of MaxLimbs limbs and zeros above them.
var belowLimbs = func() (m [2*MaxLimbs + 14]uint64) {
	for k := range MaxLimbs {
		m[k] = LimbMask
	}
	return m
}()

func rowLimbsSIMD(of [len(limbSizes)]rowLimbsFunc) rowLimbsKernel {
	return func(size int, s []uint64, ptr []int, col []int32, entries, x []uint64) {
		rows := len(ptr) - 1
		if rows <= 0 || len(col) == 0 {
			rowLimbs(size, s, ptr, col, entries, x)
			return
		}
		words, _ := LimbRowWords(size)
		_, _, _ = s[words*rows-1], entries[2*ptr[rows]-1], x[LimbPadding-1]
		of[limbIndex(size)](&s[0], &ptr[0], rows, &col[0], &entries[0], &x[0], &belowLimbs[0])
	}
}
