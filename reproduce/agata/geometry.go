package agata

import "math"

// The crystal: an irregular hexagonal prism with rounded edges, drilled from the back, as in [Molina24], section
// 2.2.1.
const (
	radius    = 40 // of its edges
	length    = 90 // the front is at z = 0
	bore      = 5  // radius of the core contact
	boreStart = 13 // depth of its end
)

// flats are the distances of the flat sides from the axis, for the sides at 30, 90, ... degrees. In a regular
// crystal, two points that are mirror images would have the same signals.
var flats = [Sectors]float64{35, 33.5, 36, 34.5, 36.5, 34}

// The electrodes: the core and six rings of six sectors, which are centred on the edges.
const (
	Sectors    = 6
	Rings      = 6
	Segments   = Sectors * Rings
	Core       = Segments // electrode
	Electrodes = Segments + 1
)

// ringEnds are the depths at which the rings end.
var ringEnds = [Rings]float64{8, 21, 36, 54, 72, length}

// Vector is a point or a direction.
type Vector [3]float64

// along returns v + t d.
func (v Vector) along(t float64, d Vector) Vector {
	return Vector{v[0] + float64(t*d[0]), v[1] + float64(t*d[1]), v[2] + float64(t*d[2])}
}

// Distance returns the distance of two points.
func Distance(a, b Vector) float64 {
	return math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2])
}

// Inside reports whether a point is in the germanium.
func Inside(v Vector) bool {
	return v[2] > 0 && v[2] <= length && withinSides(v) && !inBore(v)
}

func withinSides(v Vector) bool {
	if math.Hypot(v[0], v[1]) >= radius {
		return false
	}
	for k, flat := range flats {
		s, c := math.Sincos(math.Pi / 6 * float64(1+2*k))
		if float64(c*v[0])+float64(s*v[1]) >= flat {
			return false
		}
	}
	return true
}

func inBore(v Vector) bool { return v[2] >= boreStart && math.Hypot(v[0], v[1]) <= bore }

// electrode returns the electrode at a point outside the germanium.
func electrode(v Vector) int {
	if inBore(v) {
		return Core
	}
	sector := int(math.Floor((math.Atan2(v[1], v[0])/math.Pi*3)+0.5+Sectors)) % Sectors
	ring := 0
	for ring < Rings-1 && v[2] >= ringEnds[ring] {
		ring++
	}
	return ring*Sectors + sector
}
