package agata

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Algorithm says which points of a segment a search tries.
type Algorithm string

// The algorithms.
const (
	Full       Algorithm = "fgs"    // all ([Molina24], algorithm 1)
	CoarseFine Algorithm = "cfgs"   // a grid of 6 mm, then the points around its best one ([Molina24], algorithm 2)
	Levels     Algorithm = "levels" // grids of 18, 6 and 2 mm, each around the best so far (ours)
	EarlyExit  Algorithm = "exit"   // all, each until its sum exceeds the best so far (ours)
)

// Table says how powers are computed.
type Table string

// The tables.
const (
	NoTable Table = "none"
	Nearest Table = "nearest" // the difference truncated to an integer ([Molina24], section 5.2.1)
	Linear  Table = "linear"  // interpolated (ours)
)

// Precision is the precision of the arithmetic.
type Precision string

// The precisions.
const (
	FP64  Precision = "FP64"
	FP32  Precision = "FP32"
	FP16  Precision = "FP16"  // each operation rounded, see roundHalf
	Mixed Precision = "mixed" // FP16, but FP32 for the last grid
)

// All choices, for help texts and checks.
var (
	Algorithms = []Algorithm{Full, CoarseFine, Levels, EarlyExit}
	Tables     = []Table{NoTable, Nearest, Linear}
	Precisions = []Precision{FP64, FP32, FP16, Mixed}
)

// Config is a way to search.
type Config struct {
	Algorithm Algorithm
	Table     Table
	Precision Precision
}

// Reference is the search that the others are compared with, as in [Molina24].
var Reference = Config{Full, NoTable, FP32}

// Validate reports an invalid choice or combination.
func (c Config) Validate() error {
	switch {
	case !slices.Contains(Algorithms, c.Algorithm):
		return fmt.Errorf("algorithm %q: want one of %v", c.Algorithm, Algorithms)
	case !slices.Contains(Tables, c.Table):
		return fmt.Errorf("table %q: want one of %v", c.Table, Tables)
	case !slices.Contains(Precisions, c.Precision):
		return fmt.Errorf("precision %q: want one of %v", c.Precision, Precisions)
	case c.Table != NoTable && c.Precision != FP32:
		return fmt.Errorf("table %s with %s: a table needs FP32", c.Table, c.Precision)
	case c.Precision == Mixed && c.Algorithm != CoarseFine && c.Algorithm != Levels:
		return fmt.Errorf("algorithm %s with mixed precision: it needs a coarse grid (%s, %s)", c.Algorithm, CoarseFine, Levels)
	}
	return nil
}

// metrics returns the metrics of the coarse grids and of the last grid.
func (c Config) metrics() (coarse, fine metric) {
	switch {
	case c.Table == Nearest:
		coarse = newNearest()
	case c.Table == Linear:
		coarse = newLinear()
	case c.Precision == FP64:
		coarse = fp64{}
	case c.Precision == FP32:
		coarse = newFP32()
	default:
		coarse = newFP16()
	}
	if c.Precision == Mixed {
		return coarse, newFP32()
	}
	return coarse, coarse
}

// Found is the result of a search.
type Found struct {
	Point int     // of the segment
	Merit float64 // its figure of merit
	Tried int     // points whose sums were begun
}

// Searcher searches in a basis. It may be used concurrently.
type Searcher struct {
	Config
	basis        *Basis
	segments     []grids
	coarse, fine stage
}

// stage is a metric with the data that it reads for each segment.
type stage struct {
	metric
	traces [][]float32
}

func newStage(m metric, b *Basis) stage {
	s := stage{metric: m}
	for _, segment := range b.Segments {
		s.traces = append(s.traces, m.stored(segment.Traces))
	}
	return s
}

// New prepares a search.
func New(b *Basis, c Config) (*Searcher, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if b.Length()%stride != 0 {
		return nil, fmt.Errorf("traces of %d samples: want a multiple of %d", b.Length(), stride)
	}
	s := &Searcher{Config: c, basis: b}
	coarse, fine := c.metrics()
	s.coarse = newStage(coarse, b)
	s.fine = s.coarse
	if c.Precision == Mixed {
		s.fine = newStage(fine, b)
	}
	for _, segment := range b.Segments {
		s.segments = append(s.segments, newGrids(segment.Points))
	}
	return s, nil
}

