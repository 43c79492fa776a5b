package matrixio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/zlib"

	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// A MAT-file of level 5 has a header of 128 bytes and an element for each variable, as MathWorks' "MAT-File Format"
// describes: type and length, 4 bytes each, and so many bytes, padded to a multiple of 8. A variable is an element of
// the type matrix, or is compressed by zlib.
const (
	matHeaderBytes = 128
	matVersion     = 0x0100
	matVersion73   = 0x0200 // HDF5 after the same header

	matMatrix     = 14 // types of elements that are not numbers
	matCompressed = 15

	matStruct = 2 // classes of variables
	matSparse = 5
	matDouble = 6 // the first numeric class and
	matUint64 = 15
)

// matKinds maps types of elements to kinds of numbers.
var matKinds = map[uint32]kind{
	1: {'i', 1}, 2: {'u', 1}, 3: {'i', 2}, 4: {'u', 2}, 5: {'i', 4}, 6: {'u', 4}, 7: {'f', 4}, 9: {'f', 8}, 12: {'i', 8}, 13: {'u', 8}, 16: {'u', 1},
}

// matOrder returns the byte order and the version in a header; nil if it is not a header.
func matOrder(head []byte) (order binary.ByteOrder, version uint16) {
	if len(head) < matHeaderBytes {
		return nil, 0
	}
	switch string(head[126:128]) {
	case "IM":
		order = binary.LittleEndian
	case "MI":
		order = binary.BigEndian
	default:
		return nil, 0
	}
	return order, order.Uint16(head[124:])
}

func beginsMAT(head []byte) bool {
	order, version := matOrder(head)
	return order != nil && (version == matVersion || version == matVersion73)
}

// matVariable is a variable, or a field of a struct.
type matVariable struct {
	name    string
	class   byte
	complex bool
	dims    []int64
}

// numeric reports whether the variable is a matrix of numbers.
func (v *matVariable) numeric() bool {
	return (v.class == matSparse || v.class >= matDouble && v.class <= matUint64) && len(v.dims) == 2
}

