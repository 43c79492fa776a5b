package matrixmarket

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// readBuffer is the size of reads from a stream.
const readBuffer = 256 << 10

// input is an opened file: its text as a stream and, if it is a plain file, for
// random access.
type input struct {
	name     string
	stream   *bufio.Reader
	file     io.ReaderAt // nil for streams and compressed files
	size     int64       // of file
	progress *progress
	returns  bool // lines end with carriage returns alone
}

// openFile takes a plain file of known size.
func openFile(name string, file io.ReaderAt, size int64, p *progress) (*input, error) {
	head := make([]byte, min(size, headLength))
	if n, err := file.ReadAt(head, 0); n < len(head) {
		return nil, wrap(name, err)
	}
	if sniff(head) != plain {
		return openStream(name, io.NewSectionReader(file, 0, size), p)
	}
	in := &input{name: name, file: file, size: size, progress: p}
	in.stream = bufio.NewReader(io.NewSectionReader(file, 0, size))
	return in, nil
}

// openStream takes anything, and unpacks it if it is compressed.
func openStream(name string, r io.Reader, p *progress) (*input, error) {
	raw := &rawReader{r: r, name: name, progress: p}
	in := &input{name: name, progress: p, stream: bufio.NewReaderSize(raw, readBuffer)}
	head, err := in.stream.Peek(headLength)
	if err != nil && err != io.EOF {
		return nil, err
	}
	packed := &unpacker{name: name, raw: raw, kind: sniff(head)}
	switch packed.kind {
	case gzipped:
		z, err := gzip.NewReader(in.stream)
		if err != nil {
			return nil, packed.fault(err)
		}
		packed.r = z
	case bzipped:
		packed.r = bzip2.NewReader(in.stream)
	default:
		return in, nil
	}
	in.stream = bufio.NewReaderSize(packed, readBuffer)
	return in, nil
}

// look recognises files of other kinds, and text with bare carriage returns.
func (in *input) look() error {
	head, err := in.stream.Peek(in.stream.Size())
	if err != nil && err != io.EOF {
		if len(head) == 0 {
			return err
		}
		err = nil // it is returned again after the text before it
	}
	if what := foreign(head); what != "" {
		return &Error{File: in.name, Msg: what}
	}
	end := bytes.IndexAny(head, "\r\n")
	if end < 0 || head[end] == '\n' || end+1 < len(head) && head[end+1] == '\n' || end+1 == len(head) && err == nil {
		return nil
	}
	in.returns = true
	in.stream = bufio.NewReaderSize(carriageReturns{Reader: in.stream}, readBuffer)
	if in.file != nil {
		in.file = carriageReturns{ReaderAt: in.file}
	}
	return nil
}

// carriageReturns makes line feeds of carriage returns, which end the lines of
// files from old Macintoshes.
type carriageReturns struct {
	io.Reader
	io.ReaderAt
}

func (c carriageReturns) Read(buf []byte) (int, error) {
	n, err := c.Reader.Read(buf)
	toLineFeeds(buf[:n])
	return n, err
}

func (c carriageReturns) ReadAt(buf []byte, offset int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(buf, offset)
	toLineFeeds(buf[:n])
	return n, err
}

func toLineFeeds(buf []byte) {
	for i, c := range buf {
		if c == '\r' {
			buf[i] = '\n'
		}
	}
}

// rawReader reads the bytes of a stream as they come, counts them and keeps
// the error that ended them.
type rawReader struct {
	r        io.Reader
	name     string
	progress *progress
	err      error
}

// emptyReads is how often in succession a reader may return no bytes and no error.
const emptyReads = 100

func (r *rawReader) Read(buf []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	for range emptyReads {
		n, err := r.r.Read(buf)
		if n < 0 || n > len(buf) {
			n, err = 0, errors.New("the reader returned an impossible count")
		}
		if err != nil && err != io.EOF {
			err = wrap(r.name, err)
		}
		r.err = err
		if n > 0 || err != nil {
			r.progress.add(int64(n))
			return n, err
		}
	}
	r.err = wrap(r.name, io.ErrNoProgress)
	return 0, r.err
}

// unpacker reads through a decompressor and distinguishes damaged data from errors of
// the underlying reader.
type unpacker struct {
	r    io.Reader
	raw  *rawReader
	name string
	kind compression
	done int64
	err  error
}

func (u *unpacker) Read(buf []byte) (int, error) {
	if u.err != nil {
		return 0, u.err
	}
	n, err := u.r.Read(buf)
	u.done += int64(n)
	if err != nil && err != io.EOF {
		err = u.fault(err)
	}
	u.err = err
	return n, err
}

func (u *unpacker) fault(err error) error {
	if u.raw.err != nil && u.raw.err != io.EOF {
		return u.raw.err
	}
	msg := fmt.Sprintf("the %v data is damaged after %d bytes of text: %v", u.kind, u.done, err)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		msg = fmt.Sprintf("the %v data is cut off after %d bytes of text", u.kind, u.done)
	}
	return &Error{File: u.name, Msg: msg, cause: err}
}

