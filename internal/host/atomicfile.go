// Package host connects the program to its machine: output files, memory limits, processors and the heap.
//
// A regular output file is replaced atomically: it is written under a temporary name, or none, in the same folder and
// renamed when it is complete. Devices, FIFOs and open descriptors are written to directly, and writes wait for no
// reader once the context has ended. Of a symbolic link the target is replaced.
package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// File is a file that is being written.
type File struct {
	*os.File
	path   string  // as given
	target string  // of symbolic links; "": written directly
	temp   string  // "": written directly, or without a name
	direct *Outlet // nil: not written directly
}

// Write implements [io.Writer].
func (f *File) Write(p []byte) (int, error) {
	if f.direct != nil {
		return f.direct.Write(p)
	}
	return f.File.Write(p)
}

// WriteString implements [io.StringWriter].
func (f *File) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

// ReadFrom implements [io.ReaderFrom].
func (f *File) ReadFrom(r io.Reader) (int64, error) { return io.Copy(struct{ io.Writer }{f}, r) }

// pending holds the files that are neither complete nor removed.
var pending = struct {
	sync.Mutex
	files map[*File]bool
	ended bool // by Abandon
}{files: map[*File]bool{}}

// ErrAbandoned is returned after [Abandon].
var ErrAbandoned = errors.New("the program is ending")

// Create creates a file to which [File.Commit] gives the name path; its folder must exist. A FIFO must get a reader
// before the context ends. A new file gets the permissions that the umask leaves; an existing one keeps its
// permissions. Errors name the path.
func Create(ctx context.Context, path string) (*File, error) {
	return created(ctx, path, false)
}

// CreateShared is Create for a file that other processes can open by its temporary name, [File.Temp], and write to
// until it is committed.
func CreateShared(ctx context.Context, path string) (*File, error) {
	return created(ctx, path, true)
}

// Temp returns the temporary name of the file, "" if it has none.
func (f *File) Temp() string { return f.temp }

func created(ctx context.Context, path string, named bool) (*File, error) {
	f, err := create(ctx, path, named)
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", path, withoutPath(err))
	}
	if f.target == "" {
		f.direct = NewOutlet(ctx.Done(), f.File.Write)
	}
	return f, nil
}

func create(ctx context.Context, path string, named bool) (*File, error) {
	pending.Lock()
	defer pending.Unlock()
	if pending.ended {
		return nil, ErrAbandoned
	}
	target, info, err := resolve(path)
	if err != nil {
		return nil, err
	}
	f := &File{path: path}
	switch {
	case target == "":
		f.File, err = descriptor(path)
		return f, err
	case info != nil && info.Mode()&fs.ModeNamedPipe != 0:
		pending.Unlock()
		f.File, err = openFIFO(ctx, target)
		pending.Lock()
		return f, err
	case info != nil && !info.Mode().IsRegular():
		f.File, err = os.OpenFile(target, os.O_WRONLY, 0)
		return f, err
	}
	f.target = target
	if !named {
		f.File = unnamed(filepath.Dir(target))
	}
	if f.File == nil {
		f.temp = tempName(target)
		f.File, err = os.OpenFile(f.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	}
	if err == nil {
		pending.files[f] = true
		err = keepAttributes(f.File, info)
	}
	if err != nil {
		return nil, errors.Join(err, f.remove())
	}
	return f, nil
}

// withoutPath returns the reason of a failed operation on a path, without the path.
func withoutPath(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

const tempPrefix, tempSuffix = ".mpsolve-", ".tmp"

// tempName returns a name for a temporary file in the folder of target. It is short whatever the length of target's
// name.
func tempName(target string) string {
	return filepath.Join(filepath.Dir(target), fmt.Sprintf(tempPrefix+"%016x"+tempSuffix, rand.Uint64()))
}

// keepAttributes gives f the permissions of the file that it will replace; old is nil if there is none.
func keepAttributes(f *os.File, old fs.FileInfo) error {
	if old == nil {
		return nil
	}
	keepOwner(f, old)
	return f.Chmod(old.Mode().Perm())
}

// Commit closes the file and gives it its name. If writing it failed with err, Commit removes the file instead and
// returns err.
func (f *File) Commit(err error) error {
	if err == nil && f.target != "" {
		err = f.Sync()
	}
	pending.Lock()
	defer pending.Unlock()
	if err == nil && f.target != "" {
		err = f.rename()
	}
	if err == nil {
		err = f.Close()
		delete(pending.files, f)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("writing %s: %w", f.path, withoutPath(err)), f.remove())
	}
	return nil
}

// rename gives the file its name.
func (f *File) rename() error {
	if pending.ended {
		return ErrAbandoned
	}
	if f.temp == "" {
		f.temp = tempName(f.target)
		if err := name(f.File, f.temp); err != nil {
			f.temp = ""
			return err
		}
	}
	if err := os.Rename(f.temp, f.target); err != nil {
		var link *os.LinkError
		if errors.As(err, &link) {
			return link.Err
		}
		return err
	}
	f.temp = ""
	return nil
}

// remove closes an incomplete file and removes it.
func (f *File) remove() (err error) {
	delete(pending.files, f)
	if f.File != nil {
		f.Close()
	}
	if f.temp != "" {
		err = os.Remove(f.temp)
		f.temp = ""
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Abandon removes all incomplete files. The program must end afterwards: no further file can be created or completed.
func Abandon() {
	pending.Lock()
	defer pending.Unlock()
	pending.ended = true
	for f := range pending.files {
		_ = f.remove() // the program ends
	}
}

// Write replaces the file path by the output of write. If that fails, the file stays unchanged.
func Write(path string, write func(io.Writer) error) error {
	return WriteContext(context.Background(), path, write)
}

// WriteContext is [Write], but waits for the reader of a FIFO only until the context ends.
func WriteContext(ctx context.Context, path string, write func(io.Writer) error) error {
	f, err := Create(ctx, path)
	if err != nil {
		return err
	}
	return f.Commit(write(f))
}

// SyncFolder makes the name of a written file survive a failure of the system, as its content does already.
func SyncFolder(path string) error {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return withoutPath(err)
	}
	defer dir.Close()
	_ = dir.Sync() // not all file systems can
	return nil
}

// staleAge is longer than writing a file takes.
const staleAge = time.Hour

// RemoveStale removes from a folder the temporary files of killed processes, on file systems without unnamed files:
// those that were last written to at least an hour ago.
func RemoveStale(dir string) {
	list, err := filepath.Glob(filepath.Join(dir, tempPrefix+"*"+tempSuffix))
	if err != nil {
		return
	}
	for _, path := range list {
		middle := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), tempPrefix), tempSuffix)
		info, err := os.Lstat(path)
		if err == nil && len(middle) == 16 && info.Mode().IsRegular() && time.Since(info.ModTime()) > staleAge {
			_ = os.Remove(path) // another process may have been faster
		}
	}
}

// Publish gives the file its name before it is complete: what is written from then on appears in the file of that
// name, which remains whatever happens. A file that is written directly has its name already.
func (f *File) Publish() error {
	err := f.Sync()
	pending.Lock()
	defer pending.Unlock()
	if f.target == "" {
		return nil // devices and FIFOs may not support Sync
	}
	if err == nil {
		err = f.rename()
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", f.path, withoutPath(err))
	}
	f.target = ""
	delete(pending.files, f)
	return nil
}
