package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mpsolve/mpsolve/internal/atomicfile"
)

// signalError is the cause that a signal cancels a context with.
type signalError struct{ syscall.Signal }

func (e signalError) Error() string { return "stopped by signal: " + e.String() }

// exitCode is the shell's for a process that the signal ended.
func (e signalError) exitCode() int { return 128 + int(e.Signal) }

// After a signal a command has signalGrace to end, and longer while it writes a file; what
// must happen before the process ends has exitGrace.
const (
	signalGrace = 3 * time.Second
	exitGrace   = 200 * time.Millisecond
)

// watchSignals returns a context that the first signal cancels. The second one ends the
// process at once, whatever that is doing. A closed standard output is an error of the write
// and no signal.
func watchSignals(errOut io.Writer) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals, pipes := make(chan os.Signal, 8), make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as it is under nohup
		signal.Notify(signals, syscall.SIGHUP)
	}
	signal.Notify(pipes, syscall.SIGPIPE)
	go func() {
		count := 0
		for s := range signals {
			stopped := signalError{s.(syscall.Signal)}
			if count++; count == 1 {
				cancel(stopped)
				continue
			}
			exitNow(errOut, stopped)
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		signal.Stop(pipes)
		cancel(nil)
	}
}

// exitNow removes incomplete files, prints the error and ends the process, without waiting
// long for either.
func exitNow(errOut io.Writer, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		atomicfile.Abandon()
		fmt.Fprintf(errOut, "mpsolve: %v\n", err)
	}()
	select {
	case <-done:
	case <-time.After(exitGrace):
	}
	os.Exit(exitCode(err))
}

// errAbandoned is returned for what was given up.
var errAbandoned = errors.New("given up")

// abandonable runs f. If f has not returned when grace has passed since the context ended,
// it is left to itself, unless it is writing a file, and the program must end.
func abandonable(ctx context.Context, grace time.Duration, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	for late := time.NewTimer(grace); ; late.Reset(exitGrace) {
		select {
		case err := <-done:
			return err
		case <-late.C:
			if writing.Load() == 0 {
				atomicfile.Abandon()
				return errAbandoned
			}
		}
	}
}
