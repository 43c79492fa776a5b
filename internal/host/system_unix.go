//go:build unix

package host

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// descriptor returns a duplicate of the open descriptor that path names, or an error if it is not open for writing.
func descriptor(path string) (*os.File, error) {
	fd, _ := descriptorNumber(descriptorName(path))
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	var stat unix.Stat_t
	if err != nil || unix.Fstat(fd, &stat) != nil || stat.Mode&unix.S_IFMT == 0 { // the last condition: made by Go's runtime
		return nil, errors.New("the descriptor is not open")
	}
	if mode := flags & unix.O_ACCMODE; mode != unix.O_WRONLY && mode != unix.O_RDWR {
		return nil, errors.New("the descriptor is not open for writing")
	}
	twin, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(twin), path), nil
}

// descriptorName follows symbolic links up to the name of a descriptor.
func descriptorName(path string) string {
	for range maxLinks {
		if _, ok := descriptorNumber(path); ok {
			return path
		}
		next, err := os.Readlink(path)
		if err != nil {
			return path
		}
		path = joined(path, next)
	}
	return path
}

// writable returns the reason why an existing file cannot be written to.
func writable(path string) error { return unix.Access(path, unix.W_OK) }

// keepOwner gives f the owner of old, if this process may.
func keepOwner(f *os.File, old fs.FileInfo) {
	if s, ok := old.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(s.Uid), int(s.Gid)) // a copy with one's own name will do
	}
}

// fifoPoll is the interval at which a FIFO is checked for a reader, fifoGrace the time for that after the context has
// ended.
const (
	fifoPoll  = 20 * time.Millisecond
	fifoGrace = 200 * time.Millisecond
)

// openFIFO opens a FIFO once it has a reader.
func openFIFO(ctx context.Context, path string) (*os.File, error) {
	var ended time.Time
	for {
		f, err := os.OpenFile(path, os.O_WRONLY|unix.O_NONBLOCK, 0)
		if !errors.Is(err, unix.ENXIO) {
			return f, err // Go's poller waits for room
		}
		if ctx.Err() != nil {
			if ended.IsZero() {
				ended = time.Now()
			}
			if time.Since(ended) > fifoGrace {
				return nil, errors.New("nobody reads the FIFO")
			}
		}
		time.Sleep(fifoPoll)
	}
}
