package matrixmarket

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// defaultPiece is how many bytes of text are parsed at a time. A piece and
// the entries in it fit a second-level cache.
const defaultPiece = 1 << 20

// A source hands out the text below the size line in pieces that begin and
// end with whole lines. It is used by several goroutines at a time.
type source interface {
	// next returns the next piece and its number, counted from 0 in the
	// order of the text. The piece, if not empty, ends with a line feed and
	// wordPad bytes of no meaning behind it. It lies in buf, which the caller
	// gets back grown where needed. The error is io.EOF behind the last piece;
	// any other error stands in the place of the piece of that number.
	next(buf []byte) (piece, grown []byte, number int, err error)
}

// fileSource reads a plain file of known size. Piece k holds the lines that
// begin in the k-th stretch of length piece.
type fileSource struct {
	file    io.ReaderAt
	start   int64 // offset behind the size line
	end     int64 // size of the file
	piece   int64
	first   int64 // number of the first piece that is handed out, as the first one
	count   int64 // of pieces that are
	counter atomic.Int64
	moved   func(bytes int64) // told of each stretch that was taken in
}

// pieces returns how many pieces the whole text has.
func (s *fileSource) pieces() int64 { return max(0, (s.end-s.start+s.piece-1)/s.piece) }

// tail is how much is read behind a stretch at once, to find the end of the
// line that crosses its end.
const tail = 256

func (s *fileSource) next(buf []byte) (piece, grown []byte, number int, err error) {
	k := s.counter.Add(1) - 1
	from := s.start + (s.first+k)*s.piece
	if k >= s.count {
		return nil, buf, int(k), io.EOF
	}
	// The byte in front tells whether a line begins at from. There is one,
	// the line feed of the size line at least.
	from--
	inside := min(s.piece, s.end-1-from) // a line feed in buf[:inside] starts a line of ours
	buf, err = s.extend(buf[:0], from, inside+1+tail)
	if err != nil {
		return nil, buf, int(k), err
	}
	s.moved(inside)
	first := bytes.IndexByte(buf[:inside], '\n') + 1
	if first == 0 {
		return nil, buf, int(k), nil // a line of an earlier piece fills it all
	}
	for searched := int(inside); ; {
		if n := bytes.IndexByte(buf[searched:], '\n'); n >= 0 {
			return padded(buf, first, searched+n+1), buf, int(k), nil
		}
		searched = len(buf)
		if from+int64(len(buf)) >= s.end {
			buf = append(buf, '\n')
			return padded(buf, first, len(buf)), buf, int(k), nil
		}
		if int64(len(buf)) > inside+maxLine {
			// Cut: the parser will find that the line is too long.
			buf = append(buf, '\n')
			return padded(buf, first, len(buf)), buf, int(k), nil
		}
		if buf, err = s.extend(buf, from+int64(len(buf)), int64(len(buf))); err != nil {
			return nil, buf, int(k), err
		}
	}
}

// extend appends up to n bytes of the file, from offset on.
func (s *fileSource) extend(buf []byte, offset, n int64) ([]byte, error) {
	n = min(n, s.end-offset)
	have := len(buf)
	buf = withRoom(buf, int(n)+1)[:have+int(n)]
	got, err := s.file.ReadAt(buf[have:], offset)
	switch {
	case int64(got) == n:
		return buf, nil
	case err == io.EOF:
		return buf, fmt.Errorf("the file shrank while it was read, from %d to %d bytes: %w",
			s.end, offset+int64(got), io.ErrUnexpectedEOF)
	}
	return buf, err
}

// withRoom returns buf with capacity for n bytes more and the padding.
func withRoom(buf []byte, n int) []byte {
	if want := len(buf) + n + wordPad; cap(buf) < want {
		return append(make([]byte, 0, want), buf...)
	}
	return buf
}

// padded returns buf[first:end] and wordPad bytes behind it.
func padded(buf []byte, first, end int) []byte {
	return buf[first : end+wordPad]
}

// streamSource reads streams and compressed files. A goroutine that asks for a piece
// unpacks it while the others parse theirs.
type streamSource struct {
	mu     sync.Mutex
	in     io.Reader
	piece  int
	rest   []byte // the beginning of a line that the last piece cut
	number int
	err    error
	moved  func(bytes int) // told of what was taken in, by one goroutine at a time
}

func (s *streamSource) next(buf []byte) (piece, grown []byte, number int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil && len(s.rest) == 0 {
		return nil, buf, s.number, s.err
	}
	buf = append(withRoom(buf[:0], len(s.rest)+s.piece+1), s.rest...)
	kept := len(s.rest)
	s.rest = s.rest[:0]
	last := -1
	for last < 0 && s.err == nil && len(buf) <= maxLine {
		had := len(buf)
		buf = s.fill(buf)
		if n := bytes.LastIndexByte(buf[had:], '\n'); n >= 0 {
			last = had + n
		}
	}
	s.moved(len(buf) - kept)
	switch {
	case last >= 0:
		s.rest = append(s.rest, buf[last+1:]...)
	case s.err != nil && s.err != io.EOF:
		s.rest = s.rest[:0] // half a line, of no use
		return nil, buf, s.number, s.err
	case len(buf) == 0:
		return nil, buf, s.number, s.err
	default: // the last line has no end, or the line is too long
		last = len(buf)
		buf = append(withRoom(buf, 1), '\n')
	}
	s.number++
	return padded(buf, 0, last+1), buf, s.number - 1, nil
}

// fill reads a piece more, or up to the end or a fault.
func (s *streamSource) fill(buf []byte) []byte {
	buf = withRoom(buf, s.piece+1)
	for most := len(buf) + s.piece; len(buf) < most && s.err == nil; {
		var n int
		n, s.err = s.in.Read(buf[len(buf):most])
		buf = buf[:len(buf)+n]
	}
	return buf
}

// A progress reports how much of a file has been read.
type progress struct {
	report func(done, total int64) // may be nil
	total  int64                   // -1: unknown
	done   atomic.Int64

	mu      sync.Mutex
	last    int64 // reported
	when    time.Time
	stopped bool
}

// Reports come after so much time or so many bytes, whichever is first.
const (
	progressEvery = 50 * time.Millisecond
	progressBytes = 4 << 20
)

// add counts n bytes more. It may be called by several goroutines at a time.
func (p *progress) add(n int64) {
	done := p.done.Add(n)
	if p.report == nil || !p.mu.TryLock() {
		return // another goroutine is reporting
	}
	defer p.mu.Unlock()
	if p.stopped || done <= p.last {
		return
	}
	if now := time.Now(); done-p.last >= progressBytes || now.Sub(p.when) >= progressEvery {
		p.when, p.last = now, done
		p.report(done, p.total)
	}
}

// finish reports the end of the file.
func (p *progress) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	done := p.done.Load()
	if p.total >= 0 {
		done = p.total
	}
	if p.report != nil && !p.stopped && done > p.last {
		p.last = done
		p.report(done, p.total)
	}
}

// stop waits for a report in progress and prevents others.
func (p *progress) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
}
