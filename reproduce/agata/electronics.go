package agata

import (
	"math"
	"math/rand/v2"
)

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
