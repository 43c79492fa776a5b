package stochastic

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestDigits(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		samples []float64
		want    float64
	}{
		{[]float64{1, 1, 1}, inf},
		{[]float64{0, 0, 0}, 0},
		{[]float64{1, -1, 0}, 0},
		{[]float64{1, math.NaN(), 1}, 0},
		{[]float64{1, inf, 1}, 0},
		{[]float64{0.999, 1, 1.001}, math.Log10(math.Sqrt(3) / (4.303 * 0.001))},
		{[]float64{-0.999e300, -1e300, -1.001e300}, math.Log10(math.Sqrt(3) / (4.303 * 0.001))},
		{[]float64{0.999e-300, 1e-300, 1.001e-300}, math.Log10(math.Sqrt(3) / (4.303 * 0.001))},
		{[]float64{0.99, 1.01}, math.Log10(math.Sqrt(2) / (12.706 * 0.01 * math.Sqrt2))},
	} {
		if got := Digits(c.samples); got != c.want && !(math.Abs(got-c.want) < 1e-9) {
			t.Errorf("Digits(%g) = %g, want %g", c.samples, got, c.want)
		}
	}
}

// TestDigitsAreThere checks the promise of the estimate: 95 in 100 means of normal samples are as near to their
// expectation as it says.
func TestDigitsAreThere(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const trials = 4000
	for n := 2; n <= MaxSamples; n++ {
		kept := 0
		for range trials {
			samples, mean := make([]float64, n), 0.0
			for i := range samples {
				samples[i] = 1 + 1e-5*random.NormFloat64()
				mean += samples[i] / float64(n)
			}
			if math.Abs(mean-1) <= math.Pow(10, -Digits(samples))*mean {
				kept++
			}
		}
		if part := float64(kept) / trials; math.Abs(part-0.95) > 0.02 {
			t.Errorf("%d samples: right in %.3f of the cases, want 0.95", n, part)
		}
	}
}

// TestDigitsOfASum: sums of 1000 terms with a known exact value lose as many digits as the three samples say.
func TestDigitsOfASum(t *testing.T) {
	for _, big := range []float64{0, 1e4, 1e8, 1e12} {
		var samples [Samples]float64
		for k := range samples {
			r := NewRounding(uint64(k) + 1)
			s := big
			for range 1000 {
				s = r.Add(s, 0.1) // 0.1 as float64, summed exactly below
			}
			samples[k] = r.Sub(s, big)
		}
		truth := -math.Log10(math.Abs(samples[0]-100.00000000000000555) / 100)
		if got := Digits(samples[:]); math.Abs(got-truth) > 1.2 {
			t.Errorf("sum beside %g: %.1f digits, %.1f are right", big, got, truth)
		}
	}
}
