package matrixmarket

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"

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