// readMAT reads the only sparse matrix of the file, or the one named A, otherwise the only dense one; also within a
// struct, such as Problem.A of the SuiteSparse collection.
func readMAT(s *source) (*matrixmarket.Content, error) {
	at, size, err := s.random()
	if err != nil {
		return nil, err
	}
	var variables []matVariable
	err = s.walkMAT(at, size, func(_ *source, v *matVariable) error {
		if v.numeric() {
			variables = append(variables, *v)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	wanted, alike, err := s.pick(variables)
	if err != nil {
		return nil, err
	}
	var c *matrixmarket.Content
	err = s.walkMAT(at, size, func(t *source, v *matVariable) (err error) {
		if v.name != wanted {
			return nil
		}
		if c, err = t.matContent(v); err != nil {
			return err
		}
		if t.part != "" {
			if err = t.drain(); err != nil {
				return err
			}
		}
		return errFound
	})
	if err != nil && !errors.Is(err, errFound) {
		return nil, err
	}
	if alike > 1 {
		c.Warnings = append([]string{fmt.Sprintf("the file holds %d such matrices: %s is read", alike, wanted)}, c.Warnings...)
	}
	return c, nil
}

// errFound ends the walk at the wanted variable.
var errFound = errors.New("found")

// pick returns the name of the variable to read, and the number of variables like it.
func (s *source) pick(variables []matVariable) (name string, alike int, err error) {
	sparse := slices.DeleteFunc(slices.Clone(variables), func(v matVariable) bool { return v.class != matSparse })
	from := variables
	if len(sparse) > 0 {
		from = sparse
	}
	var names []string
	for _, v := range from {
		if v.name == "A" || strings.HasSuffix(v.name, ".A") {
			return v.name, len(from), nil
		}
		names = append(names, fmt.Sprintf("%s (%d x %d)", v.name, v.dims[0], v.dims[1]))
	}
	switch len(from) {
	case 0:
		return "", 0, s.faultAt(0, "the file holds no matrix of numbers")
	case 1:
		return from[0].name, 1, nil
	}
	return "", 0, s.faultAt(0, "the file holds %d matrices, and none is named A: %s", len(from), printable(names...))
}

// walkMAT calls visit for each variable, and each field of a struct, with the source after its name.
func (s *source) walkMAT(at io.ReaderAt, size int64, visit func(t *source, v *matVariable) error) error {
	t := s.within("", io.NewSectionReader(at, 0, size), size)
	head := make([]byte, matHeaderBytes)
	if err := t.full(head, "the header"); err != nil {
		return err
	}
	order, version := matOrder(head)
	switch {
	case version == matVersion73:
		return s.faultAt(124, "files of save -v7.3 are HDF5, which is not read: use save -v7")
	case order == nil || version != matVersion:
		return s.faultAt(124, "this is no MATLAB file of level 5")
	}
	t.order = order
	for number := 1; t.at < size; number++ {
		e, err := t.matElement("an element")
		if err != nil {
			return err
		}
		end := t.at + e.bytes
		if end > size {
			return t.fault("the file ends within variable %d", number)
		}
		switch e.kind {
		case matCompressed:
			err = t.walkCompressed(number, e.bytes, visit)
			t.at = end
		case matMatrix:
			err = t.walkMatrix("", e.bytes, visit)
		}
		if err != nil {
			return err
		}
		if e.kind != matCompressed {
			end = min(size, (end+7)&^7)
		}
		t.r = io.NewSectionReader(at, end, size-end)
		t.at = end
	}
	return nil
}

// walkCompressed walks through a compressed variable of so many bytes.
func (s *source) walkCompressed(number int, bytes int64, visit func(t *source, v *matVariable) error) error {
	part := fmt.Sprintf("variable %d, unpacked", number)
	z, err := zlib.NewReader(io.LimitReader(s.r, bytes))
	if err != nil {
		return s.fault("variable %d: %v", number, err)
	}
	defer z.Close()
	t := s.within(part, z, -1)
	e, err := t.matElement("an element")
	if err != nil {
		return err
	}
	if e.kind != matMatrix {
		return t.fault("an element of type %d is no variable", e.kind)
	}
	return t.walkMatrix("", e.bytes, visit)
}

// walkMatrix reads the head of a variable of so many bytes, and visits it.
func (s *source) walkMatrix(name string, bytes int64, visit func(t *source, v *matVariable) error) error {
	end := s.at + bytes
	if bytes == 0 {
		return nil // an empty field
	}
	v, err := s.matVariable()
	if err != nil {
		return err
	}
	inStruct := name != ""
	if !inStruct {
		name = v.name
	}
	v.name = name
	if v.class == matStruct && !inStruct && product(v.dims) == 1 {
		err = s.walkStruct(v, visit)
	} else {
		err = visit(s, v)
	}
	if err != nil {
		return err
	}
	if s.at > end {
		return s.fault("variable %.40q is longer than declared", name)
	}
	if !inStruct {
		return nil // the caller continues at its end
	}
	return s.skip(end-s.at, "a variable")
}

// walkStruct visits the fields of a struct.
func (s *source) walkStruct(v *matVariable, visit func(t *source, v *matVariable) error) error {
	lengths, err := s.matIntegers(1, "the length of field names")
	if err != nil {
		return err
	}
	if len(lengths) != 1 || lengths[0] < 1 || lengths[0] > 1024 {
		return s.fault("the length of field names is out of range")
	}
	names, err := s.matIntegers(1<<20, "the field names")
	if err != nil {
		return err
	}
	for n := int(lengths[0]); len(names) >= n; names = names[n:] {
		e, err := s.matElement("a field")
		if err != nil {
			return err
		}
		if e.kind != matMatrix {
			return s.fault("an element of type %d is no field", e.kind)
		}
		if err := s.walkMatrix(v.name+"."+matText(names[:n]), e.bytes, visit); err != nil {
			return err
		}
	}
	return nil
}

// matVariable reads class, dimensions and name.
func (s *source) matVariable() (*matVariable, error) {
	flags, err := s.matIntegers(2, "the flags of a variable")
	if err != nil {
		return nil, err
	}
	if len(flags) != 2 {
		return nil, s.fault("a variable has %d flags, want 2", len(flags))
	}
	dims, err := s.matIntegers(64, "the dimensions of a variable")
	if err != nil {
		return nil, err
	}
	name, err := s.matIntegers(1024, "the name of a variable")
	if err != nil {
		return nil, err
	}
	return &matVariable{name: matText(name), class: byte(flags[0]), complex: flags[0]&0x800 != 0, dims: dims}, nil
}

// matText returns a string without zeros at its end, in a form for messages.
func matText(codes []int64) string {
	var b strings.Builder
	for _, c := range codes {
		if c == 0 {
			break
		}
		b.WriteByte(byte(c))
	}
	return printable(b.String())
}

func product(dims []int64) (n int64) {
	n = 1
	for _, d := range dims {
		n *= d
	}
	return n
}
