package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/krylov"
)

const verboseEvery = 1000 // iterations

// live shows the progress of a solve: one changing line on a terminal, and with
// --verbose a line for each refinement step and every so many iterations.
type live struct {
	statusLine
	err     io.Writer
	stop    string // the criterion
	verbose bool
	start   time.Time
	outer   map[int]int // of each right-hand side
	rhs     int
	which   string // right-hand side, of several
}

func newLive(err io.Writer, stop string, verbose bool) *live {
	return &live{statusLine: newStatusLine(err), err: err, stop: stop, verbose: verbose, start: time.Now(), outer: map[int]int{}}
}

// begin starts right-hand side k of count, or goes on with it.
func (l *live) begin(k, count int) {
	l.rhs = k
	if count > 1 {
		l.which = fmt.Sprintf("rhs %d of %d, ", k+1, count)
	}
}

func (l *live) add(e krylov.Event) {
	if l.verbose && (e.Outer != l.outer[l.rhs] || e.Iteration%verboseEvery == 0) {
		l.outer[l.rhs] = e.Outer
		l.clear()
		report.Line(l.err, "progress", "%s", l.describe(e))
	}
	l.show(func() string { return l.describe(e) })
}

func (l *live) describe(e krylov.Event) string {
	return fmt.Sprintf("%sstep %d, iteration %d, %s error about %.1e, %.1f s",
		l.which, e.Outer, e.Iteration, l.stop, e.Estimate, time.Since(l.start).Seconds())
}
