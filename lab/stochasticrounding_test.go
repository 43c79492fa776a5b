package lab

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// bits suffices for exact results of float64 operands, and for quotients and roots well beyond any tie.
const bits = 4600

func exact(x float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(x) }

// An operation is an operation with up to three operands and its exact result.
type operation struct {
	name  string
	wide  func(r *RandomRounding, a, b, c float64) float64
	short func(r *RandomRounding, a, b, c float32) float32
	exact func(a, b, c *big.Float) *big.Float
}

func result() *big.Float { return new(big.Float).SetPrec(bits) }

var operations = []operation{
	{
		"add", func(r *RandomRounding, a, b, _ float64) float64 { return r.Add(a, b) },
		func(r *RandomRounding, a, b, _ float32) float32 { return r.Add32(a, b) },
		func(a, b, _ *big.Float) *big.Float { return result().Add(a, b) },
	},
	{
		"sub", func(r *RandomRounding, a, b, _ float64) float64 { return r.Sub(a, b) },
		func(r *RandomRounding, a, b, _ float32) float32 { return r.Sub32(a, b) },
		func(a, b, _ *big.Float) *big.Float { return result().Sub(a, b) },
	},
	{
		"mul", func(r *RandomRounding, a, b, _ float64) float64 { return r.Mul(a, b) },
		func(r *RandomRounding, a, b, _ float32) float32 { return r.Mul32(a, b) },
		func(a, b, _ *big.Float) *big.Float { return result().Mul(a, b) },
	},
	{
		"div", func(r *RandomRounding, a, b, _ float64) float64 { return r.Div(a, b) },
		func(r *RandomRounding, a, b, _ float32) float32 { return r.Div32(a, b) },
		func(a, b, _ *big.Float) *big.Float {
			if b.Sign() == 0 {
				return nil
			}
			return result().Quo(a, b)
		},
	},
	{
		"fma", func(r *RandomRounding, a, b, c float64) float64 { return r.FMA(a, b, c) },
		func(r *RandomRounding, a, b, c float32) float32 { return r.FMA32(a, b, c) },
		func(a, b, c *big.Float) *big.Float { return result().Add(result().Mul(a, b), c) },
	},
	{
		"sqrt", func(r *RandomRounding, a, _, _ float64) float64 { return r.Sqrt(math.Abs(a)) },
		func(r *RandomRounding, a, _, _ float32) float32 { return r.Sqrt32(float32(math.Abs(float64(a)))) },
		func(a, _, _ *big.Float) *big.Float { return result().Sqrt(result().Abs(a)) },
	},
}

// besideFloat returns the neighbours of x: the largest float64 not above it and the least not below it.
func besideFloat(x *big.Float) (lo, hi float64) {
	f, _ := x.Float64()
	switch x.Cmp(exact(f)) {
	case 1:
		return f, math.Nextafter(f, math.Inf(1))
	case -1:
		return math.Nextafter(f, math.Inf(-1)), f
	}
	return f, f
}

func beside32(x *big.Float) (lo, hi float32) {
	f, _ := x.Float32()
	switch x.Cmp(exact(float64(f))) {
	case 1:
		return f, math.Nextafter32(f, float32(math.Inf(1)))
	case -1:
		return math.Nextafter32(f, float32(math.Inf(-1))), f
	}
	return f, f
}

// operand returns a number of any magnitude, with few or many bits, often near to another.
func operand(random *rand.Rand, near float64, least, most int) float64 {
	switch random.IntN(8) {
	case 0:
		return near
	case 1:
		return -near * (1 + float64(random.IntN(5)-2)*0x1p-52)
	case 2:
		return math.Ldexp(1, least+random.IntN(most-least))
	case 3:
		return float64(random.IntN(7) - 3)
	case 4:
		return math.Ldexp(random.NormFloat64(), least+random.IntN(60))
	}
	return math.Ldexp(random.NormFloat64(), least+random.IntN(most-least))
}

