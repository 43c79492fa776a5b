// Package fetch downloads matrices of the SuiteSparse collection (https://sparse.tamu.edu) into a folder.
//
// The archive of a matrix is kept while it is incomplete, so that an interrupted download goes on where it ended. An archive that
// is damaged or that lacks the matrix leaves nothing behind.
package fetch

import (
	"archive/tar"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
)

// Collection is the address of the collection or of a mirror, which has the same paths below it.
const Collection = "https://sparse.tamu.edu"

// A Store is a folder that holds the matrices of the collection by group and name: Folder/GROUP/NAME/NAME.mtx, and what else the
// archive has, such as NAME_b.mtx.
type Store struct {
	Folder   string
	Mirror   string                  // "": Collection
	Progress func(done, total int64) // bytes of the archive, total -1: not known; nil: not wanted
	Stalled  time.Duration           // ends a download without a byte for so long; 0: a minute
	Pause    time.Duration           // before the second of three attempts, twice that before the third; 0: a second
}

// matrixName is the name of a matrix: its group and its own.
var matrixName = regexp.MustCompile(`^[A-Za-z0-9_+-][A-Za-z0-9_.+-]*/[A-Za-z0-9_+-][A-Za-z0-9_.+-]*$`)

// IsName reports whether a word is GROUP/NAME.
func IsName(word string) bool { return matrixName.MatchString(word) }

// sumFile is the file beside a matrix that has the SHA-256 of its archive, as sha256sum prints it.
const sumFile = "SHA256"

// Path returns where the matrix GROUP/NAME lies, and whether it does.
func (s Store) Path(name string) (file string, has bool) {
	if !IsName(name) {
		return "", false
	}
	file = filepath.Join(s.Folder, filepath.FromSlash(name), path.Base(name)+".mtx")
	info, err := os.Stat(file)
	return file, err == nil && info.Mode().IsRegular()
}

// Sum returns the SHA-256 of the archive that a matrix was unpacked from, in hexadecimal digits; "": not known.
func (s Store) Sum(name string) string {
	text, _ := os.ReadFile(filepath.Join(s.Folder, filepath.FromSlash(name), sumFile))
	sum, _, _ := strings.Cut(string(text), " ")
	return sum
}

// Get downloads GROUP/NAME and returns the path of the matrix. If want is not empty, the archive must have this SHA-256. An answer of
// the server other than the archive is an error, a *StatusError.
func (s Store) Get(ctx context.Context, name, want string) (file string, err error) {
	if !IsName(name) {
		return "", fmt.Errorf("%s: want GROUP/NAME, such as HB/bcsstk16", name)
	}
	file, _ = s.Path(name)
	group := filepath.Join(s.Folder, path.Dir(name))
	if err := os.MkdirAll(group, 0o755); err != nil {
		return "", err
	}
	address := strings.TrimSuffix(cmp.Or(s.Mirror, Collection), "/") + "/MM/" + name + ".tar.gz"
	archive := filepath.Join(group, path.Base(name)+".tar.gz.part")
	for attempt := 0; ; attempt++ {
		if err = s.download(ctx, address, archive); err == nil {
			break
		}
		var refused *StatusError
		if ctx.Err() != nil || errors.As(err, &refused) && refused.Code < 500 || attempt == 2 || !sleep(ctx, cmp.Or(s.Pause, time.Second)<<attempt) {
			return "", fmt.Errorf("%s: %w", address, err)
		}
	}
	sum, err := checksum(archive)
	if err == nil && want != "" && !strings.EqualFold(sum, want) {
		err = &ArchiveError{address, fmt.Errorf("the SHA-256 is %s, not %s", sum, want)}
	}
	if err == nil {
		err = unpack(ctx, archive, filepath.Dir(file), path.Base(name), sum)
	}
	if ctx.Err() == nil { // what is complete and useless is not kept
		err = errors.Join(err, os.Remove(archive), remove(archive+".etag"))
	}
	if err != nil {
		return "", err
	}
	return file, nil
}

// A StatusError is an answer of the server other than the archive.
type StatusError struct {
	Code int
	Text string
}

func (e *StatusError) Error() string {
	if e.Code == http.StatusNotFound {
		return "the collection has no such matrix (404)"
	}
	return "the server answers " + e.Text
}

// An ArchiveError is an archive that is not what it should be.
type ArchiveError struct {
	Name string // of the matrix, or the address
	Err  error
}

func (e *ArchiveError) Error() string { return "the archive of " + e.Name + ": " + e.Err.Error() }
func (e *ArchiveError) Unwrap() error { return e.Err }

