package fetch

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const matrix = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n"

// archive returns a .tar.gz of files, which are pairs of a name and a text.
func archive(t *testing.T, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for k := 0; k < len(files); k += 2 {
		err := w.WriteHeader(&tar.Header{Name: files[k], Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(files[k+1]))})
		if err == nil {
			_, err = w.Write([]byte(files[k+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A server has archives by name, and cuts each answer after so many bytes of its body, for so many answers.
type server struct {
	archives map[string][]byte
	cut      int
	cuts     atomic.Int64
	asked    atomic.Int64
	sent     atomic.Int64 // bytes of archives
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked.Add(1)
	a := s.archives[strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/MM/"), ".tar.gz")]
	if a == nil {
		http.NotFound(w, r)
		return
	}
	sum := sha256.Sum256(a)
	w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:8])+`"`)
	if s.cuts.Add(-1) >= 0 {
		w.Header().Set("Content-Length", strconv.Itoa(len(a)))
		s.sent.Add(int64(s.cut))
		_, _ = w.Write(a[:s.cut])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	counted := &counter{ResponseWriter: w, n: &s.sent}
	http.ServeContent(counted, r, "", time.Time{}, bytes.NewReader(a))
}

type counter struct {
	http.ResponseWriter
	n *atomic.Int64
}

func (c *counter) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return c.ResponseWriter.Write(p)
}

func start(t *testing.T, s *server) Store {
	t.Helper()
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return Store{Folder: t.TempDir(), Mirror: h.URL, Pause: time.Millisecond}
}

// names returns what a folder holds.
func names(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return strings.Join(list, " ")
}

// A matrix, its companions and the checksum lie in the folder, and nothing else.
func TestGet(t *testing.T) {
	a := archive(t, "m/m.mtx", matrix, "m/m_b.mtx", "b", "m/readme.txt", "no", "other/m.mtx", "no", "m/../../evil.mtx", "no")
	s := start(t, &server{archives: map[string][]byte{"G/m": a}})
	file, err := s.Get(context.Background(), "G/m", "")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil || string(text) != matrix {
		t.Fatalf("%q, %v", text, err)
	}
	if got := names(t, s.Folder) + ": " + names(t, filepath.Join(s.Folder, "G")) + ": " + names(t, filepath.Dir(file)); got != "G: m: SHA256 m.mtx m_b.mtx" {
		t.Error(got)
	}
	sum := sha256.Sum256(a)
	if s.Sum("G/m") != hex.EncodeToString(sum[:]) {
		t.Errorf("SHA256: %s", s.Sum("G/m"))
	}
	if at, has := s.Path("G/m"); at != file || !has {
		t.Errorf("%s, %v", at, has)
	}
	if _, err := s.Get(context.Background(), "G/m", hex.EncodeToString(sum[:])); err != nil {
		t.Error(err)
	}
}

// A download that the server cuts goes on, in the same call or in the next one, without a byte twice.
func TestResume(t *testing.T) {
	a := archive(t, "m/m.mtx", matrix)
	for _, cuts := range []int64{1, 4} { // three attempts a call
		srv := &server{archives: map[string][]byte{"G/m": a}, cut: len(a) / 3}
		if cuts > 3 {
			srv.cuts.Store(3)
		} else {
			srv.cuts.Store(cuts)
		}
		s := start(t, srv)
		_, err := s.Get(context.Background(), "G/m", "")
		if cuts > 3 {
			if err == nil {
				t.Fatal("three cut answers made an archive")
			}
			srv.sent.Store(int64(srv.cut)) // what the file has of the last answer
			_, err = s.Get(context.Background(), "G/m", "")
		}
		if err != nil {
			t.Fatal(err)
		}
		if n := srv.sent.Load(); n != int64(len(a)) {
			t.Errorf("%d cuts: %d bytes sent of %d", cuts, n, len(a))
		}
		if got := names(t, filepath.Join(s.Folder, "G")); got != "m" {
			t.Errorf("left: %s", got)
		}
	}
}

// An archive that has changed since is not appended to what came before.
func TestChangedArchive(t *testing.T) {
	first, second := archive(t, "m/m.mtx", matrix), archive(t, "m/m.mtx", matrix+"% more\n")
	srv := &server{archives: map[string][]byte{"G/m": first}, cut: 20}
	srv.cuts.Store(3)
	s := start(t, srv)
	if _, err := s.Get(context.Background(), "G/m", ""); err == nil {
		t.Fatal("cut answers made an archive")
	}
	srv.archives["G/m"] = second
	file, err := s.Get(context.Background(), "G/m", "")
	text, _ := os.ReadFile(file)
	if err != nil || string(text) != matrix+"% more\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// What is no archive of the matrix is an error, and nothing of it stays.
func TestRefused(t *testing.T) {
	whole := archive(t, "m/m.mtx", matrix)
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-6] ^= 1 // of the checksum
	for name, a := range map[string][]byte{
		"no gzip": []byte("<html>"), "cut off": whole[:len(whole)-10], "checksum": damaged, "member": archive(t, "m/n.mtx", matrix), "empty": {},
	} {
		s := start(t, &server{archives: map[string][]byte{"G/m": a}})
		var wrong *ArchiveError
		if _, err := s.Get(context.Background(), "G/m", ""); !errors.As(err, &wrong) {
			t.Errorf("%s: %v", name, err)
		}
		if got := names(t, filepath.Join(s.Folder, "G")); got != "" {
			t.Errorf("%s: left: %s", name, got)
		}
	}
	srv := &server{archives: map[string][]byte{"G/m": whole}}
	s := start(t, srv)
	var wrong *ArchiveError
	if _, err := s.Get(context.Background(), "G/m", strings.Repeat("0", 64)); !errors.As(err, &wrong) {
		t.Errorf("another checksum: %v", err)
	}
	var refused *StatusError
	if _, err := s.Get(context.Background(), "G/n", ""); !errors.As(err, &refused) || refused.Code != http.StatusNotFound {
		t.Errorf("404: %v", err)
	}
	if n := srv.asked.Load(); n != 2 {
		t.Errorf("%d requests, want 2: a refusal is not asked for again", n)
	}
	for _, name := range []string{"m", "../m", "G/..", "G/a/b", "G/", "G/m.tar.gz?x", ".G/m"} {
		if _, err := s.Get(context.Background(), name, ""); err == nil || IsName(name) {
			t.Errorf("%s is taken for a name", name)
		}
	}
}

// A server that sends nothing ends the download, and so does the context (Interrupt).
func TestInterruptedDownload(t *testing.T) {
	hang := make(chan struct{})
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte("begin"))
		w.(http.Flusher).Flush()
		<-hang
	}))
	defer h.Close()
	defer close(hang)
	s := Store{Folder: t.TempDir(), Mirror: h.URL, Pause: time.Millisecond, Stalled: 50 * time.Millisecond}
	if _, err := s.Get(context.Background(), "G/m", ""); err == nil || !strings.Contains(err.Error(), "no byte came") {
		t.Errorf("a silent server: %v", err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	stopped := errors.New("stopped")
	s.Stalled, s.Progress = 0, func(int64, int64) { cancel(stopped) }
	if _, err := s.Get(ctx, "G/m", ""); !errors.Is(err, stopped) {
		t.Errorf("after a signal: %v", err)
	}
}
