//go:build unix

package records

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock keeps other processes from locking f until f is closed. On file systems without locks it does nothing.
func lock(f *os.File) error {
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		return ErrInUse
	}
	return nil
}
