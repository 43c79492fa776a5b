package matrixio

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// npyMagic begins an array of NumPy. Then follow the version (2 bytes), the length of the header (2 bytes, 4 from
// version 2 on), the header, which is a Python literal such as {'descr': '<f8', 'fortran_order': False, 'shape': (3,
// 4), }, and the elements.
const npyMagic = "\x93NUMPY"

func beginsNPY(head []byte) bool { return bytes.HasPrefix(head, []byte(npyMagic)) }

// array is the header of an array.
type array struct {
	kind
	text    bool // a string; bytes are those of an element
	shape   []int64
	fortran bool // column by column
}

var (
	npyDescr   = regexp.MustCompile(`'descr'\s*:\s*'([<>|=]?)([a-zA-Z])([0-9]*)'`)
	npyFortran = regexp.MustCompile(`'fortran_order'\s*:\s*(True|False)`)
	npyShape   = regexp.MustCompile(`'shape'\s*:\s*\(([0-9L,\s]*)\)`)
)

// longestNPYHeader bounds the header in bytes.
const longestNPYHeader = 1 << 16

// npyHeader reads up to the elements, and sets the byte order.
func (s *source) npyHeader() (a array, err error) {
	var head [12]byte
	if err := s.full(head[:8], "the header of the array"); err != nil {
		return a, err
	}
	if !beginsNPY(head[:]) {
		return a, s.fault("this is no array of NumPy")
	}
	lengthBytes := 2
	if head[6] > 1 {
		lengthBytes = 4
	}
	if err := s.full(head[8:8+lengthBytes], "the header of the array"); err != nil {
		return a, err
	}
	length := int64(binary.LittleEndian.Uint32(head[8:]))
	if length > longestNPYHeader {
		return a, s.fault("a header of %d bytes is too long", length)
	}
	text := make([]byte, length)
	if err := s.full(text, "the header of the array"); err != nil {
		return a, err
	}
	return s.npyFields(string(text))
}

// npyFields reads the literal.
func (s *source) npyFields(text string) (a array, err error) {
	descr, order, shape := npyDescr.FindStringSubmatch(text), npyFortran.FindStringSubmatch(text), npyShape.FindStringSubmatch(text)
	if descr == nil || order == nil || shape == nil {
		return a, s.fault("the header %.60q is not one of an array of numbers", strings.TrimSpace(text))
	}
	size, err := strconv.Atoi("0" + descr[3])
	if err != nil || size > longestNPYHeader {
		return a, s.fault("elements %.60q cannot be read", descr[0])
	}
	a.kind = kind{descr[2][0], size}
	s.order = binary.LittleEndian
	if descr[1] == ">" {
		s.order = binary.BigEndian
	}
	a.fortran = order[1] == "True"
	switch a.letter {
	case 'S', 'a':
		a.text = true
	case 'U':
		a.text, a.bytes = true, 4*size
	default:
		if !a.known() {
			return a, s.fault("elements of type %s%d cannot be read; want whole, real or complex numbers of up to 64 bits", descr[2], size)
		}
	}
	for word := range strings.SplitSeq(shape[1], ",") {
		if word = strings.Trim(word, " L\t\r\n\f"); word == "" {
			continue
		}
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return a, s.fault("the shape %.40q is out of range", shape[1])
		}
		a.shape = append(a.shape, n)
	}
	return a, nil
}

func readNPY(s *source) (*matrixmarket.Content, error) {
	a, err := s.npyHeader()
	if err != nil {
		return nil, err
	}
	return s.npyDense(a)
}

// npyDense reads a dense matrix; an array of one dimension is a column.
func (s *source) npyDense(a array) (*matrixmarket.Content, error) {
	if len(a.shape) < 1 || len(a.shape) > 2 || a.text {
		return nil, s.fault("an array of %d dimensions is no matrix", len(a.shape))
	}
	rows, cols := a.shape[0], int64(1)
	if len(a.shape) == 2 {
		cols = a.shape[1]
	}
	h := matrixmarket.Header{Format: matrixmarket.Array}
	if a.letter == 'c' {
		h.Field = matrixmarket.Complex
	}
	if err := s.dims(h, rows, cols); err != nil {
		return nil, err
	}
	if err := s.fitsDense(rows, cols, a.letter == 'c'); err != nil {
		return nil, err
	}
	v, imag, err := s.floats(rows*cols, a.kind, "the elements")
	if err != nil {
		return nil, err
	}
	if !a.fortran {
		v, imag = byColumns(v, rows, cols), byColumns(imag, rows, cols)
	}
	c := s.dense(rows, cols, v, imag)
	if a.whole() {
		c.Field = matrixmarket.Integer
	}
	return c, nil
}

// npyText reads a string.
func (s *source) npyText(a array) (string, error) {
	if !a.text || len(a.shape) > 1 || a.bytes > 64 {
		return "", s.fault("this is no string")
	}
	b := make([]byte, a.bytes)
	if err := s.full(b, "the string"); err != nil {
		return "", err
	}
	return strings.ReplaceAll(string(b), "\x00", ""), nil
}

// appendNPYHeader appends the header of an array, padded so that elements begin at a multiple of 64 bytes.
func appendNPYHeader(b []byte, descr string, shape ...int) []byte {
	words := make([]string, len(shape))
	for k, n := range shape {
		words[k] = strconv.Itoa(n)
	}
	dims := strings.Join(words, ", ")
	if len(shape) == 1 {
		dims += ","
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", descr, pythonBool(len(shape) == 2), dims)
	pad := 63 - (10+len(text))%64
	text += strings.Repeat(" ", pad) + "\n"
	b = append(b, npyMagic+"\x01\x00"...)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
	return append(b, text...)
}

func pythonBool(v bool) string {
	if v {
		return "True"
	}
	return "False"
}
