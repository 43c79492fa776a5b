//go:build !purego && (amd64 || arm64)

package kernels

import (
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/kernels/simd"
)

// quantizeCall is struct quantize_call of c/storing.c.
type quantizeCall struct {
	m     *int64
	width *byte
	v     *float64
	n     int
	scale float64
	zeros int
}

func quantizeScalars(m []int64, width []uint8, v []float64, scale float64) (zeros int) {
	c := quantizeCall{m: first(m), width: first(width), v: first(v), n: len(v), scale: scale}
	simd.QuantizeQuad(unsafe.Pointer(&c))
	return c.zeros
}

// arrangeCall is struct arrange_call of c/storing.c.
type arrangeCall struct {
	from, to *[Lanes]int32
	width    *byte
	col      *int32
	items    *int32
	index    *uint16
	widest   *byte
	slots    int
	base     int
	ones     *[2 * WidthPadding]byte
}

// ones is bytes that are 1 before the middle and 0 after it.
var ones = func() (b [2 * WidthPadding]byte) {
	for k := range WidthPadding {
		b[k] = 1
	}
	return b
}()

func arrangeSlotsQuad(items []int32, index []uint16, widest []uint8, r *Runs, width []uint8, col []int32, base int32) {
	_ = width[:len(width)+WidthPadding] // which may be read
	c := arrangeCall{
		from: &r.From, to: &r.To, width: first(width), col: first(col), items: first(items), index: first(index), widest: first(widest),
		slots: len(widest), base: int(base), ones: &ones,
	}
	simd.ArrangeQuad(unsafe.Pointer(&c))
}

// diagonalsCall is struct diagonals_call of c/storing.c.
type diagonalsCall struct {
	items         *int32
	widest, width *byte
	col, first    *int32
	lanes, slots  int
	same          int
}

func sameDiagonalsVectors(items []int32, widest, width []uint8, col, from []int32) bool {
	_ = width[:len(width)+WidthPadding] // which may be read
	c := diagonalsCall{items: first(items), widest: first(widest), width: first(width), col: first(col), first: first(from), lanes: len(from), slots: len(widest)}
	simd.DiagonalsQuad(unsafe.Pointer(&c))
	return c.same != 0
}

// blockWidthsCall is struct block_widths_call of c/storing.c.
type blockWidthsCall struct {
	widest, width     *byte
	blocks, stride, b int
}

func blockWidthsVectors(widest, width []uint8, stride, b int) {
	_ = width[:len(width)+WidthPadding] // which may be read
	c := blockWidthsCall{widest: first(widest), width: first(width), blocks: len(widest), stride: stride, b: b}
	simd.BlockWidthsQuad(unsafe.Pointer(&c))
}

// mirrorCall is struct mirror_call of c/storing.c.
type mirrorCall struct {
	first, col *int32
	m          *int64
	weights    *uint64
	rows, row  int
	sum        uint64
}

func mirrorScalars(from, col []int32, m []int64, weights []uint64, row int) uint64 {
	c := mirrorCall{first: &from[0], col: first(col), m: first(m), weights: first(weights), rows: len(from) - 1, row: row}
	simd.MirrorQuad(unsafe.Pointer(&c))
	return c.sum
}

// packTable holds constants to pack slots of one width, see struct pack_table of c/storing.c.
type packTable struct {
	bytes      [64]byte
	up, down   [Lanes]uint64
	mask, flip uint64
	offset     [Lanes]byte
	_          [40]byte
}

var packTables = newPackTables()

func newPackTables() (t [MaxSlotWidth + 1]packTable) {
	for w := 1; w <= MaxSlotWidth; w++ {
		t[w].mask, t[w].flip = 1<<w-1, flipped(w)
		for l := range Lanes {
			bit := l * w
			t[w].offset[l], t[w].up[l], t[w].down[l] = byte(bit/8), uint64(bit%8), uint64(w-bit%8)
			for k := bit / 8; k < 64; k++ { // up to the next lane
				t[w].bytes[k] = byte(8*l + min(k-bit/8, 7))
			}
		}
	}
	return t
}

// noElements provides the zeros of lanes without an item.
var noElements [MaxBlock]int64

// packCall is struct pack_call of c/storing.c.
type packCall struct {
	to            [MaxBlock]*byte
	m             *int64
	items, stride *int32
	widths        *byte
	slots, block  int
	tables        *[MaxSlotWidth + 1]packTable
	zeros         *[MaxBlock]int64
}

func newPackCall(m []int64, items *int32, widths []uint8) packCall {
	return packCall{m: first(m), items: items, widths: first(widths), slots: len(widths), tables: &packTables, zeros: &noElements}
}

func packSlotsQuad(even, odd []byte, m []int64, items []int32, widths []uint8) {
	c := newPackCall(m, first(items), widths)
	c.to[0], c.to[1] = first(even), first(odd)
	simd.PackQuad(unsafe.Pointer(&c))
}

func packBlocksVectors(to *[MaxBlock][]byte, m []int64, items *BlockItems, b, w int) {
	width := [1]byte{byte(w)}
	c := newPackCall(m, &items.First[0], width[:])
	c.blocks(to, items, b)
	simd.PackBlocksQuad(unsafe.Pointer(&c))
}

// blocks sets the fields that only blocks use.
func (c *packCall) blocks(to *[MaxBlock][]byte, items *BlockItems, b int) {
	c.stride, c.block = &items.Stride[0], b
	for i := range b {
		c.to[i] = first(to[i])
	}
}

func absSumsVectors(sums []float64, rowPtr []int64, val []float64) {
	simd.AbsSumsQuad(first(sums), (*int)(unsafe.Pointer(&rowPtr[0])), first(val), len(sums))
}

func crcSIMD(b []byte, n int, sums *[crcStreams]uint32) {
	_ = b[:crcStreams*n]
	simd.CrcQuad(first(b), n, sums)
}

func offsetsSIMD(x []int64) bool { return simd.OffsetsQuad(whole(x), len(x)) != 0 }

func columnsSIMD(col []int32, begin []int64, from int64, cols int32) bool {
	return simd.ColumnsQuad(first(col), len(col), whole(begin), len(begin), int(from), int(cols)) != 0
}

// whole returns the first element for a kernel: int has 64 bits here.
func whole(x []int64) *int { return (*int)(unsafe.Pointer(unsafe.SliceData(x))) }

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
