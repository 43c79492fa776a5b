package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/internal/solver/checkpoint"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/spf13/cobra"
)

// checkpointFlags say where a run writes checkpoints, and which checkpoint it continues from.
type checkpointFlags struct {
	file    string
	every   time.Duration
	resume  string
	threads bool // --threads was given
	memory  bool // --max-memory was given

	requests chan struct{} // SIGUSR1 asks for a checkpoint
	failed   string        // the last error of writing a checkpoint
	from     *os.File      // the file of resume, open; nil: there is none
}

// asked reports whether the run writes checkpoints or continues from one.
func (f *checkpointFlags) asked() bool { return f.file != "" || f.resume != "" }

const defaultCheckpointEvery = 5 * time.Minute

func (f *checkpointFlags) add(c *cobra.Command) {
	fl := c.Flags()
	fl.StringVar(&f.file, "checkpoint", "", "write the state of the solve to this `file`, for --resume: every --checkpoint-every, on SIGUSR1, "+
		"and when a signal or --max-time ends the solve; the file is removed when a converged x has been written")
	addDuration(fl, &f.every, "checkpoint-every", defaultCheckpointEvery, "time between two checkpoints; 0: only on signals and --max-time")
	fl.StringVar(&f.resume, "resume", "", "continue from this checkpoint `file`, with the same matrix, right-hand sides and options; x gets the same bits as without the interruption")
}

// check returns an error if checkpoints cannot be written to the file, or must not replace it.
func (f *checkpointFlags) check(c *cobra.Command, opt *solve.Options, inputs ...string) error {
	f.threads, f.memory = c.Flags().Changed("threads"), c.Flags().Changed("max-memory")
	if c.Flags().Changed("checkpoint-every") && f.file == "" {
		return usage("--checkpoint-every needs --checkpoint")
	}
	if f.every < 0 {
		return usage("--checkpoint-every %v: want a positive duration", f.every)
	}
	if f.file == "" && f.resume == "" {
		return nil
	}
	if err := checkOutput("checkpoint", f.file, inputs...); err != nil {
		return err
	}
	if f.file != "" && !f.replaceable() {
		return usage("--checkpoint %s: exists and is not a checkpoint", f.file)
	}
	program := host.Here("", Version)
	opt.Checkpoint.Program = program.Version
	if program.Commit != "" {
		opt.Checkpoint.Program += " " + program.Commit
	}
	if f.file != "" {
		opt.Checkpoint.Every = f.every
	}
	opt.Checkpoint.Save = func(solve.Checkpoint) {} // until there is a run
	return nil
}

// replaceable reports whether the file does not exist, is empty or is a checkpoint.
func (f *checkpointFlags) replaceable() bool {
	info, err := os.Stat(f.file)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	if !info.Mode().IsRegular() {
		return false
	}
	in, err := os.Open(f.file)
	if err != nil {
		return false
	}
	defer in.Close()
	start := make([]byte, len(checkpoint.Magic))
	n, _ := io.ReadFull(in, start)
	return n == 0 || bytes.Equal(start[:n], []byte(checkpoint.Magic))
}

// open opens the checkpoint to continue from. Unless flags give them, the number of threads and the memory limit are taken
// from the checkpoint. A rank that does not see the file gets its vectors from rank 0.
func (f *checkpointFlags) open(j *job, opt *solve.Options) (err error) {
	if f.resume == "" {
		return nil
	}
	if f.from, err = os.Open(f.resume); err != nil {
		if j.rank() > 0 {
			return nil
		}
		return &exitError{exitInput, fmt.Errorf("--resume: %w", err)}
	}
	var c solve.Checkpoint
	info, err := f.from.Stat()
	switch {
	case err == nil && info.Mode().IsRegular():
		c, err = checkpoint.Open(f.from, info.Size())
	case err == nil && j.rank() == 0:
		c, err = checkpoint.Read(f.from)
	}
	switch {
	case j.rank() > 0 && (err != nil || c == nil):
		return nil
	case err != nil:
		return &exitError{exitInput, f.refused(err)}
	}
	if !f.threads {
		opt.Threads = c.Threads()
	}
	if !f.memory {
		opt.MaxMemory = c.MaxMemory()
	}
	opt.Checkpoint.Resume = c
	return nil
}

// close closes the checkpoint that the run continued from.
func (f *checkpointFlags) close() {
	if f.from != nil {
		f.from.Close()
	}
}

// refused adds the name of the file to the error of a checkpoint.
func (f *checkpointFlags) refused(err error) error {
	var refused *solve.CheckpointError
	if errors.As(err, &refused) {
		return fmt.Errorf("checkpoint %s %w", f.resume, err)
	}
	return err
}

