package matrixmarket

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"
)

// diagonalFile returns an n x n diagonal matrix as text.
func diagonalFile(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%d %d %d\n", coordReal, n, n, n)
	for i := range n {
		fmt.Fprintf(&b, "%d %d %d.5\n", i+1, i+1, i)
	}
	return b.String()
}

func zipped(t testing.TB, s string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tempFile(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

var errBroken = errors.New("the disk is broken")

// brokenAt returns the first n bytes and then an error.
func brokenAt(s string, n int) io.Reader {
	return io.MultiReader(strings.NewReader(s[:n]), iotest.ErrReader(errBroken))
}

func TestReadErrorsAreReported(t *testing.T) {
	s := diagonalFile(9)
	for n := range len(s) + 1 {
		for _, opt := range []Options{{}, {Threads: 3, pieceSize: 7}} {
			if _, err := Read(context.Background(), brokenAt(s, n), "x.mtx", opt); !errors.Is(err, errBroken) {
				t.Fatalf("failing at byte %d: got %v", n, err)
			}
		}
		_, err := openAndRead(brokenFile{s, int64(n)}, int64(len(s)))
		if n < len(s) && !errors.Is(err, errBroken) {
			t.Fatalf("file failing at byte %d: got %v", n, err)
		}
	}
	z := string(zipped(t, s))
	for n := range len(z) {
		if _, err := Read(context.Background(), brokenAt(z, n), "x.mtx", Options{}); !errors.Is(err, errBroken) {
			t.Fatalf("gzip failing at byte %d: got %v", n, err)
		}
	}
	// An end that the reader itself calls unexpected is not an end.
	r := io.MultiReader(strings.NewReader(s), iotest.ErrReader(io.ErrUnexpectedEOF))
	if _, err := Read(context.Background(), r, "x.mtx", Options{}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("unexpected end: got %v", err)
	}
	// Nor is it the end of the gzip data: more may lie on the disk.
	var bad *Error
	r = io.MultiReader(strings.NewReader(z[:len(z)/2]), iotest.ErrReader(io.ErrUnexpectedEOF))
	if _, err := Read(context.Background(), r, "x.mtx", Options{}); !errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &bad) {
		t.Errorf("unexpected end of gzip: got %v", err)
	}
}

// brokenFile cannot be read from an offset on.
type brokenFile struct {
	s  string
	at int64
}

func (f brokenFile) ReadAt(buf []byte, offset int64) (int, error) {
	n, err := strings.NewReader(f.s).ReadAt(buf, offset)
	if offset+int64(n) > f.at {
		return max(0, int(f.at-offset)), errBroken
	}
	return n, err
}

func openAndRead(file io.ReaderAt, size int64) (*Content, error) {
	in, err := openFile("x.mtx", file, size, &progress{total: size})
	if err != nil {
		return nil, err
	}
	return in.read(context.Background(), Options{Threads: 2, pieceSize: 16})
}

func TestFileThatShrinks(t *testing.T) {
	s := diagonalFile(100)
	_, err := openAndRead(strings.NewReader(s[:len(s)/2]), int64(len(s)))
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "shrank") {
		t.Errorf("got %v", err)
	}
}

func TestSlowAndSillyReaders(t *testing.T) {
	s := diagonalFile(50)
	want := mustRead(t, s, Options{})
	for name, r := range map[string]io.Reader{
		"one byte": iotest.OneByteReader(strings.NewReader(s)),
		"half":     iotest.HalfReader(strings.NewReader(s)),
		"data err": iotest.DataErrReader(strings.NewReader(s)),
	} {
		c, err := Read(context.Background(), r, "x.mtx", Options{Threads: 2, pieceSize: 20})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := difference(c, want); diff != "" {
			t.Errorf("%s: %s differs", name, diff)
		}
	}
	if _, err := Read(context.Background(), idleReader{}, "x.mtx", Options{}); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("reader of nothing: got %v", err)
	}
}

type idleReader struct{}

func (idleReader) Read([]byte) (int, error) { return 0, nil }

func TestGzip(t *testing.T) {
	s := diagonalFile(2000)
	want := mustRead(t, s, Options{})
	z := zipped(t, s)
	two := append(zipped(t, s[:1000]), zipped(t, s[1000:])...)
	for name, data := range map[string][]byte{"one member": z, "two members": two} {
		c, err := ReadFile(context.Background(), tempFile(t, "misnamed.mtx", data), Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := difference(c, want); diff != "" {
			t.Errorf("%s: %s differs", name, diff)
		}
	}
	for n := 2; n < len(z); n += 1 + n/50 {
		_, err := Read(context.Background(), bytes.NewReader(z[:n]), "x.gz", Options{Threads: 2, pieceSize: 100})
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Msg, "cut off") {
			t.Fatalf("cut off at %d of %d bytes: got %v", n, len(z), err)
		}
	}
	damaged := bytes.Clone(z)
	damaged[len(z)-6] ^= 1 // checksum
	_, err := Read(context.Background(), bytes.NewReader(damaged), "x.gz", Options{})
	if want := fmt.Sprintf("x.gz: the gzip data is damaged after %d bytes of text: gzip: invalid checksum", len(s)); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	// A tar archive in gzip is a common download.
	tar := zipped(t, "G3/G3.mtx"+strings.Repeat("\x00", 248)+"ustar\x0000")
	if _, err := Read(context.Background(), bytes.NewReader(tar), "x.tgz", Options{}); err == nil || !strings.Contains(err.Error(), "tar archive") {
		t.Errorf("tar in gzip: got %v", err)
	}
}