func TestRoundingIsOneOfTheNeighbours(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, o := range operations {
		t.Run(o.name, func(t *testing.T) {
			var up, inexact int
			r := NewRandomRounding(7)
			for range 30000 {
				least, most := -20, 20
				if random.IntN(2) == 0 {
					least, most = -1074, 1000
				}
				a := operand(random, 1, least, most)
				b := operand(random, a, least, most)
				c := operand(random, -a*b, least, most)
				if !finite(c) {
					continue
				}
				want := o.exact(exact(a), exact(b), exact(c))
				if want == nil {
					continue
				}
				lo, hi := besideFloat(want)
				if !finite(lo) || !finite(hi) {
					continue
				}
				other := r.Opposite()
				got := o.wide(&r, a, b, c)
				opposite := o.wide(&other, a, b, c)
				if math.Min(got, opposite) != lo || math.Max(got, opposite) != hi {
					t.Fatalf("%s(%g, %g, %g) = %g or %g, want %g and %g", o.name, a, b, c, got, opposite, lo, hi)
				}
				if lo != hi {
					inexact++
					if got == hi {
						up++
					}
				}
			}
			balanced(t, up, inexact)
		})
	}
}

func TestRounding32IsOneOfTheNeighbours(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, o := range operations {
		t.Run(o.name, func(t *testing.T) {
			var up, inexact int
			r := NewRandomRounding(8)
			for range 30000 {
				least, most := -10, 10
				if random.IntN(2) == 0 {
					least, most = -149, 120
				}
				a := float32(operand(random, 1, least, most))
				b := float32(operand(random, float64(a), least, most))
				c := float32(operand(random, -float64(a)*float64(b), least, most))
				want := o.exact(exact(float64(a)), exact(float64(b)), result().SetFloat64(clamp(float64(c))))
				if want == nil || !finite(float64(c)) {
					continue
				}
				lo, hi := beside32(want)
				if !finite(float64(lo)) || !finite(float64(hi)) {
					continue
				}
				other := r.Opposite()
				got := o.short(&r, a, b, c)
				opposite := o.short(&other, a, b, c)
				if min(got, opposite) != lo || max(got, opposite) != hi {
					t.Fatalf("%s(%g, %g, %g) = %g or %g, want %g and %g", o.name, a, b, c, got, opposite, lo, hi)
				}
				if lo != hi {
					inexact++
					if got == hi {
						up++
					}
				}
			}
			balanced(t, up, inexact)
		})
	}
}

// clamp replaces what is not finite by zero, which the caller does not use.
func clamp(x float64) float64 {
	if !finite(x) {
		return 0
	}
	return x
}

// balanced fails if ups, of n fair choices, is more than five standard deviations from half.
func balanced(t *testing.T, ups, n int) {
	t.Helper()
	if n < 1000 || math.Abs(float64(ups)-float64(n)/2) > 2.5*math.Sqrt(float64(n)) {
		t.Errorf("rounded up %d times of %d", ups, n)
	}
}

func TestNotFinite(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	r := NewRandomRounding(1)
	for range 20 {
		for _, c := range []struct{ got, want float64 }{
			{r.Add(inf, 1), inf},
			{r.Add(math.MaxFloat64, math.MaxFloat64), inf},
			{r.Sub(inf, inf), nan},
			{r.Mul(inf, -2), -inf},
			{r.Mul(0, inf), nan},
			{r.Mul(1e300, 1e300), inf},
			{r.Div(1, 0), inf},
			{r.Div(1, inf), 0},
			{r.Div(0, 0), nan},
			{r.Div(1e-310, nan), nan},
			{r.FMA(0, 1, inf), inf},
			{r.FMA(1e300, 1e300, 1), inf},
			{r.Sqrt(-1), nan},
			{r.Sqrt(inf), inf},
			{float64(r.Add32(math.MaxFloat32, math.MaxFloat32)), inf},
			{float64(r.Div32(1, 0)), inf},
			{float64(r.Narrow(nan)), nan},
		} {
			if c.got != c.want && !(math.IsNaN(c.got) && math.IsNaN(c.want)) {
				t.Errorf("got %g, want %g", c.got, c.want)
			}
		}
	}
}

func TestSeedsRepeat(t *testing.T) {
	trace := func(seed uint64) (s float64) {
		r := NewRandomRounding(seed)
		for i := range 1000 {
			s = r.Add(s, r.Div(1, float64(i+1)))
		}
		return s
	}
	if trace(1) != trace(1) {
		t.Error("the same seed gives two results")
	}
	if trace(1) == trace(2) {
		t.Error("two seeds give the same result")
	}
}
