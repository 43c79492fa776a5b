package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/mpi"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/spf13/cobra"
)

// A job is the ranks that run this command together. Each is a process that a launcher of MPI has started; without a
// launcher there is one rank.
type job struct {
	comm  *dist.Timed
	stop  func()    // ends MPI
	err   io.Writer // standard error of this rank, for what ends the job; all else is printed by rank 0
	ranks []profile
	grace time.Duration // how long an interrupted command may take to end
	late  time.Duration // how long a run may go on after its time limit
	args  []string      // the command line
	over  atomic.Bool   // all ranks have printed everything
}

// startJob begins to run a command on all ranks. Program and arguments must be the same on all.
func startJob(args []string, errOut io.Writer) (*job, error) {
	comm, stop, err := mpi.Start()
	if err != nil {
		return nil, err
	}
	if doubt := mpi.Doubt(comm.Size()); doubt != "" {
		fmt.Fprintf(errOut, "mpsolve: warning: %s\n", doubt)
	}
	return newJob(comm, stop, args, errOut)
}

func newJob(comm dist.Comm, stop func(), args []string, errOut io.Writer) (*job, error) {
	j := newRanks(comm, stop, errOut)
	j.args = args
	return j, j.begin(args, "was started", "as mpsolve")
}

// newRanks returns the job of these ranks, before they have compared their arguments.
func newRanks(comm dist.Comm, stop func(), errOut io.Writer) *job {
	return &job{comm: dist.NewTimed(comm), stop: stop, err: errOut, grace: signalGrace, late: limitGrace}
}

// begin compares the arguments of all ranks, and shares the processors among the ranks. An error says that a rank did something with its
// arguments, as what they are. Collective.
func (j *job) begin(args []string, did, as string) error {
	if j.alone() {
		return nil
	}
	err := j.compare(args, did, as)
	if err == nil {
		j.share()
	}
	return err
}

func (j *job) rank() int { return j.comm.Rank() }
func (j *job) size() int { return j.comm.Size() }

// alone reports whether this is the only rank.
func (j *job) alone() bool { return j.size() == 1 }

// streams returns the streams of this rank: only rank 0 reads standard input and prints.
func (j *job) streams(in io.Reader, out, errOut io.Writer) streams {
	if j.rank() > 0 {
		return streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard, job: j}
	}
	return streams{in: in, out: out, err: errOut, job: j}
}

// overRanks marks commands that run over ranks.
const overRanks = "over ranks"

// alike marks a command that runs over ranks, or prints the same on all of them.
func alike(c *cobra.Command) *cobra.Command {
	if c.Annotations == nil {
		c.Annotations = map[string]string{}
	}
	c.Annotations[overRanks] = "yes"
	return c
}

// suits returns an error if there are several ranks and the command does not run over ranks.
func (j *job) suits(c *cobra.Command) error {
	if j.alone() || c.Annotations[overRanks] != "" {
		return nil
	}
	return usage("%s runs in a single process, and a launcher has started %d; solve and bench mpi run over ranks", c.CommandPath(), j.size())
}

// abort ends all ranks at once.
func (j *job) abort(code int) {
	if j.alone() {
		os.Exit(code)
	}
	go j.comm.Abort(code)
	time.Sleep(exitGrace)
	os.Exit(code)
}

// guarded runs f, and ends all ranks if it panics, since the others would wait for this one.
func (j *job) guarded(f func() error) error {
	if j.alone() {
		return f()
	}
	defer func() {
		fault := recover()
		if fault == nil {
			return
		}
		code, text := 2, fmt.Sprintf("panic: %v\n\n%s", fault, debug.Stack())
		if transport, ok := fault.(*dist.Error); ok {
			code, text = exitFailure, transport.Error()
		}
		fmt.Fprintf(j.err, "mpsolve: rank %d: %s\n", j.rank(), text)
		j.abort(code)
	}()
	return f()
}

// giveUp ends all ranks with an error that only this rank has.
func (j *job) giveUp(err error) {
	if j.rank() > 0 {
		err = fmt.Errorf("rank %d: %w", j.rank(), err)
	}
	fmt.Fprintf(j.err, "mpsolve: %s\n", report.Printable(oneLine(err)))
	j.abort(exitCode(err))
}

// close waits for all ranks and ends MPI. It must wait, since a launcher may end rank 0, which prints, as soon as another rank
// ends.
func (j *job) close() {
	if !j.alone() {
		j.comm.Barrier()
	}
	j.over.Store(true)
	j.stop()
}

// outcome returns the error that ends the command, the same on all ranks: the signal that stopped a rank, or the error of
// the command. Collective.
func (j *job) outcome(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	if j.alone() {
		if cause != nil {
			return cause
		}
		return err
	}
	if stopped := j.agree(cause); stopped != nil {
		return stopped
	}
	return j.agree(err)
}

// agree returns the error of the first rank that has one, on all ranks. Collective.
func (j *job) agree(err error) error {
	if j.alone() {
		return err
	}
	rank := dist.First(j.comm, err != nil)
	if rank < 0 {
		return nil
	}
	var own []byte
	if err != nil {
		own = append([]byte{byte(exitCode(err))}, err.Error()...)
	}
	b := dist.Share(j.comm, rank, own)
	if rank == 0 && j.rank() == 0 {
		return err
	}
	return told(rank, int(b[0]), string(b[1:]))
}

// told returns the error that another rank has sent.
func told(rank, code int, text string) error {
	switch {
	case text == "":
		return &exitError{code: code}
	case rank > 0 && code < 128:
		text = fmt.Sprintf("rank %d: %s", rank, text)
	}
	return &exitError{code, errors.New(text)}
}

// noJob prints why the job did not begin. Ranks other than 0 print nothing if rank 0 prints the error.
func noJob(err error, errOut io.Writer) int {
	if err.Error() != "" {
		fmt.Fprintf(errOut, "mpsolve: %s\n", report.Printable(oneLine(err)))
	}
	return exitCode(err)
}

// While rank 0 works alone, the ranks exchange at intervals whether it has ended. The first interval is firstWait; intervals
// grow up to longestWait.
const (
	firstWait   = time.Millisecond
	longestWait = 100 * time.Millisecond
)

// onFirst runs f on rank 0, while the other ranks wait without using their processors. A signal to any rank stops f. All
// ranks return the error of f. Collective.
func (j *job) onFirst(ctx context.Context, f func(context.Context) error) error {
	if j.rank() > 0 {
		writing.Add(1) // only rank 0 may give up
		defer writing.Add(-1)
		defer onCheckpointSignal(func() {})() // launchers send SIGUSR1 to all ranks; only rank 0 acts on it
	}
	return j.first(ctx, f)
}

// first is onFirst for ranks that leave signals to others. Collective.
func (j *job) first(ctx context.Context, f func(context.Context) error) error {
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