// Find searches for an event. The segment of the event must have points.
func (s *Searcher) Find(e *Event) Found {
	return s.find(&s.segments[e.Segment], s.query(s.coarse, e), s.query(s.fine, e))
}

// query is an event for a stage of the search.
type query struct {
	metric
	measured, traces []float32
	length           int
}

func (s *Searcher) query(of stage, e *Event) query {
	return query{of.metric, of.stored(e.Trace), of.traces[e.Segment], s.basis.Length()}
}

// best returns the better of found and the best of points (nil: all points of the segment); of equal points the first
// in the segment wins. With exit, a sum ends where it exceeds the best sum.
func (q query) best(found Found, points []int32, exit bool) Found {
	try := func(i int) {
		bound := math.Inf(1)
		if exit {
			bound = found.Merit
		}
		merit := q.merit(q.measured, q.traces[i*q.length:(i+1)*q.length], bound)
		found.Tried++
		if merit < found.Merit || merit == found.Merit && i < found.Point {
			found.Point, found.Merit = i, merit
		}
	}
	if points == nil {
		for i := range len(q.traces) / q.length {
			try(i)
		}
	}
	for _, i := range points {
		try(int(i))
	}
	return found
}

// nothing is the result before any point is tried.
var nothing = Found{Point: math.MaxInt, Merit: math.Inf(1)}

func (s *Searcher) find(g *grids, coarse, fine query) Found {
	switch s.Algorithm {
	case CoarseFine:
		return s.descend(g.levels[middle:], coarse, fine)
	case Levels:
		return s.descend(g.levels, coarse, fine)
	case EarlyExit:
		return fine.best(s.descend(g.levels, coarse, fine), nil, true)
	}
	return fine.best(nothing, nil, false)
}

// All searches for events on the threads of pool. It returns early with the error of ctx.
func (s *Searcher) All(ctx context.Context, events []Event, pool *parallel.Pool, progress func(done float64)) ([]Found, error) {
	const chunk = 16
	found := make([]Found, len(events))
	var done atomic.Int64
	pool.Each((len(events)+chunk-1)/chunk, func(part int) {
		if ctx.Err() != nil {
			return
		}
		for i := chunk * part; i < min(chunk*(part+1), len(events)); i++ {
			found[i] = s.Find(&events[i])
		}
		if now := done.Add(chunk); progress != nil {
			progress(min(1, float64(now)/float64(len(events))))
		}
	})
	return found, ctx.Err()
}

// Agreement compares the points that a search found with the points of a reference search and with the true
// positions. Shares are of the events.
type Agreement struct {
	Identical float64
	Within5   float64 // at most 5 mm apart, as AGATA demands
	Beyond20  float64 // more than 20 mm apart

	True5 float64 // at most 5 mm from the true position
	True  float64 // median distance from the true position, mm
}

// Compare compares the points found with the points of a reference, event by event.
func (b *Basis) Compare(events []Event, found, reference []Found) (a Agreement) {
	var errors []float64
	for k, e := range events {
		d := b.Apart(e, found[k], reference[k])
		a.Identical += one(found[k].Point == reference[k].Point)
		a.Within5 += one(d <= 5)
		a.Beyond20 += one(d > 20)
		d = b.Error(e, found[k])
		a.True5 += one(d <= 5)
		errors = append(errors, d)
	}
	for _, share := range []*float64{&a.Identical, &a.Within5, &a.Beyond20, &a.True5} {
		*share /= float64(len(events))
	}
	slices.Sort(errors)
	a.True = errors[len(errors)/2]
	return a
}

func one(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// Apart returns the distance in mm of two points found for an event.
func (b *Basis) Apart(e Event, x, y Found) float64 {
	points := b.Segments[e.Segment].Points
	return points[x.Point].Distance(points[y.Point])
}

// Error returns the distance in mm of a point found from the true position.
func (b *Basis) Error(e Event, x Found) float64 {
	p := b.Segments[e.Segment].Points[x.Point]
	sum := 0.0
	for k := range p {
		d := float64(p[k]) - e.At[k]
		sum += d * d
	}
	return Step * math.Sqrt(sum)
}
