package matrixio

import (
	"bufio"
	"encoding/binary"
	"io"

	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// writePETSc writes a matrix, or a vector if it has one column and is dense, with whole numbers of 32 bits.
func writePETSc(w io.Writer, c *matrixmarket.Content, _ WriteOptions) error {
	out := &numberWriter{w: bufio.NewWriterSize(w, pieceBytes), order: binary.BigEndian}
	m := c.Matrix
	switch {
	case m != nil:
		if err := below32(m); err != nil {
			return err
		}
		putAll(out, []int32{petscMatrix, int32(m.Rows), int32(m.Cols), int32(m.NNZ())})
		for i := range m.Rows {
			putAll(out, []int32{int32(m.RowPtr[i+1] - m.RowPtr[i])})
		}
		putAll(out, m.Col)
		out.complex(m.Val, c.Imag)
	case c.Cols == 1:
		putAll(out, []int32{petscVector, int32(c.Rows)})
		out.complex(c.Dense, c.Imag)
	default:
		putAll(out, []int32{petscMatrix, int32(c.Rows), int32(c.Cols), -1})
		rows := int64(c.Rows)
		out.complex(byColumns(c.Dense, int64(c.Cols), rows), byColumns(c.Imag, int64(c.Cols), rows))
	}
	return out.close()
}

// numberWriter writes numbers in a byte order, and keeps its first error.
type numberWriter struct {
	w     *bufio.Writer
	order binary.AppendByteOrder
	buf   []byte
	err   error
}

// putAll writes numbers.
func putAll[T int64 | int32 | float64](o *numberWriter, v []T) {
	const some = 4096
	for k := 0; k < len(v) && o.err == nil; k += some {
		o.buf = appendNumbers(o.buf[:0], o.order, v[k:min(k+some, len(v))])
		_, o.err = o.w.Write(o.buf)
	}
}

// complex writes values, each followed by its imaginary part if there is one.
func (o *numberWriter) complex(v, imag []float64) {
	if imag == nil {
		putAll(o, v)
		return
	}
	for k := range v {
		putAll(o, []float64{v[k], imag[k]})
	}
}

func (o *numberWriter) close() error {
	if o.err != nil {
		return o.err
	}
	return o.w.Flush()
}
