package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

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
