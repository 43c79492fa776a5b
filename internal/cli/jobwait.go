package cli

import (
	"context"
	"errors"
	"syscall"
	"time"
)

// While rank 0 works alone, the ranks exchange at intervals whether it has ended. The first interval is firstWait; intervals
// grow up to longestWait.
const (
	firstWait   = time.Millisecond
	longestWait = 100 * time.Millisecond
)

// onFirst runs f on rank 0, while the other ranks wait without using their processors. A signal to any rank stops f. All
// ranks return the error of f. Collective.
func (j *job) onFirst(ctx context.Context, f func(context.Context) error) error {
	if j.alone() {
		return f(ctx)
	}
	defer j.whole()()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var ended chan error
	if j.rank() == 0 {
		ended = make(chan error, 1)
		go func() { ended <- j.guarded(func() error { return f(ctx) }) }()
	} else {
		writing.Add(1) // only rank 0 may give up
		defer writing.Add(-1)
		defer onCheckpointSignal(func() {})() // launchers send SIGUSR1 to all ranks; only rank 0 acts on it
	}
	for wait := firstWait; ; wait = min(wait+wait/8, longestWait) {
		var err error
		state := []int64{0, 0} // 1 if rank 0 has ended; exit code of the signal that stops a rank
		select {
		case err = <-ended:
			state[0] = 1
		case <-time.After(wait):
		}
		if cause := context.Cause(ctx); cause != nil {
			state[1] = int64(exitCode(cause))
		}
		j.comm.Max(state)
		if state[1] > 0 {
			cancel(stoppedWith(int(state[1])))
		}
		if state[0] > 0 {
			return j.agree(err)
		}
	}
}

// stoppedWith returns the cause that belongs to an exit code, as far as the code tells it.
func stoppedWith(code int) error {
	if code > 128 {
		return signalError{syscall.Signal(code - 128)}
	}
	return errors.New("another rank has stopped")
}