func TestPaths(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadFile(context.Background(), filepath.Join(dir, "none.mtx"), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: got %v", err)
	}
	var e *fs.PathError
	if _, err := ReadFile(context.Background(), dir, Options{}); !errors.As(err, &e) || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("directory: got %v", err)
	}
	if _, err := readString("", Options{Threads: -1}); err == nil {
		t.Error("a negative number of threads is accepted")
	}
}

func TestErrorDeepInTheFile(t *testing.T) {
	lines := strings.SplitAfter(diagonalFile(200000), "\n")
	lines[123456] = "7 7  x\n"
	lines[150000] = "y\n"
	s := strings.Join(lines, "")
	for _, threads := range []int{1, 2, 8} {
		for _, read := range []func(string, Options) (*Content, error){readString, readPlain} {
			_, err := read(s, Options{Threads: threads, pieceSize: 10000})
			if want := `x.mtx:123457:6: value "x" is not a number`; err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		}
	}
}

func TestProgress(t *testing.T) {
	s := diagonalFile(120000)
	for name, data := range map[string][]byte{"plain": []byte(s), "gzip": zipped(t, s)} {
		path := tempFile(t, "x.mtx", data)
		var calls int
		var last int64
		c, err := ReadFile(context.Background(), path, Options{Threads: 3, pieceSize: 50000, Progress: func(done, total int64) {
			calls++ // the race detector watches that calls do not overlap
			if done <= last || total != int64(len(data)) {
				t.Errorf("%s: %d of %d after %d", name, done, total, last)
			}
			last = done
		}})
		if err != nil || c.Stored != 120000 {
			t.Fatal(err)
		}
		if last != int64(len(data)) || calls == 0 {
			t.Errorf("%s: ended at %d of %d after %d calls", name, last, len(data), calls)
		}
	}
	var last, total int64
	if _, err := readString(s, Options{Progress: func(d, n int64) { last, total = d, n }}); err != nil {
		t.Fatal(err)
	}
	if last != int64(len(s)) || total != -1 {
		t.Errorf("stream: ended at %d of %d", last, total)
	}
}

func TestCancellation(t *testing.T) {
	// While the reader blocks.
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.WriteString(w, coordReal+"9 9 9\n1 1 1\n")
		cancel()
	}()
	if _, err := Read(ctx, r, "x.mtx", Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("blocked: got %v", err)
	}
	// Before the start, and from within.
	if _, err := Read(ctx, strings.NewReader(""), "x.mtx", Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: got %v", err)
	}
	path := tempFile(t, "x.mtx", []byte(diagonalFile(120000)))
	ctx, cancel = context.WithCancel(context.Background())
	defer cancel()
	_, err := ReadFile(ctx, path, Options{pieceSize: 1000, Progress: func(done, total int64) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled within: got %v", err)
	}
	ctx, cancel = context.WithTimeout(context.Background(), time.Nanosecond)
	defer cancel()
	if _, err := ReadFile(ctx, path, Options{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("timed out: got %v", err)
	}
}

// lateReader cancels the read that it serves and goes on when that returned.
type lateReader struct {
	calls    int
	cancel   func()
	returned chan struct{}
	ended    chan struct{}
}

func (r *lateReader) Read(buf []byte) (int, error) {
	switch r.calls++; r.calls {
	case 1:
		return copy(buf, coordReal+"9 9 999999\n"), nil
	case 2:
		r.cancel()
		<-r.returned
		return copy(buf, strings.Repeat("1 1 1\n", 1000)), nil
	case 3:
		close(r.ended)
	}
	return 0, io.EOF
}

// What goes on behind a cancelled read must not call the user any more.
func TestNoProgressAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r := &lateReader{cancel: cancel, returned: make(chan struct{}), ended: make(chan struct{})}
	var returned atomic.Bool
	_, err := Read(ctx, r, "x.mtx", Options{Progress: func(done, total int64) {
		time.Sleep(2 * progressEvery) // so that the next report is due
		if returned.Load() {
			t.Error("progress after the read returned")
		}
	}})
	returned.Store(true)
	close(r.returned)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	<-r.ended
}