// download completes an archive, from where the last download ended if the server still has the same.
func (s Store) download(ctx context.Context, address, archive string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	tag, _ := os.ReadFile(archive + ".etag")
	var has int64
	if info, err := os.Stat(archive); err == nil && len(tag) > 0 {
		has = info.Size()
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", has))
		request.Header.Set("If-Range", string(tag))
	}
	patience := cmp.Or(s.Stalled, time.Minute)
	stalled := time.AfterFunc(patience, func() { cancel(fmt.Errorf("no byte came for %v", patience)) })
	defer stalled.Stop()
	answer, err := http.DefaultClient.Do(request)
	if whole := (*url.Error)(nil); errors.As(err, &whole) {
		err = whole.Err // without the address, which Get adds
	}
	if err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	defer answer.Body.Close()
	flags := os.O_WRONLY | os.O_CREATE
	switch answer.StatusCode {
	case http.StatusOK:
		has, flags = 0, flags|os.O_TRUNC
	case http.StatusPartialContent:
		flags |= os.O_APPEND
	case http.StatusRequestedRangeNotSatisfiable: // it was complete already, or is another one
		if answer.Header.Get("Content-Range") == "bytes */"+strconv.FormatInt(has, 10) {
			return nil
		}
		return errors.Join(errors.New("what was downloaded before is of another archive"), os.Remove(archive))
	default:
		return &StatusError{answer.StatusCode, answer.Status}
	}
	if err := os.WriteFile(archive+".etag", []byte(validator(answer.Header)), 0o644); err != nil {
		return err
	}
	f, err := os.OpenFile(archive, flags, 0o644)
	if err != nil {
		return err
	}
	total := int64(-1)
	if answer.ContentLength >= 0 {
		total = has + answer.ContentLength
	}
	body := &watched{Reader: answer.Body, read: func(n int) error {
		stalled.Reset(patience)
		if has += int64(n); s.Progress != nil {
			s.Progress(has, total)
		}
		return nil
	}}
	_, err = io.Copy(f, body)
	if err = errors.Join(err, f.Close()); err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	return nil
}

// validator returns what tells the server whether it still has the same archive; "": nothing does.
func validator(h http.Header) string {
	if tag := h.Get("ETag"); tag != "" && !strings.HasPrefix(tag, "W/") {
		return tag
	}
	return h.Get("Last-Modified")
}

// watched calls read with the number of bytes of each Read, and ends with its error.
type watched struct {
	io.Reader
	read func(n int) error
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	return n, cmp.Or(w.read(n), err)
}

// unpack writes the .mtx files of an archive, NAME/NAME.mtx among them, into a folder, which appears when all of them are complete.
func unpack(ctx context.Context, archive, folder, name, sum string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	temporary, err := os.MkdirTemp(filepath.Dir(folder), "."+name+"-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	damaged := func(err error) error { return &ArchiveError{name, err} }
	stream, err := gzip.NewReader(f)
	if err != nil {
		return damaged(err)
	}
	found := false
	members := tar.NewReader(stream)
	for {
		h, err := members.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return damaged(err)
		}
		base := path.Base(h.Name)
		if h.Typeflag != tar.TypeReg || path.Clean(h.Name) != name+"/"+base || !strings.HasSuffix(base, ".mtx") {
			continue
		}
		found = found || base == name+".mtx"
		var disk *fs.PathError
		switch err := write(ctx, filepath.Join(temporary, base), members); {
		case ctx.Err() != nil || errors.As(err, &disk):
			return err
		case err != nil:
			return damaged(err)
		}
	}
	if _, err := io.Copy(io.Discard, stream); err != nil { // the checksum of gzip is at the end
		return damaged(err)
	}
	if !found {
		return damaged(fmt.Errorf("it does not have %s/%s.mtx", name, name))
	}
	if err := os.WriteFile(filepath.Join(temporary, sumFile), []byte(sum+"  "+name+".tar.gz\n"), 0o644); err != nil {
		return err
	}
	if err := os.Chmod(temporary, 0o755); err != nil {
		return err
	}
	if err := os.RemoveAll(folder); err != nil { // of an earlier download
		return err
	}
	return os.Rename(temporary, folder)
}

// write writes a file until the context ends.
func write(ctx context.Context, file string, r io.Reader) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, &watched{Reader: r, read: func(int) error { return context.Cause(ctx) }})
	return cmp.Or(err, f.Close())
}

func checksum(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// remove removes a file if it exists.
func remove(file string) error {
	if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// sleep waits, unless the context ends before.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
