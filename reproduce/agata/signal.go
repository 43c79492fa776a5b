package agata

import (
	"math"
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
