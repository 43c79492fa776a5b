package cli

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
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
	share   float64    // percent of it that are done; -1: not known
	last    krylov.Event
	at      time.Time // time of last, or of the share
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

// stage shows a stage of the solve until the next iteration. A percentage after a colon grows while the stage goes on.
func (l *live) stage(text string) {
	l.mu.Lock()
	now, share := time.Now(), -1.0
	_, details, _ := strings.Cut(text, ": ")
	if percent, _, found := strings.Cut(details, "%"); found {
		share, _ = strconv.ParseFloat(percent, 64)
	}
	if min(share, l.share) < 0 || share < l.share {
		l.since = now
	}
	l.working, l.share, l.at = text, share, now
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
		left := ""
		if l.share > 0 {
			rest := float64(l.at.Sub(l.since)) * (100/l.share - 1)
			left = "~" + about(time.Duration(rest)-time.Since(l.at)) + " left"
		}
		return fit(width, part{0, l.working}, part{1, left}, part{2, fmt.Sprintf("%.1f s", time.Since(l.since).Seconds())}, part{3, l.which})
	}
	left := "checking"
	if l.last.Estimate > l.tol {
		left = l.end.text(time.Since(l.at))
	}
	return fit(width,
		part{0, "error " + report.Compared(l.last.Estimate, l.tol)}, part{1, left}, part{2, fmt.Sprintf("iteration %d", l.last.Iteration)},
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

// A forecast estimates the remaining time of a solve. It extrapolates the logarithm of the least error so far at three rates:
// since the method began, and in the last half and the last quarter of that time. The three estimates give a range. If they
// differ too much, there is no forecast.
type forecast struct {
	goal   float64
	marks  []mark // some of the iterations, evenly spaced in time
	every  time.Duration
	newest mark
}

// mark is the logarithm of the least error up to a time.
type mark struct {
	at  time.Duration
	log float64
}

const (
	mostMarks  = 128
	fewMarks   = 8
	leastWay   = 0.2 // share of the way to the goal that a forecast needs
	mostSpread = 4   // largest ratio of the rates
)

// restart forgets all iterations, since another method begins.
func (f *forecast) restart() { *f = forecast{goal: f.goal} }

// add adds an iteration, in the order of time. first is the first iteration of a refinement step: its error has been measured
// and may be larger than the estimates before.
func (f *forecast) add(at time.Duration, e float64, first bool) {
	log := math.Log(e)
	if len(f.marks) > 0 && !first {
		log = math.Min(log, f.newest.log) // NaN stays
	}
	f.newest = mark{at, log}
	if n := len(f.marks); n > 0 && at-f.marks[n-1].at < f.every {
		return
	}
	if f.marks = append(f.marks, f.newest); len(f.marks) == mostMarks {
		for k := range mostMarks / 2 {
			f.marks[k] = f.marks[2*k]
		}
		f.marks = f.marks[:mostMarks/2]
		f.every = 2 * max(f.every, (at-f.marks[0].at)/mostMarks)
	}
}

// left returns the range of the remaining time after the last iteration; known is false if there is no forecast.
func (f *forecast) left() (least, most time.Duration, known bool) {
	if len(f.marks) < fewMarks {
		return 0, 0, false
	}
	first, now := f.marks[0], f.newest
	way := now.log - math.Log(f.goal)
	if !(way > 0 && first.log-now.log > leastWay*way) {
		return 0, 0, false
	}
	slow, fast, rate := math.Inf(1), 0.0, 0.0
	for _, share := range []time.Duration{1, 2, 4} {
		from := f.before(now.at - (now.at-first.at)/share)
		rate = (from.log - now.log) / float64(now.at-from.at)
		slow, fast = math.Min(slow, rate), math.Max(fast, rate)
	}
	if !(slow > 0) || fast > mostSpread*slow {
		return 0, 0, false
	}
	if rate > slow { // convergence becomes faster, as usual for Krylov methods, and may go on becoming faster
		fast = rate * rate / slow
	}
	return time.Duration(way / fast), time.Duration(way / slow), true
}

// before returns the last mark that is not later than a time.
func (f *forecast) before(at time.Duration) mark {
	last := f.marks[0]
	for _, m := range f.marks {
		if m.at > at {
			break
		}
		last = m
	}
	return last
}

// text returns the remaining time in words; since is the time since the last iteration.
func (f *forecast) text(since time.Duration) string {
	least, most, known := f.left()
	switch least, most = max(0, least-since), max(0, most-since); {
	case !known:
		return "time left unknown"
	case most < time.Second:
		return "1 s left"
	case about(least) == about(most):
		return "~" + about(most) + " left"
	case least < time.Second:
		return "up to " + about(most) + " left"
	}
	return about(least) + " to " + about(most) + " left"
}

// about returns a duration in words, rounded to as many digits as a forecast has.
func about(d time.Duration) string {
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{24 * time.Hour, "days"}, {time.Hour, "h"}, {time.Minute, "min"}} {
		if d >= 2*unit.length {
			return fmt.Sprintf("%s %s", twoDigits(float64(d)/float64(unit.length)), unit.name)
		}
	}
	return twoDigits(math.Max(1, d.Seconds())) + " s"
}

// twoDigits rounds to whole numbers, and from 20 on to multiples of ten.
func twoDigits(v float64) string {
	if v >= 20 {
		v = 10 * math.Round(v/10)
	}
	return fmt.Sprintf("%.0f", v)
}