// wrap adds the name of the file to an error of a reader. Errors of package os name it
// themselves.
func wrap(name string, err error) error {
	return fmt.Errorf("reading %s: %w", name, err)
}

const byteOrderMark = "\xef\xbb\xbf" // UTF-8

// compression is how a file is packed, told from its first bytes.
type compression uint8

const (
	plain compression = iota
	gzipped
	bzipped
)

func (c compression) String() string { return [...]string{"plain", "gzip", "bzip2"}[c] }

// headLength is the number of bytes that sniff and foreign examine; tar has its magic
// at offset 257.
const headLength = 512

// sniff detects the supported compressions.
func sniff(head []byte) compression {
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return gzipped
	case len(head) > 3 && bytes.HasPrefix(head, []byte("BZh")) && head[3] >= '1' && head[3] <= '9':
		return bzipped
	}
	return plain
}

// foreignFiles are files of other kinds that users pass, with advice for each.
var foreignFiles = []struct {
	offset      int
	magic, what string
}{
	{0, "\xfd7zXZ\x00", "the file is compressed with xz, which is not supported: unpack it or use gzip"},
	{0, "\x28\xb5\x2f\xfd", "the file is compressed with zstd, which is not supported: unpack it or use gzip"},
	{0, "\x04\x22\x4d\x18", "the file is compressed with lz4, which is not supported: unpack it or use gzip"},
	{0, "\x1f\x9d", "the file is compressed with compress (.Z), which is not supported: unpack it or use gzip"},
	{0, "PK\x03\x04", "the file is a zip archive, which is not supported: unpack it or use gzip"},
	{0, "7z\xbc\xaf\x27\x1c", "the file is a 7z archive, which is not supported: unpack it or use gzip"},
	{257, "ustar", "the file is a tar archive: unpack it and read the .mtx file inside"},
	{0, "version https://git-lfs", "the file is a Git LFS pointer, not the matrix itself: run \"git lfs pull\" to fetch it"},
	{0, "\xff\xfe", "the file is UTF-16 text: save it as plain ASCII or UTF-8"},
	{0, "\xfe\xff", "the file is UTF-16 text: save it as plain ASCII or UTF-8"},
	{0, "\x89HDF\r\n\x1a\n", "the file is an HDF5 file (or MATLAB 7.3), not Matrix Market: it must be converted"},
	{0, "MATLAB 5.0 MAT-file", "the file is a MATLAB file, not Matrix Market: it must be converted"},
	{0, "\x93NUMPY", "the file is a NumPy array, not Matrix Market: it must be converted"},
	{0, "<!DOCTYPE", "the file is a web page, not a matrix: the download went wrong"},
	{0, "<!doctype", "the file is a web page, not a matrix: the download went wrong"},
	{0, "<html", "the file is a web page, not a matrix: the download went wrong"},
}

// foreign returns what to say about a file of another kind, or "".
func foreign(head []byte) string {
	for _, f := range foreignFiles {
		if len(head) > f.offset && bytes.HasPrefix(head[f.offset:], []byte(f.magic)) {
			return f.what
		}
	}
	return ""
}

// notBanner says what is wrong with a first line that is no banner. It may
// read two lines more to recognise a Harwell-Boeing file.
func (p *preamble) notBanner(line text) error {
	words := line.words()
	if n := len(words); n <= 3 && allCounts(words) {
		format := "coordinate"
		if n < 3 {
			format = "array"
		}
		return p.fault(line.number, words[0].column,
			"the banner is missing: the first line must be like \"%%%%MatrixMarket matrix %s real general\", not numbers", format)
	}
	if p.harwellBoeing() {
		return p.fault(0, 0, "this is a Harwell-Boeing or Rutherford-Boeing file, not Matrix Market: it must be converted")
	}
	return p.fault(line.number, words[0].column,
		"the file must begin with a banner like \"%%%%MatrixMarket matrix coordinate real general\", not with %s",
		quote(strings.TrimSpace(line.s)))
}

// harwellBoeing looks at the second and third line: counts of lines, and a
// type of three letters such as RSA or pua with the dimensions behind it.
func (p *preamble) harwellBoeing() bool {
	second, err := p.next()
	if err != nil || !allCounts(second.words()) {
		return false
	}
	third, err := p.next()
	if err != nil {
		return false
	}
	words := third.words()
	if len(words) < 4 || len(words[0].s) != 3 || !allCounts(words[1:]) {
		return false
	}
	kind := strings.ToUpper(words[0].s)
	return strings.Contains("RCPIQ", kind[:1]) && strings.Contains("SUHZR", kind[1:2]) &&
		strings.Contains("AE", kind[2:])
}

// allCounts reports whether there are words and all of them are made of digits.
func allCounts(words []token) bool {
	for _, w := range words {
		if strings.Trim(w.s, "0123456789") != "" {
			return false
		}
	}
	return len(words) > 0
}
