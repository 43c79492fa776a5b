package agata

import (
	"math"
	"math/rand/v2"
)

// decay is the time constant of the preamplifier, ns.
const decay = 35.0

// Signal holds the signals that an interaction of unit charge induces, after the preamplifier.
type Signal struct {
	Segment int                   // the segment that collects the holes
	Traces  [Electrodes][]float64 // [Samples] for each electrode asked for; 1 is the whole charge
}

// Signal simulates an interaction in the germanium, for the requested electrodes and the collecting ones. By Shockley
// and Ramo, carriers at r_e and r_h have induced w(r_h) - w(r_e), where w is the weighting potential. The core's
// signal has the opposite sign.
func (d *Detector) Signal(at Vector, electrodes func(segment int) []int) Signal {
	holes, electrons := hole.drift(d, at), electron.drift(d, at)
	s := Signal{Segment: d.collector(holes[len(holes)-1])}
	for _, k := range electrodes(s.Segment) {
		s.Traces[k] = make([]float64, Samples)
	}
	var h, e [Electrodes]float64
	for t := range Samples {
		d.induce(&s, &h, last(holes, t), s.Segment, t >= len(holes)-1)
		d.induce(&s, &e, last(electrons, t), Core, t >= len(electrons)-1)
		for k, trace := range s.Traces {
			if trace != nil {
				trace[t] = h[k] - e[k]
			}
		}
	}
	for k, trace := range s.Traces {
		if k == Core {
			for t := range trace {
				trace[t] = -trace[t]
			}
		}
		preamplify(trace)
	}
	return s
}

func last(path []Vector, t int) Vector { return path[min(t, len(path)-1)] }

// collector returns the segment nearest to a point, by the weighting potentials.
func (d *Detector) collector(v Vector) (segment int) {
	c := d.cell(v)
	most := math.Inf(-1)
	for k := range Segments {
		if w := d.weighting(&c, k); w > most {
			most, segment = w, k
		}
	}
	return segment
}

// induce sets w to the weighting potentials at a point, for the electrodes that s has traces of. Once the carrier is
// collected, w is 1 for the collecting electrode and 0 for all others.
func (d *Detector) induce(s *Signal, w *[Electrodes]float64, v Vector, collecting int, collected bool) {
	if collected {
		*w = [Electrodes]float64{}
		w[collecting] = 1
		return
	}
	c := d.cell(v)
	for k, trace := range s.Traces {
		if trace != nil {
			w[k] = d.weighting(&c, k)
		}
	}
}

// preamplify convolves a trace with exp(-t/decay)/decay, exactly for charges that are linear between the samples and
// 0 before the first.
func preamplify(trace []float64) {
	fade := math.Exp(-Period / decay)
	before, out := 0.0, 0.0
	for t, q := range trace {
		slope := (q - before) / Period * decay
		out = q - slope + float64((out-before+slope)*fade)
		before, trace[t] = q, out
	}
}

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

// Electronics are the distortions of a signal by the electronics.
type Electronics struct {
	Noise     float64 // standard deviation of a sample, keV
	Crosstalk float64 // share of the core's signal that each segment picks up
	Step      float64 // of the analog-to-digital converter, keV; 0: none
}

// Typical has the values of [Molina24], section 2.2.1: crosstalk of 0.1 % and 14 bits, here of 8 MeV.
var Typical = Electronics{Noise: 2.5, Crosstalk: 0.001, Step: 8192. / (1 << 14)}

// Measure returns the trace in keV that an electrode shows for a signal of unit charge.
func (e Electronics) Measure(s Signal, electrode int, energy float64, random *rand.Rand) []float64 {
	trace := make([]float64, Samples)
	for t := range trace {
		x := s.Traces[electrode][t]
		if electrode != Core {
			x += float64(e.Crosstalk * s.Traces[Core][t])
		}
		x = float64(x*energy) + float64(e.Noise*random.NormFloat64())
		if e.Step > 0 {
			x = e.Step * math.Round(x/e.Step)
		}
		trace[t] = x
	}
	return trace
}

// energyOf maps a number from 0 to 1 to an energy, for a density proportional to 1/E.
func energyOf(x float64) float64 {
	return LeastEnergy * math.Pow(float64(MostEnergy)/LeastEnergy, x)
}
