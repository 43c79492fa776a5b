package agata

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// made returns a basis of traces that change smoothly with the position, and events near its points.
func made(t *testing.T, events int, noise float64) (*Basis, []Event) {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 8))
	b := &Basis{Channels: 2, Samples: 8, Segments: make([]Segment, 2)}
	trace := func(x, y, z float64) (trace []float32) {
		for k := range b.Length() {
			s := float64(k % b.Samples)
			trace = append(trace, float32(Unit/(1+math.Exp(-(s-4+0.5*x+0.13*y*float64(k/b.Samples)-0.21*z)))))
		}
		return trace
	}
	for s := range b.Segments {
		for x := range 12 {
			for y := range 10 {
				for z := range 8 - 4*s {
					b.Segments[s].Points = append(b.Segments[s].Points, Point{int16(x - 4), int16(y), int16(z)})
					b.Segments[s].Traces = append(b.Segments[s].Traces, trace(float64(x-4), float64(y), float64(z))...)
				}
			}
		}
	}
	var list []Event
	for k := range events {
		e := Event{Segment: k % 2, Energy: 100, At: [3]float64{12*random.Float64() - 4, 10 * random.Float64(), 4 * random.Float64()}}
		e.Trace = trace(e.At[0], e.At[1], e.At[2])
		for i := range e.Trace {
			e.Trace[i] += float32(noise * random.NormFloat64())
		}
		list = append(list, e)
	}
	return b, list
}

