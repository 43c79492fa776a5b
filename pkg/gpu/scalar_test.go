package gpu

import (
	"math"
	"testing"
)

// factorUsed is the number that a kernel makes of a scalar.
func factorUsed(s *Space, a Scalar) float64 {
	one, out := s.New(), make([]float64, 1)
	s.Upload(one, []float64{1})
	s.Scale(a, one)
	s.Download(out, one)
	return out[0]
}

// TestScalars evaluates scalars on the device, in kernels, and on the host.
func TestScalars(t *testing.T) { eachDevice(t, testScalars) }

func testScalars(t *testing.T, d *Device) {
	s := NewSpace(d, 1)
	defer s.Close()
	// sum is a sum on the device: v times 1.
	sum := func(v float64) Scalar {
		x, one := s.New(), s.New()
		s.Upload(x, []float64{v})
		s.Upload(one, []float64{1})
		return s.Dot(x, one)
	}
	inf, nan := math.Inf(1), math.NaN()
	for _, q := range []struct {
		n, d, want float64
		fault      bool
	}{
		{6, 4, 1.5, false},
		{1, 3, 1.0 / 3, false},
		{0, 5, 0, false},
		{-1, 0, 0, true},
		{0, 0, 0, true},
		{1, inf, 0, true},
		{inf, 1, 0, true},
		{1, nan, 0, true},
		{nan, 1, 0, true},
		{1e300, 1e-300, 0, true},
	} {
		s.Forgive()
		sameNumber(t, "a quotient", factorUsed(s, sum(q.n).Div(sum(q.d))), q.want)
		s.Fetch()
		if s.Arrived() == q.fault {
			t.Errorf("%g/%g: fault is %v", q.n, q.d, !q.fault)
		}
	}
	s.Forgive()
	a, b, c := sum(9), sum(4), sum(5)
	sameNumber(t, "a root", factorUsed(s, a.Sqrt()), 3)
	sameNumber(t, "two quotients", factorUsed(s, a.Div(b).Mul(c).Div(a.Sqrt())), 9.0/4*(5.0/3))
	if q := a.Div(b).Mul(b).Div(a); !q.q[0].one() || !q.q[1].one() {
		t.Errorf("does not cancel: %+v", q)
	}
	sameNumber(t, "negative", factorUsed(s, a.Div(b).Neg()), -2.25)
	sameNumber(t, "a sum", a.Add(b).Float(), 13)
	sameNumber(t, "a difference", a.Sub(b).Float(), 5)

	kept, x := s.New(), s.New()
	s.Upload(x, []float64{7})
	factorUsed(s, s.Positive(sum(-1)))
	s.Keep(kept, x)
	sameVector(t, s, "after a fault", kept, []float64{0})
	s.Forgive()
	factorUsed(s, s.Positive(sum(1)))
	s.Keep(kept, x)
	sameVector(t, s, "forgiven", kept, []float64{7})

	// More raw sums than there are areas.
	many := make([]Scalar, 3*areas)
	for k := range many {
		many[k] = sum(float64(k + 1))
	}
	for k := range many {
		sameNumber(t, "one of many", factorUsed(s, many[k].Div(a)), float64(k+1)/9)
	}
	s.Fetch()
	if !s.Arrived() {
		t.Error("a fault")
	}

	// Slots come round.
	d.pad.reserve(slots - 20)
	for k := range 60 {
		v := sum(float64(k))
		sameNumber(t, "a slot used again", factorUsed(s, v), float64(k))
		sameNumber(t, "a slot used again", v.Float(), float64(k))
	}
}
