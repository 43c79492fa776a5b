package cli

import (
	"context"
	"errors"
	"syscall"
	"time"
)

// While rank 0 works alone, the others ask it now and then whether it has ended: first after firstWait, and ever
// more rarely, up to longestWait.
const (
	firstWait   = time.Millisecond
	longestWait = 100 * time.Millisecond
)

// onFirst runs f on rank 0, while the other ranks wait without using their processors. What
// stops one of them stops f. All return its error. Collective.
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
		writing.Add(1) // it is not given up: rank 0 decides
		defer writing.Add(-1)
		defer onCheckpointSignal(func() {})() // which launchers send to all ranks
	}
	for wait := firstWait; ; wait = min(wait+wait/8, longestWait) {
		var err error
		state := []int64{0, 0} // whether rank 0 has ended, and the exit code of what stops it
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

// stoppedWith is the cause with an exit code, as far as the code tells it.
func stoppedWith(code int) error {
	if code > 128 {
		return signalError{syscall.Signal(code - 128)}
	}
	return errors.New("another rank has stopped")
}
