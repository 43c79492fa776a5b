package cli

import (
	"fmt"
	"math"
	"time"
)

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
