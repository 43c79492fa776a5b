package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/mpsolve/mpsolve/internal/host"
)

// signalError is the cause of a context that a signal has cancelled.
type signalError struct{ syscall.Signal }

func (e signalError) Error() string { return "stopped by signal: " + e.String() }

// exitCode returns the exit code that a shell gives to a process that the signal ended.
func (e signalError) exitCode() int { return 128 + int(e.Signal) }

// After a signal a command must end within signalGrace, or within resultGrace while it completes a result. While it writes a
// file, there is no limit. The last work before the process ends has exitGrace.
const (
	signalGrace = 3 * time.Second
	resultGrace = 15 * time.Second
	exitGrace   = 200 * time.Millisecond
)

// A second signal with the same number within echo counts as the same signal: timeout and many schedulers send a signal to
// the process and then to its group.
const echo = 250 * time.Millisecond

// watch returns a context that the first signal cancels, or the memory limit. The second signal, other than an echo, ends the
// process at once. A closed standard output is not a signal, but an error of the write.
func watch(j *job) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals, pipes := make(chan os.Signal, 8), make(chan os.Signal, 1)
	signal.Notify(signals, append(cpuLimit, syscall.SIGINT, syscall.SIGTERM)...)
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signal.Notify(signals, syscall.SIGHUP)
	}
	signal.Notify(pipes, syscall.SIGPIPE)
	go func() {
		var first os.Signal
		var since time.Time
		for s := range signals {
			switch stopped := (signalError{s.(syscall.Signal)}); {
			case first == nil:
				first, since = s, time.Now()
				cancel(stopped)
			case s != first || time.Since(since) > echo:
				j.exitNow(stopped)
			}
		}
	}()
	go j.watchMemory(ctx, cancel)
	return ctx, func() {
		signal.Stop(signals)
		signal.Stop(pipes)
		cancel(nil)
	}
}

// memoryInterval is the time between two checks of the memory.
const memoryInterval = 50 * time.Millisecond

// watchMemory cancels the context when the memory is used up. If the command does not end, it ends the process before the
// system or Go's runtime does.
func (j *job) watchMemory(ctx context.Context, cancel context.CancelCauseFunc) {
	var since time.Time // when the memory was used up first
	for {
		select {
		case <-time.After(memoryInterval):
		case <-ctx.Done():
			if since.IsZero() {
				return
			}
			time.Sleep(memoryInterval)
		}
		err := host.Exhausted()
		switch {
		case err == nil:
		case since.IsZero():
			debug.FreeOSMemory()
			if host.Exhausted() != nil {
				since = time.Now()
				cancel(err)
			}
		case time.Since(since) > signalGrace && writing.Load() == 0:
			j.exitNow(err)
		}
	}
}

// exitNow removes incomplete files, prints the error and ends the process and all other ranks; none of this may take longer
// than exitGrace. If all ranks have printed everything, it prints nothing: launchers send signals to the other ranks when
// one rank ends.
func (j *job) exitNow(err error) {
	if j.over.Load() {
		os.Exit(exitCode(err))
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		host.Abandon()
		fmt.Fprintf(j.err, "mpsolve: %v\n", err)
	}()
	select {
	case <-done:
	case <-time.After(exitGrace):
	}
	j.abort(exitCode(err))
}

// errAbandoned is the error of a function that abandonable has given up.
var errAbandoned = errors.New("given up")

// abandonable runs f. If f has not returned when grace has passed since the context ended, and is not writing a file,
// abandonable returns errAbandoned without waiting for f. Then the program must end.
func abandonable(ctx context.Context, grace time.Duration, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	ended := time.Now()
	for late := time.NewTimer(grace); ; late.Reset(exitGrace) {
		select {
		case err := <-done:
			return err
		case <-late.C:
			if writing.Load() == 0 && (completing.Load() == 0 || time.Since(ended) > resultGrace) {
				host.Abandon()
				return errAbandoned
			}
		}
	}
}
