package gpu

import (
	"math"
	"testing"
)

// The kernels of BabelStream on vectors of fewer and of more elements than threads.
func TestStream(t *testing.T) {
	eachDevice(t, func(t *testing.T, d *Device) {
		for _, n := range []int{1, 255, 257, 4*threads*2 + 77} {
			s := newSpace(d, n)
			defer s.Close()
			s.blocks = 2
			x, y := normal(n, 1), normal(n, 2)
			v, dst := onDevice(s, x, y), s.New()
			check := func(what string, want func(i int) float64) {
				t.Helper()
				sameVector(t, s, what, dst, eachOf(n, want))
				s.Zero(dst)
			}
			s.CopyTo(v[0], dst)
			check("CopyTo", func(i int) float64 { return x[i] })
			s.ScaleTo(0.3, v[0], dst)
			check("ScaleTo", func(i int) float64 { return 0.3 * x[i] })
			s.Add(v[0], v[1], dst)
			check("Add", func(i int) float64 { return x[i] + y[i] })
			s.Triad(v[0], 0.3, v[1], dst)
			check("Triad", func(i int) float64 { return math.FMA(0.3, y[i], x[i]) })
		}
	})
}
