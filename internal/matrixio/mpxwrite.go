package matrixio

import (
	"bufio"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"

	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

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
