package matrixio

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// Files of the Harwell-Boeing collection ([Duff92]) and of the Rutherford-Boeing collection ([Duff97]) have columns,
// rows and values in lines of 80 bytes, as Fortran formats in their header describe. Only Harwell-Boeing files may
// have right-hand sides after the matrix.

// hbText is the text of a file, line by line.
type hbText struct {
	*source
	in    *bufio.Reader
	line  int64
	words [][]byte // of the line that was read last
	apart bool     // some numbers are not in the columns of their format
}

// longestHBLine bounds a line in bytes.
const longestHBLine = 1 << 12

// hbHeader is the header.
type hbHeader struct {
	matrixmarket.Header
	rows, cols, entries int64
	pointers, indices   fortran
	values              fortran
	rhs                 hbRHS
}

func beginsHB(head []byte) bool {
	lines := strings.SplitN(string(head), "\n", 4)
	if len(lines) < 4 || len(lines[0]) > longestHBLine {
		return false
	}
	counts, words := strings.Fields(lines[1]), strings.Fields(lines[2])
	if len(counts) < 3 || len(words) < 4 || !wholeNumbers(counts) || !wholeNumbers(words[1:]) {
		return false
	}
	_, _, ok := hbType(words[0])
	return ok
}

func wholeNumbers(words []string) bool {
	for _, w := range words {
		if strings.Trim(w, "0123456789") != "" {
			return false
		}
	}
	return true
}

// hbType returns the meaning of three letters: field, symmetry and whether the matrix is assembled.
func hbType(word string) (h matrixmarket.Header, assembled, ok bool) {
	word = strings.ToLower(word)
	if len(word) != 3 {
		return h, false, false
	}
	field, known := map[byte]matrixmarket.Field{
		'r': matrixmarket.Real, 'c': matrixmarket.Complex, 'p': matrixmarket.Pattern, 'i': matrixmarket.Integer,
	}[word[0]]
	symmetry, is := map[byte]matrixmarket.Symmetry{
		's': matrixmarket.Symmetric, 'u': matrixmarket.General, 'r': matrixmarket.General, 'h': matrixmarket.Hermitian, 'z': matrixmarket.SkewSymmetric,
	}[word[1]]
	return matrixmarket.Header{Field: field, Symmetry: symmetry}, word[2] == 'a', known && is && (word[2] == 'a' || word[2] == 'e')
}

func readHB(s *source) (*matrixmarket.Content, error) {
	t := &hbText{source: s, in: s.in.Stream}
	h, err := t.header()
	if err != nil {
		return nil, err
	}
	if err := s.fits(h.rows, h.cols, h.entries, h.Field == matrixmarket.Complex); err != nil {
		return nil, err
	}
	ptr := make([]int64, 0, s.room(h.cols+1))
	if err := t.numbers(h.cols+1, h.pointers, "where columns begin", func(word []byte) error {
		v, err := strconv.ParseInt(string(word), 10, 64)
		ptr = append(ptr, v-1)
		return err
	}); err != nil {
		return nil, err
	}
	if wrong := checkLines(ptr, h.entries); wrong != "" {
		return nil, t.faultIn(0, "where columns begin, less 1: %s", wrong)
	}
	e := &matrixmarket.Entries{Header: h.Header, Rows: int(h.rows), Cols: int(h.cols), Row: make([]int32, 0, s.room(h.entries))}
	if err := t.numbers(h.entries, h.indices, "the rows", func(word []byte) error {
		v, err := strconv.ParseInt(string(word), 10, 64)
		if err == nil && (v < 1 || v > h.rows) {
			err = fmt.Errorf("row %d is outside 1 to %d", v, h.rows)
		}
		e.Row = append(e.Row, int32(v-1))
		return err
	}); err != nil {
		return nil, err
	}
	if err := t.entryValues(h, e); err != nil {
		return nil, err
	}
	e.Col = spread(ptr)
	c, err := s.content(e)
	if err != nil {
		return nil, err
	}
	err = t.rightHandSides(h, c)
	if t.apart {
		c.Warnings = append(c.Warnings, "numbers are not in the columns of their format; blanks tell them apart")
	}
	return c, err
}

