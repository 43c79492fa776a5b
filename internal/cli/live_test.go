package cli

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// In eight of ten forecasts during a solve, the true time is between half the lower and twice the upper end. There is a forecast
// at least half of the time.
func TestForecast(t *testing.T) {
	right, given, asked := 0, 0, 0
	for _, c := range []struct {
		kind   string
		params generate.Params
		opt    solve.Options
	}{
		{"poisson2d", generate.Params{"n": 60}, solve.Options{Method: solve.CG, Precond: solve.Precond{Kind: precond.Jacobi}}},
		{"poisson2d", generate.Params{"n": 40, "decades": 4}, solve.Options{Method: solve.CG, Precond: solve.Precond{Kind: precond.IC0}}},
		{"poisson2d", generate.Params{"n": 40}, solve.Options{Method: solve.MINRES, Precond: solve.Precond{Kind: precond.None}}},
		{"convdiff2d", generate.Params{"n": 40}, solve.Options{Method: solve.GMRES, Krylov: solve.Krylov{Restart: 20}, Precond: solve.Precond{Kind: precond.None}}},
		{"convdiff2d", generate.Params{"n": 60}, solve.Options{Method: solve.IDR, Precond: solve.Precond{Kind: precond.None}}},
	} {
		m, err := generate.Generate(c.kind, c.params)
		if err != nil {
			t.Fatal(err)
		}
		var events []krylov.Event
		c.opt.Digits, c.opt.Threads, c.opt.Monitor = solve.NoDigits, 1, func(e krylov.Event) { events = append(events, e) }
		s, err := solver.New(t.Context(), m, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := generate.DefaultRHS(m)
		if _, err := s.Solve(t.Context(), b, nil); err != nil {
			t.Fatal(err)
		}
		s.Close()
		f := forecast{goal: krylov.DefaultTol}
		const tick = 10 * time.Millisecond // time of an iteration
		for k, e := range events {
			f.add(time.Duration(k+1)*tick, e.Estimate, k > 0 && e.Outer != events[k-1].Outer)
			if share := float64(k+1) / float64(len(events)); share < 0.3 || share > 0.9 || k%5 != 0 {
				continue
			}
			asked++
			least, most, known := f.left()
			if !known {
				continue
			}
			given++
			if truth := time.Duration(len(events)-k-1) * tick; least/2 <= truth && truth <= 2*most {
				right++
			} else {
				t.Logf("%s, iteration %d of %d: %v to %v left, truly %v", c.kind, k+1, len(events), least, most, truth)
			}
		}
	}
	if 2*given < asked || 10*right < 8*given {
		t.Errorf("asked %d times, a forecast is given %d times, right %d times", asked, given, right)
	}
}

// There is no forecast for an error that stagnates, grows or is NaN, nor after too few iterations.
func TestNoForecast(t *testing.T) {
	for name, of := range map[string]func(k int) float64{
		"still":    func(int) float64 { return 0.1 },
		"growing":  func(k int) float64 { return float64(k) },
		"NaN":      func(int) float64 { return math.NaN() },
		"stopping": func(k int) float64 { return 1e-3 + math.Exp(-float64(k)) },
	} {
		f := forecast{goal: 1e-10}
		if text := f.text(0); text != "time left unknown" {
			t.Errorf("%s: at first %q", name, text)
		}
		for k := range 1000 {
			f.add(time.Duration(k)*time.Millisecond, of(k), false)
		}
		if text := f.text(0); text != "time left unknown" {
			t.Errorf("%s: %q", name, text)
		}
		if len(f.marks) > mostMarks {
			t.Errorf("%s: %d marks", name, len(f.marks))
		}
	}
}

// Short status lines leave out the least important parts, and never the most important one.
func TestFit(t *testing.T) {
	parts := []part{{0, "error 1e-05"}, {2, "12 iterations"}, {1, "2 s left"}, {3, ""}}
	for width, want := range map[int]string{
		80: "error 1e-05, 12 iterations, 2 s left", 36: "error 1e-05, 12 iterations, 2 s left", 35: "error 1e-05, 2 s left", 12: "error 1e-05", 3: "error 1e-05",
	} {
		if got := fit(width, append([]part{}, parts...)...); got != want {
			t.Errorf("%d: %q, want %q", width, got, want)
		}
	}
	if got := cut("naïve", 3); got != "naï" {
		t.Errorf("cut: %q", got)
	}
}

// The status line of a stage shows how much is done, and extrapolates the time left from that. The error is compared rightly.
func TestStageText(t *testing.T) {
	l := newLive(io.Discard, "row", 1e-10, false)
	later := func(d time.Duration) { l.since, l.at = l.since.Add(-d), l.at.Add(-d) }
	expect := func(want string) {
		t.Helper()
		if got := regexp.MustCompile(`\.\d s`).ReplaceAllString(l.text(120), " s"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, c := range []struct {
		after time.Duration // of the last stage
		stage string
		want  string
	}{
		{5 * time.Second, "setting up chol: ordering", "0 s"},
		{5 * time.Second, "setting up chol: 0% of factors of 9 entries in FP32", "0 s"}, // the order does not count
		{3 * time.Second, "setting up chol: 25% of factors of 9 entries in FP32", "~9 s left, 3 s"},
		{1 * time.Second, "setting up chol: 0% of factors of 9 entries in FP64", "0 s"}, // again
		{6 * time.Second, "setting up chol: 50% of factors of 9 entries in FP64", "~6 s left, 6 s"},
		{1 * time.Second, "setting up amg", "0 s"},
		{0, "setting up amg: 0%, level 1, 8 rows", "0 s"},
		{4 * time.Second, "setting up amg: 40%, level 2, 7 rows", "~6 s left, 4 s"},
		{2 * time.Second, "setting up amg: 40%, level 2, 7 rows", "~9 s left, 6 s"},
		{9 * time.Second, "LU factors in 106 bits: 3 of 9 columns", "0 s"},
	} {
		later(c.after)
		l.stage(c.stage)
		expect(c.stage + ", " + c.want)
	}
	l.stage("setting up ict: 0% of 9 rows")
	later(4 * time.Second)
	l.stage("setting up ict: 50% of 9 rows")
	later(3 * time.Second)
	expect("setting up ict: 50% of 9 rows, ~1 s left, 7 s")

	l.working = ""
	for e, want := range map[float64]string{2.2e-12: "error 2.2e-12 <= 1e-10, checking", 2.2e-9: "error 2.2e-09 > 1e-10, time left unknown", 1.04e-10: "error 1.04e-10 > 1e-10, time"} {
		l.last = krylov.Event{Estimate: e}
		if got := l.text(120); !strings.HasPrefix(got, want) {
			t.Errorf("%g: %q", e, got)
		}
	}
}

// Times in words have no more digits than a forecast has.
func TestAbout(t *testing.T) {
	var got []string
	for _, d := range []time.Duration{0, 1400 * time.Millisecond, 47 * time.Second, 119 * time.Second, 150 * time.Second, 61 * time.Minute, 3 * time.Hour, 72 * time.Hour} {
		got = append(got, about(d))
	}
	if got, want := strings.Join(got, ", "), "1 s, 1 s, 50 s, 120 s, 2 min, 60 min, 3 h, 3 days"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	f := forecast{goal: 1e-10}
	for k := range 100 {
		f.add(time.Duration(k)*time.Second, math.Pow(10, -float64(k)/20), false)
	}
	if got := fmt.Sprint(f.text(0), ", ", f.text(50*time.Second)); got != "~100 s left, ~50 s left" {
		t.Errorf("%s", got)
	}
}

func TestBar(t *testing.T) {
	for share, want := range map[float64]string{0: "0% |            |", 0.5: "50% |██████      |", 1: "99% |███████████ |", 7: "99% |███████████ |"} {
		if got := bar(share); got != want {
			t.Errorf("%v: %q, want %q", share, got, want)
		}
	}
}
