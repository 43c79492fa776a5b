package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/krylov"
)

const (
	liveInterval = 100 * time.Millisecond
	verboseEvery = 1000 // iterations
)

// live shows the progress of a solve: one changing line on a terminal, and with
// --verbose a line for each refinement step and every so many iterations.
type live struct {
	err     io.Writer
	stop    string // the criterion
	verbose bool
	bar     *progressbar.ProgressBar // nil: no terminal
	start   time.Time
	drawn   time.Time
	outer   int
	which   string // right-hand side, of several
}

func newLive(err io.Writer, stop string, verbose bool) *live {
	l := &live{err: err, stop: stop, verbose: verbose, start: time.Now()}
	if isTerminal(err) {
		l.bar = progressbar.NewOptions64(-1, progressbar.OptionSetWriter(err),
			progressbar.OptionSpinnerType(14), progressbar.OptionSetElapsedTime(false),
			progressbar.OptionClearOnFinish())
	}
	return l
}

// begin announces right-hand side k of count.
func (l *live) begin(k, count int) {
	l.outer = 0
	if count > 1 {
		l.which = fmt.Sprintf("rhs %d of %d, ", k+1, count)
	}
}

func (l *live) add(e krylov.Event) {
	if l.verbose && (e.Outer != l.outer || e.Iteration%verboseEvery == 0) {
		l.outer = e.Outer
		l.clear()
		report.Line(l.err, "progress", "%s", l.describe(e))
	}
	if l.bar == nil || time.Since(l.drawn) < liveInterval {
		return
	}
	l.drawn = time.Now()
	l.bar.Describe(l.describe(e))
	_ = l.bar.Add(1) // a line that cannot be drawn harms nothing
}

func (l *live) describe(e krylov.Event) string {
	return fmt.Sprintf("%sstep %d, iteration %d, %s error about %.1e, %.1f s",
		l.which, e.Outer, e.Iteration, l.stop, e.Estimate, time.Since(l.start).Seconds())
}

// clear makes room for another line.
func (l *live) clear() {
	if l.bar != nil {
		_ = l.bar.Clear()
	}
}

// done takes the changing line away for good.
func (l *live) done() {
	if l.bar != nil {
		_ = l.bar.Finish()
		l.bar = nil
	}
}
