package gpu

import (
	"math"
	"slices"
	"testing"
)

// factorUsed is the number that a kernel makes of a scalar.
func factorUsed(s *deviceSpace, a Scalar) float64 {
	one, out := s.New(), make([]float64, 1)
	s.Upload(one, []float64{1})
	s.Scale(a, one)
	s.Download(out, one)
	return out[0]
}

// sums returns what makes a number a sum on the device, in a space of dimension 1.
func sums(s *deviceSpace) func(v float64) Scalar {
	x, one := s.New(), s.New()
	s.Upload(one, []float64{1})
	return func(v float64) Scalar {
		s.Upload(x, []float64{v})
		return s.Dot(x, one)
	}
}

// TestScalars evaluates scalars on the device, in kernels, and on the host.
func TestScalars(t *testing.T) { eachDevice(t, testScalars) }

func testScalars(t *testing.T, d *Device) {
	s := newSpace(d, 1)
	defer s.Close()
	sum := sums(s)
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
		s.ClearFault()
		sameNumber(t, "a quotient", factorUsed(s, sum(q.n).Div(sum(q.d))), q.want)
		s.Fetch()
		if s.Await() == q.fault {
			t.Errorf("%g/%g: fault is %v", q.n, q.d, !q.fault)
		}
	}
	s.ClearFault()
	a, b, c := sum(9), sum(4), sum(5)
	sameNumber(t, "a root", factorUsed(s, a.Sqrt()), 3)
	sameNumber(t, "two quotients", factorUsed(s, a.Div(b).Mul(c).Div(a.Sqrt())), 9.0/4*(5.0/3))
	if q := a.Div(b).Mul(b).Div(a); !q.q[0].one() || !q.q[1].one() {
		t.Errorf("does not cancel: %+v", q)
	}
	sameNumber(t, "negative", factorUsed(s, a.Div(b).Neg()), -2.25)
	sameNumber(t, "a sum", a.Add(b).Float(), 13)
	sameNumber(t, "a difference", a.Sub(b).Float(), 5)

	wide := newSpace(d, 1500)
	defer wide.Close()
	wide.blocks = vectorBlocks
	ones := eachOf(wide.n, func(int) float64 { return 1 })
	v := onDevice(wide, ones, ones)
	sameNumber(t, "a sum of many parts", factorUsed(s, wide.Dot(v[0], v[1])), 1500)

	kept, x := s.New(), s.New()
	s.Upload(x, []float64{7})
	factorUsed(s, s.Positive(sum(-1)))
	s.Checkpoint(kept, x)
	sameVector(t, s, "after a fault", kept, []float64{0})
	s.ClearFault()
	factorUsed(s, s.Positive(sum(1)))
	s.Checkpoint(kept, x)
	sameVector(t, s, "after the fault is cleared", kept, []float64{7})

	// More raw sums than there are areas.
	many := make([]Scalar, 3*areas)
	for k := range many {
		many[k] = sum(float64(k + 1))
	}
	for k := range many {
		sameNumber(t, "one of many", factorUsed(s, many[k].Div(a)), float64(k+1)/9)
	}
	s.Fetch()
	if !s.Await() {
		t.Error("a fault")
	}

	// Cells are used again, in the middle of sums that follow each other too.
	d.sums.reserve(int(2*cells - 5 - d.sums.next%cells))
	h, sevens := make([]Scalar, 9), slices.Repeat([]*Vector{x}, 9)
	s.MultiDot(h, sevens, x)
	sameNumber(t, "the last of nine", h[8].Float(), 49)
	s.MultiAxpy(h, sevens, kept)
	sameVector(t, s, "nine", kept, []float64{7 + 9*7*49})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a scalar that is gone may be used")
			}
		}()
		factorUsed(s, a)
	}()
	d.sums.reserve(cells - 20)
	for k := range 60 {
		v := sum(float64(k))
		sameNumber(t, "a cell used again", factorUsed(s, v), float64(k))
		sameNumber(t, "a cell used again", v.Float(), float64(k))
	}
}

// number is one that a scalar stands for, with a bound of its relative error.
type number struct {
	s    Scalar
	v, e float64
}

// FuzzScalars evaluates expressions in reverse Polish notation, a byte for an operand or an
// operation, on the device, on the host, and in float64.
func FuzzScalars(f *testing.F) {
	d := emulated(f)
	f.Add([]byte{0, 8, 16, 2, 1})
	f.Add([]byte{0, 8, 2, 16, 1, 0, 4, 2, 3})
	f.Add([]byte{0, 16, 24, 1, 2, 7, 8, 5, 40, 6, 14, 1, 0, 1, 2, 4})
	f.Fuzz(func(t *testing.T, program []byte) {
		s := newSpace(d, 1)
		defer s.Close()
		s.ClearFault()
		for _, n := range evaluated(s, program) {
			onDevice, onHost := factorUsed(s, n.s), n.s.Float()
			sameNumber(t, "on the device", onDevice, onHost)
			if !(math.Abs(onHost-n.v) <= 2*n.e*math.Abs(n.v)) {
				t.Errorf("%v: %g, want %g", program, onHost, n.v)
			}
		}
		if s.Fetch(); !s.Await() {
			t.Errorf("%v: a fault", program)
		}
	})
}

// evaluated is the stack that a program leaves. Operations are left out where a number
// would become too large or too small, or would have too few correct bits.
func evaluated(s *deviceSpace, program []byte) (stack []number) {
	const u = 0x1p-53
	sum := sums(s)
	for _, b := range program {
		operand := 1 + float64(b>>3)/7
		if len(stack) == 0 || b%8 == 0 {
			stack = append(stack, number{sum(operand), operand, 0})
			continue
		}
		x, y, rest := stack[len(stack)-1], number{s.Scalar(operand), operand, 0}, stack[:len(stack)-1]
		if k := len(rest); k > 0 {
			x, y, rest = rest[k-1], x, rest[:k-1]
		}
		var z number
		switch b % 8 {
		case 1:
			z = number{x.s.Mul(y.s), x.v * y.v, x.e + y.e + 4*u}
		case 2:
			z = number{x.s.Div(y.s), x.v / y.v, x.e + y.e + 4*u}
		case 3:
			z = number{x.s.Neg(), -x.v, x.e}
		case 4:
			z = number{x.s.Sqrt(), math.Sqrt(x.v), x.e/2 + 4*u}
		case 5:
			z = number{x.s.Add(y.s), x.v + y.v, 0}
			z.e = (x.e*math.Abs(x.v)+y.e*math.Abs(y.v))/math.Abs(z.v) + 4*u
		case 6:
			z = number{x.s.Sub(y.s), x.v - y.v, 0}
			z.e = (x.e*math.Abs(x.v)+y.e*math.Abs(y.v))/math.Abs(z.v) + 4*u
		case 7:
			s.Fetch()
			continue
		}
		if m := math.Abs(z.v); 0x1p-100 < m && m < 0x1p100 && z.e < 1e-9 {
			stack = append(rest, z)
		}
	}
	return stack
}