func search(t *testing.T, b *Basis, events []Event, c Config) []Found {
	t.Helper()
	s, err := New(b, c)
	if err != nil {
		t.Fatal(err)
	}
	found, err := s.All(t.Context(), events, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestDefinition: FP64 finds what a loop over all points finds.
func TestDefinition(t *testing.T) {
	b, events := made(t, 60, 20)
	for k, found := range search(t, b, events, Config{Full, NoTable, FP64}) {
		e, least, at := events[k], math.Inf(1), -1
		for i := range b.Segments[e.Segment].Points {
			sum := 0.0
			for j, m := range e.Trace {
				sum += math.Pow(math.Abs(float64(m)-float64(b.Segments[e.Segment].Traces[i*len(e.Trace)+j])), 0.3)
			}
			if sum < least {
				least, at = sum, i
			}
		}
		if found.Point != at || found.Merit != least || found.Tried != len(b.Segments[e.Segment].Points) {
			t.Errorf("event %d: got %+v, want point %d, %g", k, found, at, least)
		}
	}
}

// TestEarlyExit: the search finds the points and merits of the full search, in every arithmetic.
func TestEarlyExit(t *testing.T) {
	for _, noise := range []float64{0, 3, 300} {
		b, events := made(t, 100, noise)
		for _, c := range everyConfig(Full) {
			want := search(t, b, events, c)
			c.Algorithm = EarlyExit
			for k, got := range search(t, b, events, c) {
				if got.Point != want[k].Point || got.Merit != want[k].Merit {
					t.Errorf("%v, noise %g, event %d: got %+v, want %+v", c, noise, k, got, want[k])
				}
			}
		}
	}
}

// everyConfig lists the valid configurations of an algorithm.
func everyConfig(a Algorithm) (list []Config) {
	for _, table := range Tables {
		for _, precision := range Precisions {
			if c := (Config{a, table, precision}); c.Validate() == nil {
				list = append(list, c)
			}
		}
	}
	return list
}

// TestPoint: every search returns the point whose trace was measured; searches by levels do so on smooth traces.
func TestPoint(t *testing.T) {
	b, _ := made(t, 0, 0)
	for _, a := range Algorithms {
		for _, c := range everyConfig(a) {
			if c.Table == Nearest || c.Precision == FP16 {
				continue // which cannot resolve a step of the grid
			}
			s, err := New(b, c)
			if err != nil {
				t.Fatal(err)
			}
			for k := range b.Segments {
				seg := &b.Segments[k]
				for i := 0; i < len(seg.Points); i += 7 {
					found := s.Find(&Event{Segment: k, Trace: seg.Traces[i*b.Length() : (i+1)*b.Length()]})
					if full := a == Full || a == EarlyExit; full && (found.Point != i || found.Merit != 0) {
						t.Errorf("%v: point %d: got %+v", c, i, found)
					} else if !full && found.Tried >= len(seg.Points) {
						t.Errorf("%v: %d of %d points tried", c, found.Tried, len(seg.Points))
					}
				}
			}
		}
	}
}

// TestMixed: the merit is an FP32 merit, of a point to which the coarse grid in FP16 led.
func TestMixed(t *testing.T) {
	b, events := made(t, 60, 5)
	same := 0
	want := search(t, b, events, Config{CoarseFine, NoTable, FP32})
	for k, got := range search(t, b, events, Config{CoarseFine, NoTable, Mixed}) {
		e := events[k]
		n := b.Length()
		trace := b.Segments[e.Segment].Traces[got.Point*n : (got.Point+1)*n]
		if merit := newFP32().merit(e.Trace, trace, math.Inf(1)); merit != got.Merit {
			t.Errorf("event %d: merit %g, want %g", k, got.Merit, merit)
		}
		if got.Point == want[k].Point {
			same++
		}
	}
	if same < 50 {
		t.Errorf("only %d of 60 as in FP32", same)
	}
}

func TestThreads(t *testing.T) {
	b, events := made(t, 100, 30)
	pool := parallel.New(3)
	defer pool.Close()
	for _, a := range Algorithms {
		s, err := New(b, Config{a, NoTable, FP32})
		if err != nil {
			t.Fatal(err)
		}
		one, _ := s.All(t.Context(), events, nil, nil)
		three, _ := s.All(t.Context(), events, pool, func(float64) {})
		for k := range one {
			if one[k] != three[k] {
				t.Fatalf("%s, event %d: %+v by one thread, %+v by three", a, k, one[k], three[k])
			}
		}
	}
	x, err := Stochastic(t.Context(), b, events, pool, nil)
	y, _ := Stochastic(t.Context(), b, events, nil, nil)
	if x != y || err != nil || !(x.Least > 3 && x.Least <= x.Digits && x.Digits < 7.3) {
		t.Errorf("by three threads: %+v, by one: %+v, %v", x, y, err)
	}
}

func TestInterrupt(t *testing.T) {
	b, events := made(t, 100, 0)
	s, err := New(b, Reference)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	count := 0
	if _, err = s.All(ctx, events, nil, func(float64) { count++; cancel() }); err == nil || count != 1 {
		t.Errorf("%d reports after cancelling, %v", count, err)
	}
	if _, err := Stochastic(ctx, b, events, nil, nil); err == nil {
		t.Error("stochastic: no error")
	}
}

func TestCompare(t *testing.T) {
	b, _ := made(t, 0, 0)
	at := func(x, y, z int16) Found {
		for i, p := range b.Segments[0].Points {
			if p == (Point{x, y, z}) {
				return Found{Point: i}
			}
		}
		t.Fatalf("no point %d %d %d", x, y, z)
		return Found{}
	}
	events := make([]Event, 4)
	events[0].At = [3]float64{0, 0, 0.5}
	origin := at(0, 0, 0)
	a := b.Compare(events, []Found{origin, at(2, 1, 1), at(0, 0, 3), at(7, 9, 0)}, []Found{origin, origin, origin, origin})
	if want := (Agreement{Identical: 0.25, Within5: 0.5, Beyond20: 0.25, True5: 0.5, True: 6}); a != want {
		t.Errorf("got %+v, want %+v", a, want)
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []Config{{"x", NoTable, FP32}, {Full, "x", FP32}, {Full, NoTable, "x"}, {Full, Nearest, FP16}, {Full, NoTable, Mixed}} {
		if c.Validate() == nil {
			t.Errorf("%v is taken to be valid", c)
		}
	}
	if _, err := New(&Basis{Channels: 1, Samples: 7}, Reference); err == nil {
		t.Error("7 samples are taken to be valid")
	}
}

func BenchmarkMerit(b *testing.B) {
	m, r := make([]float32, 80), make([]float32, 80)
	for k := range m {
		m[k], r[k] = 500+float32(k), 480+float32(k)*1.1
	}
	for name, f := range map[string]metric{"fp32": newFP32(), "nearest": newNearest(), "linear": newLinear(), "fp16": newFP16()} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f.merit(m, r, math.Inf(1))
			}
		})
	}
}
