//go:build unix

package cli

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// cpuLimit is the signal of a soft limit on processor time, which batch systems set.
var cpuLimit = []os.Signal{syscall.SIGXCPU}

// onCheckpointSignal calls f at each SIGUSR1, until end is called.
func onCheckpointSignal(f func()) (end func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-signals:
				f()
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Ignore(syscall.SIGUSR1) // a late signal must not end the process
		close(done)
	}
}

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
