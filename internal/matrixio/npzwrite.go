package matrixio

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"io"

	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// writeNPZ writes an archive for scipy.sparse.load_npz, in the format csr; a dense matrix as numpy.savez does, under
// the name arr_0. Members are not compressed, as with save_npz(compressed=False): values hardly shrink, and
// compression would take 20 times as long.
func writeNPZ(w io.Writer, c *matrixmarket.Content, _ WriteOptions) error {
	z := zip.NewWriter(w)
	m := c.Matrix
	members := []npyMember{{"arr_0", func(o *numberWriter) { o.dense(c) }}}
	if m != nil {
		if err := below32(m); err != nil {
			return err
		}
		members = []npyMember{
			{"indices", func(o *numberWriter) { o.header("<i4", len(m.Col)); putAll(o, m.Col) }},
			{"indptr", func(o *numberWriter) {
				o.header("<i4", m.Rows+1)
				for _, p := range rowOffsets(m.RowPtr, m.Rows) {
					putAll(o, []int32{int32(p)})
				}
			}},
			{"format", func(o *numberWriter) { o.header("|S3"); o.bytes([]byte("csr")) }},
			{"shape", func(o *numberWriter) { o.header("<i8", 2); putAll(o, []int64{int64(m.Rows), int64(m.Cols)}) }},
			{"data", func(o *numberWriter) { o.header(descr(c), m.NNZ()); o.complex(m.Val, c.Imag) }},
		}
	}
	for _, member := range members {
		f, err := z.CreateHeader(&zip.FileHeader{Name: member.name + ".npy", Method: zip.Store})
		if err != nil {
			return err
		}
		o := newNPYWriter(f)
		if member.put(o); o.err != nil {
			return o.err
		}
		if err := o.close(); err != nil {
			return err
		}
	}
	return z.Close()
}

// npyMember is a member of an archive.
type npyMember struct {
	name string
	put  func(o *numberWriter)
}

// rowOffsets returns the row offsets of a matrix, which may have none if it has no rows.
func rowOffsets(ptr []int64, rows int) []int64 {
	if rows == 0 {
		return []int64{0}
	}
	return ptr
}

func newNPYWriter(w io.Writer) *numberWriter {
	return &numberWriter{w: bufio.NewWriterSize(w, pieceBytes), order: binary.LittleEndian}
}

// descr returns NumPy's name of the type of the values.
func descr(c *matrixmarket.Content) string {
	if c.Imag != nil {
		return "<c16"
	}
	return "<f8"
}

func (o *numberWriter) bytes(b []byte) {
	if o.err == nil {
		_, o.err = o.w.Write(b)
	}
}

// header writes the header of an array of that shape.
func (o *numberWriter) header(descr string, shape ...int) {
	o.bytes(appendNPYHeader(nil, descr, shape...))
}

// dense writes a dense matrix, a column as an array of one dimension.
func (o *numberWriter) dense(c *matrixmarket.Content) {
	if c.Cols == 1 {
		o.header(descr(c), c.Rows)
	} else {
		o.header(descr(c), c.Rows, c.Cols)
	}
	o.complex(c.Dense, c.Imag)
}

// writeNPY writes a dense matrix.
func writeNPY(w io.Writer, c *matrixmarket.Content, _ WriteOptions) error {
	if c.Matrix != nil {
		return errDenseOnly
	}
	o := newNPYWriter(w)
	o.dense(c)
	return o.close()
}
