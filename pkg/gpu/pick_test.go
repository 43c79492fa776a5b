package gpu

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Picked elements are those of the vector, in the order of the places and with repetitions; set ranges are where they were set.
func TestPicks(t *testing.T) {
	eachSpace(t, func(t *testing.T, s *deviceSpace) {
		rng := rand.New(rand.NewPCG(3, uint64(s.n)))
		x, values := s.New(), allSizes(rng, s.n)
		s.Upload(x, values)
		if s.n > 2 {
			copy(values[1:], []float64{7, 8})
			s.SetRange(x, 1, []float64{7, 8})
		}
		at := make([]uint32, min(3*s.n, 700))
		for k := range at {
			at[k] = uint32(rng.IntN(s.n))
		}
		p := s.Pick(at)
		defer p.Close()
		got, want := make([]float64, p.Len()), make([]float64, len(at))
		for k, i := range at {
			want[k] = values[i]
		}
		if p.Get(got, x); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}
