package agata

import (
	"math"
	"slices"
)

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
