package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/krylov"
)

const verboseEvery = 1000 // iterations

// live shows the progress of a solve: a status line on a terminal and, with --verbose, a line for each refinement step and
// every verboseEvery iterations.
type live struct {
	line    *statusLine
	err     io.Writer
	stop    string // name of the stopping criterion
	tol     float64
	verbose bool
	start   time.Time
	outer   map[int]int // the last refinement step of each right-hand side
	rhs     int
	which   string // names the right-hand side; "": there is only one

	mu      sync.Mutex // guards the fields below, from which another goroutine draws the line
	working string     // the stage; "": iterations
	since   time.Time  // when the stage began
	last    krylov.Event
	at      time.Time // time of last
	end     forecast
}

func newLive(err io.Writer, stop string, tol float64, verbose bool) *live {
	now := time.Now()
	return &live{
		line: newStatusLine(err), err: err, stop: stop, tol: tol, verbose: verbose, start: now, since: now,
		working: "preparing", end: forecast{goal: tol}, outer: map[int]int{},
	}
}

// begin says that the next iterations are for right-hand side k of count.
func (l *live) begin(k, count int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rhs != k {
		l.end.restart()
	}
	l.rhs = k
	if count > 1 {
		l.which = fmt.Sprintf("rhs %d of %d", k+1, count)
	}
}

// stage shows a stage of the solve until the next iteration.
func (l *live) stage(text string) {
	l.mu.Lock()
	l.working, l.since = text, time.Now()
	l.end.restart()
	l.mu.Unlock()
	l.line.show(l.text)
}

func (l *live) add(e krylov.Event) {
	if l.verbose && (e.Outer != l.outer[l.rhs] || e.Iteration%verboseEvery == 0) {
		l.outer[l.rhs] = e.Outer
		report.Line(l.err, "progress", "%s", l.describe(e))
	}
	if l.line.console == nil {
		return
	}
	now := time.Now()
	l.mu.Lock()
	l.end.add(now.Sub(l.start), e.Estimate, e.Outer != l.last.Outer)
	l.working, l.last, l.at = "", e, now
	l.mu.Unlock()
	l.line.show(l.text)
}

// done removes the status line.
func (l *live) done() { l.line.done() }

// text returns the status line.
func (l *live) text(width int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.working != "" {
		return fit(width, part{0, l.working}, part{1, fmt.Sprintf("%.1f s", time.Since(l.since).Seconds())}, part{2, l.which})
	}
	left := "checking"
	if l.last.Estimate > l.tol {
		left = l.end.text(time.Since(l.at))
	}
	return fit(width,
		part{0, fmt.Sprintf("error %.1e > %.0e", l.last.Estimate, l.tol)}, part{1, left}, part{2, fmt.Sprintf("iteration %d", l.last.Iteration)},
		part{4, fmt.Sprintf("step %d", l.last.Outer)}, part{3, fmt.Sprintf("%.1f s", time.Since(l.start).Seconds())}, part{5, l.which})
}

// describe returns a line of --verbose.
func (l *live) describe(e krylov.Event) string {
	which := l.which
	if which != "" {
		which += ", "
	}
	return fmt.Sprintf("%sstep %d, iteration %d, %s error about %.1e, %.1f s",
		which, e.Outer, e.Iteration, l.stop, e.Estimate, time.Since(l.start).Seconds())
}
