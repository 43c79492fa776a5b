package matrixio

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// A .mpx file is little endian: a header of 256 bytes; arrays, each of which begins at a multiple of 64 bytes, with
// zeros in between; a CRC-32C of each block of 256 KiB of everything after the header, 4 bytes each; and the CRC-32C
// of these checksums. docs/formats.md describes every byte.
//
// For a sparse matrix the arrays are the row offsets (rows+1 numbers of 64 bits), columns (32 bits), values and
// imaginary parts (float64): both triangles, as in csr.Matrix, so that they only need to be checked. For a dense
// matrix they are values and imaginary parts, column by column.
const (
	mpxMagic   = "\x89MPX\r\n\x1a\n" // damaged by any conversion of line ends
	mpxVersion = 1
	mpxHeader  = 256
	mpxAlign   = 64
	mpxBlock   = 1 << 18
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// mpxHead is the header.
type mpxHead struct {
	matrixmarket.Header
	rows, cols, entries int64 // entries of the arrays
	nonFinite           int64 // values that are not finite, for a warning
}

func beginsMPX(head []byte) bool { return bytes.HasPrefix(head, []byte(mpxMagic[:4])) }

// encode returns the bytes of the header.
func (h *mpxHead) encode() []byte {
	b := make([]byte, mpxHeader)
	copy(b, mpxMagic)
	binary.LittleEndian.PutUint32(b[8:], mpxVersion)
	b[12], b[13], b[14] = byte(h.Format), byte(h.Field), byte(h.Symmetry)
	binary.LittleEndian.PutUint64(b[16:], uint64(h.rows))
	binary.LittleEndian.PutUint64(b[24:], uint64(h.cols))
	binary.LittleEndian.PutUint64(b[32:], uint64(h.entries))
	binary.LittleEndian.PutUint64(b[40:], uint64(h.layout().size))
	binary.LittleEndian.PutUint64(b[48:], uint64(h.nonFinite))
	binary.LittleEndian.PutUint32(b[mpxHeader-4:], crc32.Checksum(b[:mpxHeader-4], castagnoli))
	return b
}

// decode reads a header; it returns "" or what is wrong with it.
func (h *mpxHead) decode(b []byte) string {
	le := binary.LittleEndian
	switch {
	case string(b[:8]) != mpxMagic:
		return "the first 8 bytes have been changed: was the file copied as text?"
	case crc32.Checksum(b[:mpxHeader-4], castagnoli) != le.Uint32(b[mpxHeader-4:]):
		return "the header is damaged: its checksum is wrong"
	case le.Uint32(b[8:]) != mpxVersion:
		return "the file is of a later version of mpsolve"
	}
	h.Header = matrixmarket.Header{Format: matrixmarket.Format(b[12]), Field: matrixmarket.Field(b[13]), Symmetry: matrixmarket.Symmetry(b[14])}
	h.rows, h.cols, h.entries = int64(le.Uint64(b[16:])), int64(le.Uint64(b[24:])), int64(le.Uint64(b[32:]))
	h.nonFinite = int64(le.Uint64(b[48:]))
	switch {
	case h.Format > matrixmarket.Array || h.Field > matrixmarket.Complex || h.Symmetry > matrixmarket.Hermitian:
		return "the header names an unknown kind of matrix"
	case h.rows < 0 || h.cols < 0 || h.entries < 0 || max(h.rows, h.cols, h.entries) > maxSize || h.nonFinite < 0:
		return "the header has sizes that are out of range"
	case h.Format == matrixmarket.Coordinate && h.cols > csr.MaxDim:
		return "the header of a sparse matrix has more columns than numbers of 32 bits count"
	case h.Format == matrixmarket.Array && float64(h.rows)*float64(h.cols) != float64(h.entries):
		return "the header of a dense matrix has another number of elements than rows times columns"
	case le.Uint64(b[40:]) != uint64(h.layout().size):
		return "the header has a size of the file that its other sizes contradict"
	}
	return ""
}

// mpxLayout holds the positions of the arrays in the file.
type mpxLayout struct {
	ptr, col, val, imag int64 // where they begin
	sums                int64 // where arrays end and checksums begin
	size                int64 // of the file
}

// layout returns the positions of the arrays.
func (h *mpxHead) layout() (l mpxLayout) {
	at := int64(mpxHeader)
	next := func(n, bytes int64) (from int64) {
		from = at
		at = (at + n*bytes + mpxAlign - 1) &^ (mpxAlign - 1)
		return from
	}
	l.ptr = at
	if h.Format == matrixmarket.Coordinate {
		l.ptr, l.col = next(h.rows+1, 8), next(h.entries, 4)
	}
	l.val = next(h.entries, 8)
	if h.Field == matrixmarket.Complex {
		l.imag = next(h.entries, 8)
	}
	l.sums = at
	l.size = at + 4*(l.blocks()+1)
	return l
}

// blocks returns the number of checksums.
func (l *mpxLayout) blocks() int64 { return (l.sums - mpxHeader + mpxBlock - 1) / mpxBlock }

// writeMPX writes header, arrays and checksums.
func writeMPX(w io.Writer, c *matrixmarket.Content, _ WriteOptions) error {
	h := mpxHead{Header: matrixmarket.Header{Format: matrixmarket.Array, Field: c.Field}, rows: int64(c.Rows), cols: int64(c.Cols), entries: int64(len(c.Dense)), nonFinite: c.NonFinite}
	values := c.Dense
	if c.Matrix != nil {
		h.Format, h.Symmetry, h.entries, values = matrixmarket.Coordinate, Symmetry(c), int64(c.Matrix.NNZ()), c.Matrix.Val
	}
	if _, err := w.Write(h.encode()); err != nil {
		return err
	}
	body := &mpxBody{w: bufio.NewWriterSize(w, mpxBlock)}
	if c.Matrix != nil {
		putNumbers(body, c.Matrix.RowPtr)
		putNumbers(body, c.Matrix.Col)
	}
	putNumbers(body, values)
	if h.Field == matrixmarket.Complex {
		putNumbers(body, c.Imag)
	}
	return body.close()
}

// mpxBody writes everything after the header, in blocks whose checksums it keeps. It keeps its first error.
type mpxBody struct {
	w     *bufio.Writer
	block []byte // bytes of the current block so far
	sums  []byte
	bytes int64 // in total
	err   error
}

// add appends bytes.
func (b *mpxBody) add(v []byte) {
	b.bytes += int64(len(v))
	for len(v) > 0 {
		n := min(len(v), mpxBlock-len(b.block))
		b.block = append(b.block, v[:n]...)
		if v = v[n:]; len(b.block) == mpxBlock {
			b.flush()
		}
	}
}

// flush writes the block.
func (b *mpxBody) flush() {
	b.sums = binary.LittleEndian.AppendUint32(b.sums, crc32.Checksum(b.block, castagnoli))
	if b.err == nil {
		_, b.err = b.w.Write(b.block)
	}
	b.block = b.block[:0]
}

// close writes the rest and the checksums.
func (b *mpxBody) close() error {
	if len(b.block) > 0 {
		b.flush()
	}
	b.sums = binary.LittleEndian.AppendUint32(b.sums, crc32.Checksum(b.sums, castagnoli))
	if b.err == nil {
		_, b.err = b.w.Write(b.sums)
	}
	if b.err == nil {
		b.err = b.w.Flush()
	}
	return b.err
}

// putNumbers appends an array and the padding after it.
func putNumbers[T int64 | int32 | float64](b *mpxBody, v []T) {
	var buf []byte
	const some = 4096
	for k := 0; k < len(v) && b.err == nil; k += some {
		buf = appendNumbers(buf[:0], binary.LittleEndian, v[k:min(k+some, len(v))])
		b.add(buf)
	}
	b.add(make([]byte, -b.bytes&(mpxAlign-1)))
}

// appendNumbers appends numbers in a byte order.
func appendNumbers[T int64 | int32 | float64](buf []byte, order binary.AppendByteOrder, v []T) []byte {
	for _, x := range v {
		switch x := any(x).(type) {
		case int64:
			buf = order.AppendUint64(buf, uint64(x))
		case int32:
			buf = order.AppendUint32(buf, uint32(x))
		case float64:
			buf = order.AppendUint64(buf, math.Float64bits(x))
		}
	}
	return buf
}