// takeCheckpoints makes the solver take checkpoints, which all ranks write when rank 0 wants one.
func (r *solveRun) takeCheckpoints() {
	f := &r.checkpoint
	if f.file == "" {
		return
	}
	r.opt.Checkpoint.Save = r.saveCheckpoint
	if r.job.rank() > 0 {
		return
	}
	r.opt.Checkpoint.Request, r.report.Checkpoint = f.requests, &report.Checkpoint{}
	host.RemoveStale(filepath.Dir(f.file))
	if _, err := os.Stat(f.file); err == nil && !host.Same(f.file, f.resume) {
		r.opt.Log(fmt.Sprintf("checkpoint %s is there already and will be replaced; --resume %s would go on from it", f.file, f.file))
	}
}

// writeCheckpoint writes a checkpoint and returns its size. Collective if the matrix is spread.
func (r *solveRun) writeCheckpoint(c *checkpoint.Taken) (bytes int64, err error) {
	path, background := r.checkpoint.file, context.Background()
	through := func(w io.Writer) (err error) {
		bytes, err = c.WriteTo(w)
		return err
	}
	if !r.spread() || r.job.alone() {
		err = host.WriteContext(background, path, through)
	} else {
		err = r.job.writeTogether(background, path, func(w io.WriterAt) (err error) {
			bytes, err = c.WriteParts(w)
			return err
		}, through)
	}
	if err == nil && r.job.rank() == 0 {
		err = host.SyncFolder(path)
	}
	return bytes, err
}

// saveCheckpoint writes a checkpoint. If writing fails, the solve goes on.
func (r *solveRun) saveCheckpoint(c solve.Checkpoint) {
	writing.Add(1)
	defer writing.Add(-1)
	f, start := &r.checkpoint, time.Now()
	bytes, err := r.writeCheckpoint(c.(*checkpoint.Taken))
	switch {
	case r.job.rank() > 0:
		return
	case err != nil:
		if text := oneLine(err); text != f.failed {
			fmt.Fprintf(r.err, "mpsolve: no checkpoint written: %s; the solve goes on\n", report.Printable(text))
			f.failed = text
		}
		return
	}
	f.failed = ""
	kept := r.report.Checkpoint
	kept.File, kept.Bytes = f.file, bytes
	kept.Taken++
	kept.Seconds += time.Since(start).Seconds()
	kept.RHS, kept.Iterations = c.Solved()+1, c.Iterations()
	if r.verbose {
		fmt.Fprintf(r.err, "checkpoint after %s of right-hand side %d\n", english.Plural(kept.Iterations, "iteration", ""), kept.RHS)
	}
}

// dropCheckpoint removes the checkpoint after a converged x has been written.
func (r *solveRun) dropCheckpoint() error {
	kept := r.report.Checkpoint
	if kept == nil {
		return nil
	}
	mine := kept.File != "" || host.Same(r.checkpoint.file, r.checkpoint.resume)
	if kept.File = ""; !mine {
		return nil
	}
	if err := os.Remove(r.checkpoint.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// listen has each SIGUSR1 write a snapshot, until end is called: x, the history and a checkpoint as they are then, as far as
// flags name files for them. The solve goes on.
func (r *solveRun) listen() (end func()) {
	snapshots := make(chan struct{}, 1)
	r.checkpoint.requests = make(chan struct{}, 1)
	if (isFile(r.output) || isFile(r.solveFlags.history)) && r.job.alone() {
		r.opt.Snapshot = solve.Snapshots{Request: snapshots, Save: r.writeNow}
	}
	return onCheckpointSignal(func() {
		if r.opt.Snapshot.Save == nil && r.checkpoint.file == "" {
			fmt.Fprintln(r.streams.err, "mpsolve: SIGUSR1 asks for x, history and checkpoint, but there is no --output, --history or --checkpoint; going on")
			return
		}
		for _, requests := range []chan struct{}{snapshots, r.checkpoint.requests} {
			select {
			case requests <- struct{}{}:
			default: // a request waits already
			}
		}
	})
}

// isFile reports whether a path names a file that can be replaced.
func isFile(path string) bool {
	info, err := os.Stat(path)
	return path != "" && (err != nil || info.Mode().IsRegular())
}

// writeNow writes a snapshot: x, beside the solutions for earlier right-hand sides, and the history so far. If that
// fails, the solve goes on.
func (r *solveRun) writeNow(x []float64) {
	writing.Add(1)
	defer writing.Add(-1)
	var files []string
	written := func(path string, err error) {
		if err != nil {
			fmt.Fprintf(r.err, "mpsolve: SIGUSR1: %s; the solve goes on\n", report.Printable(oneLine(err)))
			return
		}
		files = append(files, report.Printable(path))
	}
	if isFile(r.output) {
		columns := append(append([][]float64{}, r.x...), x)
		for k := len(columns); k < len(r.b); k++ { // right-hand sides that the solve has not begun with: their guesses
			guess := make([]float64, len(x))
			copy(guess, r.x0[k])
			columns = append(columns, guess)
		}
		written(r.problem.write(context.Background(), r.output, columns))
	}
	if isFile(r.solveFlags.history) {
		written(r.solveFlags.history, r.history.publish())
	}
	if len(files) > 0 {
		fmt.Fprintf(r.err, "mpsolve: SIGUSR1: wrote %s; the solve goes on\n", strings.Join(files, ", "))
	}
}
