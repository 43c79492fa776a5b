package dd

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func exact(x DD) *big.Float {
	s := new(big.Float).SetPrec(400).SetFloat64(x.Hi)
	return s.Add(s, new(big.Float).SetPrec(400).SetFloat64(x.Lo))
}

func random(rng *rand.Rand) DD {
	hi := math.Ldexp(rng.Float64()*2-1, rng.IntN(60)-30)
	return FastTwoSum(hi, hi*(rng.Float64()-0.5)*0x1p-53)
}

// TestOperationsAgainstBigFloat compares every operation with 400-bit arithmetic.
func TestOperationsAgainstBigFloat(t *testing.T) {
	const bound = 0x1p-100
	rng := rand.New(rand.NewPCG(1, 2))
	check := func(op string, got DD, want *big.Float) {
		t.Helper()
		diff := new(big.Float).SetPrec(400).Sub(exact(got), want)
		if diff.Sign() == 0 {
			return
		}
		rel, _ := diff.Quo(diff, want).Float64()
		if math.Abs(rel) > bound {
			t.Fatalf("%s: relative error %g", op, rel)
		}
	}
	for range 20000 {
		x, y := random(rng), random(rng)
		X, Y := exact(x), exact(y)
		b := func() *big.Float { return new(big.Float).SetPrec(400) }
		if math.Abs(x.Hi+y.Hi) > 0x1p-4*math.Abs(x.Hi) {
			check("add", x.Add(y), b().Add(X, Y))
		}
		check("mul", x.Mul(y), b().Mul(X, Y))
		check("div", x.Div(y), b().Quo(X, Y))
		if x.Hi > 0 {
			check("sqrt", x.Sqrt(), b().Sqrt(X))
		}
	}
}

// TestAddProdCancels: in an ill-conditioned inner product float64 loses all digits, double-double none.
func TestAddProdCancels(t *testing.T) {
	a := []float64{1e16, 1, -1e16, 3}
	s, plain := DD{}, 0.0
	for _, v := range a {
		s = s.AddProd(v, 1+0x1p-30)
		plain += v * (1 + 0x1p-30)
	}
	want := 4 * (1 + 0x1p-30)
	if s.Float() != want {
		t.Errorf("double-double sum = %v, want %v", s.Float(), want)
	}
	if plain == want {
		t.Error("the float64 sum is exact too: the test shows nothing")
	}
}

func TestSqrtOfZeroAndNegative(t *testing.T) {
	if v := From(0).Sqrt().Float(); v != 0 {
		t.Errorf("sqrt(0) = %v", v)
	}
	if v := From(-1).Sqrt().Float(); !math.IsNaN(v) {
		t.Errorf("sqrt(-1) = %v", v)
	}
}

// The error of a product is exact from 2^-968 on, and not below.
func TestTwoProdUnderflow(t *testing.T) {
	const a = 1 + 0x1p-52 // a^2 has bits down to 2^-104
	exact := func(e int) bool {
		p, r := TwoProd(math.Ldexp(a, e/2), math.Ldexp(a, e-e/2))
		want := new(big.Float).SetPrec(200).SetMantExp(new(big.Float).SetPrec(200).Mul(big.NewFloat(a), big.NewFloat(a)), e)
		got := new(big.Float).SetPrec(200).Add(big.NewFloat(p), big.NewFloat(r))
		return got.Cmp(want) == 0
	}
	if !exact(-968) || !exact(-970) || exact(-971) || exact(-1040) {
		t.Errorf("exact at 2^-968, -970, -971, -1040: %v %v %v %v", exact(-968), exact(-970), exact(-971), exact(-1040))
	}
}
