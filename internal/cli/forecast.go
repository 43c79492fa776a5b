package cli

import (
	"fmt"
	"math"
	"time"
)

// A forecast tells how long a solve will still take, from how its error has fallen. The logarithm of the least error so far is
// taken to go on as in the last half and in the last quarter of the time since the method began: what these two say is a range, and
// where they contradict each other, nothing is known.
type forecast struct {
	goal   float64
	marks  []mark // some, evenly in time
	every  time.Duration
	newest mark
}

// mark is the least error at a time.
type mark struct {
	at  time.Duration
	log float64
}

const (
	mostMarks  = 128
	fewMarks   = 8
	leastWay   = 0.05 // share of the way to the goal that a forecast needs
	mostSpread = 4    // between the ends of a range
)

// restart forgets what has been, as another method begins.
func (f *forecast) restart() { *f = forecast{goal: f.goal} }

// add is called for an iteration, with a time that grows.
func (f *forecast) add(at time.Duration, e float64) {
	log := math.Log(e)
	if len(f.marks) > 0 {
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

// left returns the range of the time left, as of the last iteration; known is false where it cannot be told.
func (f *forecast) left() (least, most time.Duration, known bool) {
	if len(f.marks) < fewMarks {
		return 0, 0, false
	}
	first, now := f.marks[0], f.newest
	way := now.log - math.Log(f.goal)
	if !(way > 0 && first.log-now.log > leastWay*way) {
		return 0, 0, false
	}
	slow, fast := math.Inf(1), 0.0
	for _, share := range []time.Duration{2, 4} {
		from := f.before(now.at - (now.at-first.at)/share)
		rate := (from.log - now.log) / float64(now.at-from.at)
		slow, fast = math.Min(slow, rate), math.Max(fast, rate)
	}
	if !(slow > 0) || fast > mostSpread*slow {
		return 0, 0, false
	}
	return time.Duration(way / fast), time.Duration(way / slow), true
}

// before returns the last mark at a time or before it.
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

// text is the time left in words, since as much time has passed since the last iteration.
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

// about is a duration with as many digits as a forecast is worth.
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

// twoDigits rounds to whole numbers, from 20 on to tens.
func twoDigits(v float64) string {
	if v >= 20 {
		v = 10 * math.Round(v/10)
	}
	return fmt.Sprintf("%.0f", v)
}
