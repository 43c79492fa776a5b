package agata

import "math"

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
