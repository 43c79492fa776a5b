//go:build unix

package cli

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// fewDescriptors is the number of files that mpsolve must still be able to open. With fewer, Go's runtime fails without an
// error that could be reported.
const fewDescriptors = 3

// checkDescriptors returns an error if the limit on open files is too low.
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
