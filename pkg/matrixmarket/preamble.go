package matrixmarket

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// maxLine is the largest length of a line in bytes. It bounds the memory for a file
// that is not text.
const maxLine = 1 << 20

var errLongLine = fmt.Errorf("the line is longer than %d bytes", maxLine)

// text is one line without its end, numbered from 1.
type text struct {
	s      string
	number int64
}

// token is a word of a line with its column, from 1.
type token struct {
	s      string
	column int64
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }

// words splits a line at blanks.
func (l text) words() []token {
	var words []token
	for i := 0; i < len(l.s); i++ {
		if isBlank(l.s[i]) {
			continue
		}
		start := i
		for i < len(l.s) && !isBlank(l.s[i]) {
			i++
		}
		words = append(words, token{l.s[start:i], int64(start + 1)})
	}
	return words
}

// end returns the column behind the last word.
func (l text) end() int64 {
	return int64(len(strings.TrimRight(l.s, " \t\r\v\f")) + 1)
}

// preamble reads a file from its start to the size line.
type preamble struct {
	file     string
	in       *bufio.Reader
	line     int64 // lines read
	offset   int64 // bytes read
	warnings []string
}

func (p *preamble) warn(format string, args ...any) {
	p.warnings = append(p.warnings, fmt.Sprintf(format, args...))
}

func (p *preamble) fault(line, column int64, format string, args ...any) error {
	return &Error{File: p.file, Line: line, Column: column, Msg: fmt.Sprintf(format, args...)}
}

// next returns the next line, or io.EOF.
func (p *preamble) next() (text, error) {
	var long []byte
	for {
		part, err := p.in.ReadSlice('\n')
		p.offset += int64(len(part))
		if len(long)+len(part) > maxLine {
			return text{}, p.fault(p.line+1, 0, "%v", errLongLine)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			long = append(long, part...)
			continue
		}
		if err != nil && err != io.EOF {
			return text{}, err
		}
		if len(long) > 0 {
			part = append(long, part...)
		}
		if len(part) == 0 {
			return text{}, io.EOF
		}
		p.line++
		return text{strings.TrimSuffix(string(part), "\n"), p.line}, nil
	}
}

// read returns what the first lines say: the banner and the size line.
func (p *preamble) read() (Header, size, error) {
	line, err := p.firstLine()
	if err != nil {
		return Header{}, size{}, err
	}
	header, err := p.banner(line)
	if err != nil {
		return Header{}, size{}, err
	}
	if strings.HasSuffix(line.s, "\r") {
		p.warn("lines end with a carriage return and a line feed")
	}
	for {
		line, err := p.next()
		if err == io.EOF {
			return header, size{}, p.fault(p.line, 0, "the file ends before the size line")
		}
		if err != nil {
			return header, size{}, err
		}
		if words := line.words(); len(words) > 0 && words[0].s[0] != '%' {
			s, err := p.size(header, line, words)
			return header, s, err
		}
	}
}

// valued reports whether the first entry, if it is near, has a value beside its row and column.
func (p *preamble) valued() bool {
	ahead, _ := p.in.Peek(p.in.Size())
	for line := range strings.Lines(string(ahead)) {
		if words := strings.Fields(line); len(words) > 0 && words[0][0] != '%' {
			return len(words) == 3
		}
	}
	return false
}

// firstLine returns the first line that is not blank.
func (p *preamble) firstLine() (text, error) {
	for {
		line, err := p.next()
		switch {
		case err == io.EOF && p.offset == 0:
			return line, p.fault(0, 0, "the file is empty")
		case err == io.EOF:
			return line, p.fault(0, 0, "the file holds nothing but blanks")
		case err != nil:
			return line, err
		}
		if line.number == 1 && strings.HasPrefix(line.s, byteOrderMark) {
			p.warn("the file begins with a byte order mark")
			line.s = line.s[len(byteOrderMark):]
		}
		if len(line.words()) > 0 {
			if line.number > 1 {
				p.warn("there are blank lines in front of the banner on line %d", line.number)
			}
			return line, nil
		}
	}
}

// size reads the size line: rows and columns (one length for a vector) and,
// in coordinate format, the number of entries.
func (p *preamble) size(h Header, line text, words []token) (size, error) {
	names := []string{"rows", "columns"}
	if h.Object == vectorObject {
		names = []string{"elements"}
	}
	if h.Format == Coordinate {
		names = append(names, "entries")
	}
	if len(words) != len(names) {
		column := line.end()
		if len(words) > len(names) {
			column = words[len(names)].column
		}
		return size{}, p.fault(line.number, column, "the size line of a %v in %v format has %s (%s), not %d",
			h.Object, h.Format, plural(len(names), "number"), strings.Join(names, ", "), len(words))
	}
	numbers := make([]int64, len(names))
	most := int64(csr.MaxDim)
	if h.Format == Array && h.Symmetry == General { // ranks may share it
		most = maxLength
	}
	for i, w := range words {
		n, err := strconv.ParseInt(w.s, 10, 64)
		switch {
		case errors.Is(err, strconv.ErrSyntax):
			return size{}, p.fault(line.number, w.column, "the number of %s is %s, not a whole number", names[i], quote(w.s))
		case n < 0:
			return size{}, p.fault(line.number, w.column, "the number of %s is negative: %s", names[i], cut(w.s))
		case err != nil:
			return size{}, p.fault(line.number, w.column, "%s %s are more than a 64-bit number can count", cut(w.s), names[i])
		case n > most && names[i] != "entries":
			return size{}, p.fault(line.number, w.column, "%d %s are more than the %d that mpsolve can index", n, names[i], most)
		}
		numbers[i] = n
	}
	s := size{rows: int(numbers[0]), cols: 1, line: line.number}
	if h.Object == matrixObject {
		s.cols = int(numbers[1])
	}
	if h.Symmetry != General && s.rows != s.cols {
		return s, p.fault(line.number, words[0].column, "a %v matrix must be square, not %d x %d", h.Symmetry, s.rows, s.cols)
	}
	if h.Format == Coordinate {
		s.entries = numbers[len(numbers)-1]
		if s.entries > 0 && (s.rows == 0 || s.cols == 0) {
			return s, p.fault(line.number, words[len(words)-1].column, "%s cannot lie in a %d x %d matrix",
				plural(int(s.entries), "entry"), s.rows, s.cols)
		}
		return s, nil
	}
	if float64(s.rows)*float64(s.cols) > 0x1p62 {
		return s, p.fault(line.number, words[0].column, "a %d x %d array has more values than mpsolve can index", s.rows, s.cols)
	}
	s.entries = arrayEntries(h, int64(s.rows), int64(s.cols))
	return s, nil
}

// maxLength is beyond the length of a column in any file.
const maxLength = 1 << 46

// arrayEntries returns how many values an array file holds.
func arrayEntries(h Header, rows, cols int64) int64 {
	switch h.Symmetry {
	case General:
		return rows * cols
	case SkewSymmetric:
		return rows * (rows - 1) / 2
	}
	return rows * (rows + 1) / 2
}

// cut shortens a number for an error message.
func cut(s string) string {
	if len(s) > maxQuoted {
		return s[:maxQuoted] + "..."
	}
	return s
}

// plural writes a count with its noun.
func plural(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "y"):
		return fmt.Sprintf("%d %sies", n, noun[:len(noun)-1])
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
