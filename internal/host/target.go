package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// maxLinks is the largest number of consecutive symbolic links.
const maxLinks = 40

// resolve follows symbolic links to the file that a write to path concerns, and returns its info, nil if it does not
// exist yet. For the name of an open descriptor target is "".
func resolve(path string) (target string, info fs.FileInfo, err error) {
	target = path
	for range maxLinks {
		if _, ok := descriptorNumber(target); ok {
			return "", nil, nil
		}
		info, err := os.Lstat(target)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return target, nil, nil
		case err != nil:
			return "", nil, err
		case info.IsDir():
			return "", nil, errors.New("is a folder")
		case info.Mode()&fs.ModeSymlink == 0:
			return target, info, nil
		}
		next, err := os.Readlink(target)
		if err != nil {
			return "", nil, err
		}
		target = joined(target, next)
	}
	return "", nil, errors.New("too many symbolic links")
}

// joined returns the target of a symbolic link at path.
func joined(path, link string) string {
	if filepath.IsAbs(link) {
		return link
	}
	return filepath.Join(filepath.Dir(path), link)
}

// descriptors matches the names of open descriptors.
var descriptors = regexp.MustCompile(`^/(?:dev|proc/(?:self|\d+))/fd/(\d+)$`)

// descriptorNumber returns the number of the open descriptor that path names.
func descriptorNumber(path string) (fd int, ok bool) {
	switch path = filepath.Clean(path); path {
	case "/dev/stdin":
		return 0, true
	case "/dev/stdout":
		return 1, true
	case "/dev/stderr":
		return standardError(), true
	}
	parts := descriptors.FindStringSubmatch(path)
	if parts == nil {
		return 0, false
	}
	fd, err := strconv.Atoi(parts[1])
	if fd == 2 {
		fd = standardError()
	}
	return fd, err == nil
}

// standardError returns 2, unless descriptor 2 belongs to Go's runtime.
func standardError() int { return int(os.Stderr.Fd()) }

// Check returns the reason why path could not be written, as far as it can be known in advance. It leaves nothing
// behind.
func Check(path string) error {
	target, info, err := resolve(path)
	switch {
	case err != nil:
		return withoutPath(err)
	case target == "":
		f, err := descriptor(path)
		if err != nil {
			return withoutPath(err)
		}
		return f.Close()
	case info != nil:
		if err := writable(target); err != nil {
			return withoutPath(err)
		}
		if !info.Mode().IsRegular() {
			if info.Mode()&fs.ModeSocket != 0 {
				return errors.New("is a socket")
			}
			return nil
		}
	}
	dir := filepath.Dir(target)
	probe := tempName(target)
	f, err := os.OpenFile(probe, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		if _, missing := os.Stat(dir); errors.Is(missing, fs.ErrNotExist) {
			return fmt.Errorf("folder %s does not exist", dir)
		}
		return fmt.Errorf("folder %s: %w", dir, withoutPath(err))
	}
	return errors.Join(f.Close(), os.Remove(probe))
}

// Same reports whether writes to two paths concern the same file. Devices may be written to twice.
func Same(path, other string) bool {
	a, infoA, errA := resolve(path)
	b, infoB, errB := resolve(other)
	switch {
	case errA != nil || errB != nil:
		return false
	case a == "" || b == "":
		infoA, errA = os.Stat(path)
		infoB, errB = os.Stat(other)
		return errA == nil && errB == nil && infoA.Mode()&fs.ModeDevice == 0 && os.SameFile(infoA, infoB)
	case infoA != nil && infoB != nil:
		return infoA.Mode()&fs.ModeDevice == 0 && os.SameFile(infoA, infoB)
	case infoA != nil || infoB != nil || filepath.Base(a) != filepath.Base(b):
		return false
	}
	dirA, errA := os.Stat(filepath.Dir(a))
	dirB, errB := os.Stat(filepath.Dir(b))
	return errA == nil && errB == nil && os.SameFile(dirA, dirB)
}
