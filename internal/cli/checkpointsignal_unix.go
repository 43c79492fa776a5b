//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

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
