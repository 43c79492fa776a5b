package agata

import "math"

// carrier is a kind of charge carrier in germanium at 80 K. Its speed in a field E along <100> is mu E / (1 +
// (E/E0)^beta)^(1/beta), and lower in other directions of the lattice.
type carrier struct {
	charge     float64 // with its sign
	mobility   float64 // mu, mm^2/(V ns)
	field      float64 // E0, V/mm
	beta       float64
	anisotropy float64 // part of the speed that is lost along <111>
}

var (
	electron = carrier{-1, 38609e-7, 51.1, 0.805, 0.15}
	hole     = carrier{+1, 61824e-7, 18.5, 0.942, 0.12}
)

// The directions <100> of the lattice perpendicular to the axis, which is <001>: 7.5 degrees from the middle of a
// sector.
const (
	latticeCos = 0.9914448613738104
	latticeSin = 0.13052619222005157
)

// Samples of a trace, and drift steps between two samples.
const (
	Samples  = 40
	Period   = 10.0 // ns: 100 MHz
	substeps = 2
	longest  = 300 // periods until a carrier counts as collected
)

// velocity returns the velocity of the carrier at a point, mm/ns.
func (c carrier) velocity(d *Detector, v Vector) Vector {
	e := d.field(v)
	size := math.Sqrt(float64(e[0]*e[0]) + float64(e[1]*e[1]) + float64(e[2]*e[2]))
	if size == 0 {
		return Vector{}
	}
	speed := c.mobility * size / math.Pow(1+math.Pow(size/c.field, c.beta), 1/c.beta)
	speed *= 1 - 1.5*c.anisotropy*offAxis(e[0]/size, e[1]/size, e[2]/size)
	return Vector{}.along(c.charge*speed/size, e)
}

// drift returns the positions of the carrier after each period, by the midpoint rule, up to the first position
// outside the germanium, which is included.
func (c carrier) drift(d *Detector, at Vector) (path []Vector) {
	const dt = Period / substeps
	path = make([]Vector, 0, Samples)
	for range longest {
		for range substeps {
			next := at.along(dt, c.velocity(d, at.along(dt/2, c.velocity(d, at))))
			next[2] = min(next[2], length) // the back reflects
			if at = next; !Inside(at) {
				return append(path, at)
			}
		}
		path = append(path, at)
	}
	return path
}

// offAxis returns 1 - (n1^4 + n2^4 + n3^4) for a direction n in the lattice: 0 along <100>, 2/3 along <111>.
func offAxis(x, y, z float64) float64 {
	a := float64(latticeCos*x) + float64(latticeSin*y)
	b := float64(latticeCos*y) - float64(latticeSin*x)
	return 1 - (float64(a*a*a*a) + float64(b*b*b*b) + float64(z*z*z*z))
}