// entryValues reads the values, unless the matrix is a pattern.
func (t *hbText) entryValues(h *hbHeader, e *matrixmarket.Entries) (err error) {
	if h.Field == matrixmarket.Pattern {
		return nil
	}
	e.Val, e.Imag, err = t.floats(h.entries, h.values, h.Field == matrixmarket.Complex, "the values")
	return err
}

// floats reads n numbers, real or pairs of real and imaginary parts; imag is nil if they are real.
func (t *hbText) floats(n int64, f fortran, complex bool, what string) (v, imag []float64, err error) {
	v = make([]float64, 0, t.room(n))
	if complex {
		imag = make([]float64, 0, t.room(n))
		n *= 2
	}
	err = t.numbers(n, f, what, func(word []byte) error {
		x, err := f.value(word)
		if len(imag) < len(v) && imag != nil {
			imag = append(imag, x)
		} else {
			v = append(v, x)
		}
		return err
	})
	return v, imag, err
}

// header reads the four or five lines of the header.
func (t *hbText) header() (h *hbHeader, err error) {
	var lines [4]string
	for k := range lines {
		b, err := t.next("the header")
		if err != nil {
			return nil, err
		}
		lines[k] = string(b)
	}
	t.line = 2
	counts := strings.Fields(lines[1])
	if len(counts) < 3 || !wholeNumbers(counts) {
		return nil, t.faultIn(1, "want the numbers of lines of the parts of a Harwell-Boeing or Rutherford-Boeing file, not %.60q", strings.TrimSpace(lines[1]))
	}
	h = &hbHeader{}
	if len(counts) > 4 {
		h.rhs.lines, _ = strconv.ParseInt(counts[4], 10, 64) // 0 if it is not a number
	}
	t.line = 3
	words := strings.Fields(lines[2])
	if len(words) < 4 || !wholeNumbers(words[1:]) {
		return nil, t.faultIn(1, "want type, rows, columns and entries, not %.60q", strings.TrimSpace(lines[2]))
	}
	kind, assembled, ok := hbType(words[0])
	switch {
	case !ok:
		return nil, t.faultIn(1, "unknown type %.10q: want one like RSA or pua", words[0])
	case !assembled:
		return nil, t.faultIn(1, "matrices of elements (type %s) are not read: assemble it", words[0])
	case kind.Field == matrixmarket.Pattern && kind.Symmetry == matrixmarket.SkewSymmetric:
		return nil, t.faultIn(1, "a pattern cannot be skew-symmetric: it has no values to negate")
	}
	h.Header = kind
	for k, to := range []*int64{&h.rows, &h.cols, &h.entries} {
		if *to, err = strconv.ParseInt(words[1+k], 10, 64); err != nil {
			return nil, t.faultIn(1, "%.40s is out of range", words[1+k])
		}
	}
	if h.Symmetry != matrixmarket.General && h.rows != h.cols {
		return nil, t.faultIn(1, "a %d x %d matrix cannot be %v", h.rows, h.cols, h.Symmetry)
	}
	if err := t.dims(h.Header, h.rows, h.cols); err != nil {
		return nil, err
	}
	t.line = 4
	for k, to := range []*fortran{&h.pointers, &h.indices, &h.values} {
		if k == 2 && h.Field == matrixmarket.Pattern {
			break
		}
		columns := [4]int{0, 16, 32, 52}
		text := strings.TrimSpace(cut(lines[3], columns[k], columns[k+1]))
		if *to, ok = parseFortran(text); !ok || k < 2 && to.letter != 'I' {
			return nil, t.faultIn(int64(columns[k]+1), "the format %.40q is none that is read, such as (16I5) or (1P,4D20.12)", text)
		}
	}
	if h.rhs.lines > 0 {
		err = t.rhsHeader(h, lines[3])
	}
	return h, err
}

// cut returns s[from:to], as far as s reaches.
func cut(s string, from, to int) string { return s[min(from, len(s)):min(to, len(s))] }

