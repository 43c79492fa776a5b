package agata

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// HitAndCore are the channels of the thesis' experiments, section 5.4.1.
func HitAndCore(segment int) []int { return []int{segment, Core} }

// Neighbours are the channels of AGATA's program: also those of the neighbouring sectors and of the two nearest
// rings.
func Neighbours(segment int) []int {
	ring, sector := segment/Sectors, segment%Sectors
	list := append(HitAndCore(segment), ring*Sectors+(sector+1)%Sectors, ring*Sectors+(sector+Sectors-1)%Sectors)
	middle := min(max(ring, 1), Rings-2) // the first and the last ring have both on one side
	for r := middle - 1; r <= middle+1; r++ {
		if r != ring {
			list = append(list, r*Sectors+sector)
		}
	}
	return list
}

// Channels are the choices of channels, by their number.
var Channels = map[string]func(segment int) []int{"2": HitAndCore, "6": Neighbours, "37": All}

// All are the channels of all electrodes.
func All(int) []int {
	list := make([]int, Electrodes)
	for k := range list {
		list[k] = k
	}
	return list
}

// Simulation simulates signals of a detector on threads.
type Simulation struct {
	*Detector
	Channels func(segment int) []int // channels of the traces, including the core
	Pool     *parallel.Pool
	Progress func(done float64, text string) // may be nil
}

// each calls do for 0 to n-1 on the threads. It returns early with the error of ctx.
func (s Simulation) each(ctx context.Context, n int, text string, do func(i int)) error {
	const chunk = 32
	var done atomic.Int64
	s.Pool.Each((n+chunk-1)/chunk, func(part int) {
		if ctx.Err() != nil {
			return
		}
		for i := chunk * part; i < min(chunk*(part+1), n); i++ {
			do(i)
		}
		if now := done.Add(chunk); s.Progress != nil {
			s.Progress(min(1, float64(now)/float64(n)), text)
		}
	})
	return ctx.Err()
}

// Basis simulates the signals of all points of the grid, without noise.
func (s Simulation) Basis(ctx context.Context) (*Basis, error) {
	points := gridPoints()
	signals := make([]struct {
		segment int
		trace   []float32
	}, len(points))
	err := s.each(ctx, len(points), "basis", func(i int) {
		signal := s.Signal(place(points[i]), s.Channels)
		signals[i].segment = signal.Segment
		for _, k := range s.Channels(signal.Segment) {
			signals[i].trace = appendScaled(signals[i].trace, signal.Traces[k], 1)
		}
	})
	b := &Basis{Channels: len(s.Channels(0)), Samples: Samples, Segments: make([]Segment, Segments)}
	for i, signal := range signals {
		if signal.trace == nil {
			continue // interrupted
		}
		seg := &b.Segments[signal.segment]
		seg.Points = append(seg.Points, points[i])
		seg.Traces = append(seg.Traces, signal.trace...)
		signals[i].trace = nil
	}
	for i := range b.Segments {
		b.Segments[i].Traces = slices.Clip(b.Segments[i].Traces)
	}
	return b, err
}

// gridPoints lists the points of the grid in the germanium, by x, y and z.
func gridPoints() (points []Point) {
	const half = radius/Step + 1
	for x := -half; x <= half; x++ {
		for y := -half; y <= half; y++ {
			for z := range length / Step {
				if p := (Point{int16(x), int16(y), int16(z)}); Inside(place(p)) {
					points = append(points, p)
				}
			}
		}
	}
	return points
}

// place returns the position of a point of the grid, whose first layer lies half a step from the front.
func place(p Point) Vector {
	return Place([3]float64{float64(p[0]), float64(p[1]), float64(p[2])})
}

// Place returns the position in mm, given coordinates in steps of the grid.
func Place(steps [3]float64) Vector {
	return Vector{Step * steps[0], Step * steps[1], Step * (steps[2] + 0.5)}
}

// steps is the inverse of Place.
func steps(v Vector) [3]float64 {
	return [3]float64{v[0] / Step, v[1] / Step, v[2]/Step - 0.5}
}

func appendScaled(dst []float32, trace []float64, energy float64) []float32 {
	for _, x := range trace {
		dst = append(dst, float32(Unit*x/energy))
	}
	return dst
}

// Least and most energy of an event, keV, as in [Molina24], section 5.4.1.
const (
	LeastEnergy = 15
	MostEnergy  = 5000
)

// Events simulates n events, off the grid: uniformly distributed in the germanium, with an energy density
// proportional to 1/E. Event k depends on the seed and k alone.
func (s Simulation) Events(ctx context.Context, n int, seed uint64, e Electronics) ([]Event, error) {
	events := make([]Event, n)
	err := s.each(ctx, n, "events", func(i int) {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		at := Vector{}
		for !Inside(at) {
			at = Vector{radius * (2*random.Float64() - 1), radius * (2*random.Float64() - 1), length * random.Float64()}
		}
		events[i] = s.Event(at, energyOf(random.Float64()), e, random)
	})
	return events, err
}

// Event simulates one event.
func (s Simulation) Event(at Vector, energy float64, e Electronics, random *rand.Rand) Event {
	signal := s.Signal(at, s.Channels)
	event := Event{Segment: signal.Segment, Energy: energy, At: steps(at)}
	for _, k := range s.Channels(signal.Segment) {
		event.Trace = appendScaled(event.Trace, e.Measure(signal, k, energy, random), energy)
	}
	return event
}

// Unit is the amplitude in a trace for the whole charge of an interaction: traces are divided by the energy, so that
// the traces of the basis fit all events.
const Unit = 1000

// Step is the distance between neighbouring points of the grid, mm.
const Step = 2

// Basis holds the reference signals.
type Basis struct {
	Channels int // of a trace; each has Samples, one channel after the other
	Samples  int
	Segments []Segment
}

// Segment holds the grid points whose charge the segment collects.
type Segment struct {
	Points []Point
	Traces []float32 // [points][channels][samples]
}

// Point is a point of the grid, in steps.
type Point [3]int16

// Distance returns the distance of two points in mm.
func (p Point) Distance(q Point) float64 {
	return Step * math.Sqrt(float64(square(p[0]-q[0])+square(p[1]-q[1])+square(p[2]-q[2])))
}

func square(d int16) int { return int(d) * int(d) }

// Event is an interaction to be found.
type Event struct {
	Segment int        // hit
	Energy  float64    // keV
	At      [3]float64 // true position, in steps
	Trace   []float32  // as in Segment.Traces
}

// Length returns the length of a trace.
func (b *Basis) Length() int { return b.Channels * b.Samples }

// Bytes returns the bytes that the traces take in FP32.
func (b *Basis) Bytes() (bytes int64) {
	for _, s := range b.Segments {
		bytes += 4 * int64(len(s.Traces))
	}
	return bytes
}

// Points returns the number of points of all segments.
func (b *Basis) Points() (n int) {
	for _, s := range b.Segments {
		n += len(s.Points)
	}
	return n
}
