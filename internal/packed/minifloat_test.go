package packed

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/formats"
)

// Our own rule gives each bucket a scale, so the range of a narrow exponent is no limit; the standards' own range, in
// units of the norm, is a limit for all but coarse targets.
func TestMinifloatIntervals(t *testing.T) {
	const all = "FP64,FP32,FP16,FP8E4M3,FP8E5M2,drop"
	for _, c := range []struct {
		epsilon float64
		exact   bool
		a       float64 // multiple of theta
		want    string
	}{
		{0x1p-53, false, 0.99, ""},
		{0x1p-53, false, 1, "FP8E5M2"},
		{0x1p-53, false, 0x1.ffp3, "FP8E5M2"},
		{0x1p-53, false, 0x1p4, "FP8E4M3"},
		{0x1p-53, false, 0x1.ffp4, "FP8E4M3"},
		{0x1p-53, false, 0x1p5, "FP16"},
		{0x1p-53, false, 0x1.ffffffp11, "FP16"},
		{0x1p-53, false, 0x1p12, "FP32"},
		// The least normal numbers are 2^-14 and 2^-6, the least subnormal ones 2^-24, 2^-16 and 2^-9.
		{0x1p-53, true, 2, "FP32"},
		{0x1p-53, true, 0x1p11, "FP32"},
		{0x1p-26, true, 2, "FP32"},      // half of 2^-24 is more than theta
		{0x1p-26, true, 0x1p11, "FP32"}, // 2^-15 is subnormal
		{0x1p-25, true, 2, "FP16"},      // half of 2^-24 is theta
		{0x1p-25, true, 0x1p11, "FP16"}, // 2^-14 is normal
		{0x1p-25, true, 0x1p-25, ""},    //
		{0x1p-17, true, 2, "FP8E5M2"},   // half of 2^-16 is theta
		{0x1p-17, true, 0x1p3, "FP8E5M2"},
		{0x1p-17, true, 0x1.8p3, "FP16"}, // not E4M3, whose least number is 2^-9
		{0x1p-10, true, 0x1p4, "FP8E4M3"},
	} {
		s := Spec{Set: set(t, all), Epsilon: c.epsilon, PaperExact: c.exact}
		if got := formatOf(t, s, c.a*c.epsilon); got != c.want {
			t.Errorf("paper-exact %v, %g times theta = %g is in %q, want %q", c.exact, c.a, c.epsilon, got, c.want)
		}
	}
}

// An interval of a reduced exponent is open on the right, in any set: 2^8 has no code.
func TestReducedAmongHeads(t *testing.T) {
	s := Spec{Set: set(t, "FP64,RPRE24,RP16,drop"), Epsilon: 0x1.5p-50, PaperExact: true}
	for a, want := range map[float64]string{0x1p8: "RP16", 0x1.8p20: "RPRE24", 0x1p21: "FP64"} {
		if got := formatOf(t, s, a*s.Epsilon); got != want {
			t.Errorf("%g epsilon' is in %q, want %q", a, got, want)
		}
	}
}

// An element beyond a range goes to a wider format: with the exact criterion an element may be arbitrarily large
// where x is small.
func TestMinifloatOverflow(t *testing.T) {
	s := Spec{Set: set(t, "FP64,FP32,FP16,drop"), Epsilon: 0x1p-20, Criterion: Exact, X: []float64{1, 0x1p-30, 0x1p-150, 1}}
	p := newPartition(s, &Tolerances{Exp: []int32{0}, Theta: []float64{s.Epsilon}})
	bucket := make([]int8, 3)
	p.Assign(bucket, 3, []int32{0, 1, 2}, []float64{0x1p-10, 0x1p20, 0x1p140})
	for k, want := range []string{"FP16", "FP32", "FP64"} {
		if got := p.Codecs[bucket[k]].Name; got != want {
			t.Errorf("element %d is in %s, want %s", k, got, want)
		}
	}
}

// No stored element differs by more than theta in any set, or by twice that with truncation.
func TestErrorOfElements(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{
		"FP64,FP32,FP16,FP8E4M3,FP8E5M2,drop", "FP64,FP16", "FP64,FP8E4M3,RPRE8", "FP64,BF16,FP8E5M2,drop",
		"FP64,FP32,RPRE24", "FP64,RPREU16", "AP7", "AP7RE", "AP7REU",
	} {
		for _, epsilon := range []float64{0x1p-53, 0x1p-37, 0x1p-24, 0x1p-17, 0x1p-9, 0.1} {
			for _, s := range []Spec{
				{Set: set(t, name), Epsilon: epsilon},
				{Set: set(t, name), Epsilon: epsilon, PaperExact: true},
				{Set: set(t, name), Epsilon: epsilon, Criterion: Exact},
			} {
				s.NoDrop = s.Set.Keeps
				if s.Criterion == Exact && s.Set.kind() != heads {
					continue
				}
				checkElements(t, s, rng)
			}
		}
	}
}

func checkElements(t *testing.T, s Spec, rng *rand.Rand) {
	t.Helper()
	const n = 300
	cols, vals := make([]int32, n), make([]float64, n)
	s.X = make([]float64, n+1)
	s.X[n] = 1
	for k := range vals {
		cols[k], vals[k] = int32(k), math.Ldexp(2*rng.Float64()-1, -rng.IntN(70))
		if s.X[k] = 1; s.Criterion == Exact {
			s.X[k] = math.Ldexp(1+rng.Float64(), rng.IntN(60)-30)
		}
	}
	theta := s.Epsilon
	if !s.PaperExact {
		theta = math.Ldexp(1, -s.unitBits())
	}
	p := newPartition(s, &Tolerances{Exp: []int32{0}, Theta: []float64{theta}})
	bucket := make([]int8, n)
	p.Assign(bucket, n, cols, vals)
	for k, v := range vals {
		stored, most := 0., theta
		if at := bucket[k]; at != None {
			c, codec := p.Class(int(at)), p.Codecs[at]
			code := make([]byte, 8+formats.Padding)
			if err := codec.Encode(code, []float64{c.Value(v, theta)}); err != nil {
				t.Fatalf("%s, paper-exact %v: %v", s, s.PaperExact, err)
			}
			var got [1]float64
			codec.Decode(got[:], code)
			if stored = got[0]; c.ByTheta {
				stored *= theta
			}
			if codec.Truncates {
				most *= 2
			}
			if stored == 0 {
				t.Fatalf("%s, paper-exact %v: %g became 0", s, s.PaperExact, v)
			}
		} else if s.NoDrop && v != 0 {
			t.Fatalf("%s drops %g", s, v)
		}
		if difference := math.Abs(stored-v) * math.Abs(s.X[k]); difference > most*(1+0x1p-40) {
			t.Fatalf("%s, paper-exact %v: %g became %g, %g times theta", s, s.PaperExact, v, stored, difference/theta)
		}
	}
}