// next reads a line.
func (t *hbText) next(what string) ([]byte, error) {
	t.line++
	var long []byte
	for {
		b, err := t.in.ReadSlice('\n')
		t.at += int64(len(b))
		if len(long)+len(b) > longestHBLine {
			return nil, t.faultIn(0, "the line is longer than %d bytes", longestHBLine)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			long = append(long, b...)
			continue
		}
		if len(long) > 0 {
			b = append(long, b...)
		}
		if errors.Is(err, io.EOF) {
			if len(b) == 0 {
				return nil, t.faultIn(0, "the file ends within %s", what)
			}
			err = nil
		}
		return bytes.TrimRight(b, "\r\n"), err
	}
}

// faultIn returns an error in the line that was read last.
func (t *hbText) faultIn(column int64, format string, args ...any) error {
	return &matrixmarket.Error{File: t.source.in.Name, Line: t.line, Column: column, Msg: fmt.Sprintf(format, args...)}
}

// numbers reads n numbers in lines of a format and passes each to take, without surrounding blanks.
func (t *hbText) numbers(n int64, f fortran, what string, take func(word []byte) error) error {
	if t.size >= 0 && n > t.size-t.at {
		return t.faultIn(0, "the file is too short for %s: %d numbers in %d bytes", what, n, t.size-t.at)
	}
	for n > 0 {
		if t.line%4096 == 0 && t.ctx.Err() != nil {
			return t.ctx.Err()
		}
		line, err := t.next(what)
		if err != nil {
			return err
		}
		words, apart := f.fields(t.words[:0], line, int(min(int64(f.repeat), n)))
		t.apart = t.apart || apart
		for k, word := range words {
			column := int64(k*f.width + 1)
			if apart {
				column = 0
			}
			if len(word) == 0 {
				return t.faultIn(column, "%s: %d numbers are missing", what, n)
			}
			if err := take(word); err != nil {
				var number *strconv.NumError
				if errors.As(err, &number) {
					err = fmt.Errorf("%.40q is no number", word)
				}
				return t.faultIn(column, "%s: %v", what, err)
			}
			n--
		}
		t.words = words
	}
	return nil
}

// hbRHS is what the header says about right-hand sides after the matrix.
type hbRHS struct {
	lines  int64 // of right-hand sides, guesses and solutions
	kind   string
	count  int64
	format fortran
}

// rhsHeader reads the fifth line of the header, and the last format of the fourth. If it is not understood, the
// matrix is read nevertheless.
func (t *hbText) rhsHeader(h *hbHeader, fourth string) error {
	line, err := t.next("the header")
	if err != nil {
		return err
	}
	h.rhs.kind = strings.ToUpper(strings.TrimSpace(cut(string(line), 0, 3)))
	h.rhs.count, _ = strconv.ParseInt(strings.TrimSpace(cut(string(line), 14, 28)), 10, 64)
	var ok bool
	if h.rhs.format, ok = parseFortran(strings.TrimSpace(cut(fourth, 52, 72))); !ok || h.rhs.format.letter == 'I' {
		h.rhs.kind = ""
	}
	return nil
}

// rightHandSides adds right-hand sides to the content of the matrix: full ones (type F), one after the other.
func (t *hbText) rightHandSides(h *hbHeader, c *matrixmarket.Content) error {
	switch {
	case h.rhs.lines == 0:
		return nil
	case !strings.HasPrefix(h.rhs.kind, "F") || h.rhs.count < 1 || h.rhs.count > (1<<46)/max(1, h.rows):
		c.Warnings = append(c.Warnings, "right-hand sides that follow in the file are not read: they are not full ones (type F)")
		return nil
	}
	complex := h.Field == matrixmarket.Complex
	if err := t.fitsDense(h.rows, h.rhs.count, complex); err != nil {
		return err
	}
	v, imag, err := t.floats(h.rows*h.rhs.count, h.rhs.format, complex, "the right-hand sides")
	if err != nil {
		return err
	}
	c.RHS = t.dense(h.rows, h.rhs.count, v, imag)
	if len(h.rhs.kind) > 1 {
		c.Warnings = append(c.Warnings, "guesses and solutions that follow in the file are not read")
	}
	return nil
}
