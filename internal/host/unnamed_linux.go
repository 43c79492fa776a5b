package host

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// unnamed creates a file without a name, which vanishes with the process however the process ends. It returns nil if
// the file system does not support such files.
func unnamed(dir string) *os.File {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, 0o666)
	if err != nil {
		return nil
	}
	if _, err := os.Stat("/proc/self/fd/" + strconv.Itoa(fd)); err != nil { // name needs /proc
		_ = unix.Close(fd)
		return nil
	}
	return os.NewFile(uintptr(fd), dir)
}

// name gives an unnamed file a name.
func name(f *os.File, path string) error {
	return unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(int(f.Fd())), unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
}
