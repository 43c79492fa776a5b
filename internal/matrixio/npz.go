package matrixio

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// A sparse matrix of scipy.sparse.save_npz is a zip archive of arrays: format (csr, csc, coo, bsr or dia), shape,
// data, and the arrays of the format: indices and indptr; row and col; offsets. An archive of numpy.savez with one
// array is a dense matrix.

func beginsNPZ(head []byte) bool { return bytes.HasPrefix(head, []byte("PK\x03\x04")) }

// npz is an opened archive.
type npz struct {
	*source
	members map[string]*zip.File
}

func readNPZ(s *source) (*matrixmarket.Content, error) {
	z, err := s.openNPZ()
	if err != nil {
		return nil, err
	}
	if z.members["format"] == nil || z.members["shape"] == nil {
		return z.oneArray()
	}
	format, err := z.format()
	if err != nil {
		return nil, err
	}
	rows, cols, err := z.shape()
	if err != nil {
		return nil, err
	}
	read := z.sparse(format)
	if read == nil {
		return nil, s.fault("sparse matrices of the format %.20q cannot be read; want csr, csc, coo, bsr or dia", format)
	}
	e, err := read(rows, cols)
	if err != nil {
		return nil, err
	}
	e.Rows, e.Cols = int(rows), int(cols)
	if e.Imag != nil {
		e.Field = matrixmarket.Complex
	}
	return s.content(e)
}

// openNPZ opens the archive, whose directory is at the end.
func (s *source) openNPZ() (*npz, error) {
	at, size, err := s.random()
	if err != nil {
		return nil, err
	}
	r, err := zip.NewReader(at, size)
	if err != nil {
		return nil, s.faultAt(0, "the zip archive cannot be read: %v", err)
	}
	z := &npz{s, map[string]*zip.File{}}
	for _, f := range r.File {
		if name, is := strings.CutSuffix(f.Name, ".npy"); is {
			z.members[name] = f
		}
	}
	if len(z.members) == 0 {
		return nil, s.faultAt(0, "the zip archive holds no arrays of NumPy (.npy)")
	}
	return z, nil
}

// open opens an array and reads its header.
func (z *npz) open(name string) (*source, array, func() error, error) {
	f := z.members[name]
	if f == nil {
		return nil, array{}, nil, z.faultAt(0, "the archive has no array %s.npy; it has %s", name, printable(slices.Sorted(maps.Keys(z.members))...))
	}
	r, err := f.Open()
	if err != nil {
		return nil, array{}, nil, z.faultAt(0, "%s.npy: %v", printable(name), err)
	}
	size := int64(-1)
	if f.Method == zip.Store && f.UncompressedSize64 <= uint64(z.bytes()) {
		size = int64(f.UncompressedSize64)
	}
	s := z.within(printable(name)+".npy", r, size)
	a, err := s.npyHeader()
	if err != nil {
		r.Close()
	}
	return s, a, r.Close, err
}

func (z *npz) format() (string, error) {
	s, a, closing, err := z.open("format")
	if err != nil {
		return "", err
	}
	defer closing()
	return s.npyText(a)
}

// ints reads an array of whole numbers.
func (z *npz) ints(name string) (v []int64, err error) {
	err = z.array(name, 'i', func(s *source, a array, n int64) error {
		v, err = s.integers(n, a.kind, name)
		return err
	})
	return v, err
}

// below reads indices below a limit.
func (z *npz) below(name string, limit int64) (v []int32, err error) {
	err = z.array(name, 'i', func(s *source, a array, n int64) error {
		v, err = indices[int32](s, n, a.kind, limit, name)
		return err
	})
	return v, err
}

// values reads the elements.
func (z *npz) values(n int64) (v, imag []float64, err error) {
	err = z.array("data", 'f', func(s *source, a array, have int64) error {
		if have != n {
			return s.fault("data has %d elements, want %d", have, n)
		}
		v, imag, err = s.floats(n, a.kind, "data")
		return err
	})
	return v, imag, err
}

// array opens an array, checks it and reads its elements by a function; class i means whole numbers.
func (z *npz) array(name string, class byte, read func(s *source, a array, n int64) error) error {
	s, a, closing, err := z.open(name)
	if err != nil {
		return err
	}
	defer closing()
	n := int64(1)
	for _, d := range a.shape {
		if d < 0 || d > 0 && n > (1<<46)/d {
			return s.fault("%s is too large", name)
		}
		n *= d
	}
	if a.text || class == 'i' && !a.whole() || class == 'i' && len(a.shape) != 1 {
		return s.fault("%s is not an array of %s", name, map[byte]string{'i': "whole numbers", 'f': "numbers"}[class])
	}
	if err := z.opt.Fits(z.in.Name, z.bytes(), 8*float64(n), "%s of %d elements", name, n); err != nil {
		return err
	}
	if err := read(s, a, n); err != nil {
		return err
	}
	return s.drain()
}

func (z *npz) shape() (rows, cols int64, err error) {
	shape, err := z.ints("shape")
	if err != nil {
		return 0, 0, err
	}
	if len(shape) != 2 {
		return 0, 0, z.faultAt(0, "shape.npy has %d dimensions, want rows and columns", len(shape))
	}
	return shape[0], shape[1], z.dims(matrixmarket.Header{}, shape[0], shape[1])
}

// oneArray reads an archive that holds one dense array.
func (z *npz) oneArray() (*matrixmarket.Content, error) {
	names := slices.Sorted(maps.Keys(z.members))
	if len(names) > 1 {
		return nil, z.faultAt(0, "the archive holds %d arrays (%s), neither those of a sparse matrix nor a single one", len(names), printable(names...))
	}
	s, a, closing, err := z.open(names[0])
	if err != nil {
		return nil, err
	}
	defer closing()
	c, err := s.npyDense(a)
	if err != nil {
		return nil, err
	}
	return c, s.drain()
}

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
