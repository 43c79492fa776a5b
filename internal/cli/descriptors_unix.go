//go:build unix

package cli

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// fewDescriptors is how many more files mpsolve must be able to open: without those of Go's runtime there would be no error.
const fewDescriptors = 3

// checkDescriptors reports a limit on open files that nothing can be done within.
func checkDescriptors() (err error) {
	for range fewDescriptors {
		fd, fault := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 0)
		if fault != nil {
			err = fault
			break
		}
		defer unix.Close(fd)
	}
	if errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) {
		return fmt.Errorf("fewer than %d files can be opened (ulimit -n): %w", fewDescriptors, err)
	}
	return nil
}
