package mp

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// exact returns a number with enough bits for any sum of two products here.
func exact() *big.Float { return new(big.Float).SetPrec(20000) }

// Sums are rounded once, for any distance of their terms and any cancellation.
func TestAxpy(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, bits := range precisions {
		for _, spread := range []int{2, 100, 4000} {
			x, y, a := randomVec(rng, 100, bits, spread), randomVec(rng, 100, bits, spread), rounded(random(rng, bits, 4), bits)
			for i := range 50 { // y is close to -a x
				p := exact().Mul(a, x.At(i))
				if p.Sign() != 0 {
					p.Add(p, exact().SetMantExp(random(rng, bits, 1), p.MantExp(nil)-rng.IntN(2*bits)))
				}
				y.Set(i, p.Neg(p))
			}
			want := make([]*big.Float, y.Len())
			for i := range want {
				want[i] = rounded(exact().Add(exact().Mul(a, x.At(i)), y.At(i)), bits)
			}
			y.Axpy(nil, a, x)
			for i := range want {
				if y.At(i).Cmp(want[i]) != 0 {
					t.Fatalf("%d bits, spread %d: %v, want %v", bits, spread, y.At(i).Text('p', 0), want[i].Text('p', 0))
				}
			}
		}
	}
}

// A term far below a tie decides the rounding.
func TestAxpyTie(t *testing.T) {
	for _, bits := range precisions {
		for _, sign := range []float64{-1, 0, 1} {
			v := New(1, bits)
			tie := exact().SetMantExp(big.NewFloat(1), bits-1)
			v.Set(0, tie.Add(tie, big.NewFloat(1))) // odd
			x := New(1, bits)
			x.Set(0, exact().Add(big.NewFloat(0.5), exact().SetMantExp(big.NewFloat(sign), -bits+2)))
			want := rounded(exact().Add(v.At(0), x.At(0)), bits)
			v.Axpy(nil, big.NewFloat(1), x)
			if v.At(0).Cmp(want) != 0 {
				t.Errorf("%d bits, %v: %v, want %v", bits, sign, v.At(0).Text('p', 0), want.Text('p', 0))
			}
			v.Set(0, tie)
			far := New(1, bits)
			far.Set(0, exact().SetMantExp(big.NewFloat(sign), -20*bits))
			want = rounded(exact().Add(v.At(0), far.At(0)), bits)
			v.Axpy(nil, big.NewFloat(1), far)
			if v.At(0).Cmp(want) != 0 {
				t.Errorf("%d bits, far %v: %v, want %v", bits, sign, v.At(0).Text('p', 0), want.Text('p', 0))
			}
		}
	}
}

func TestScale(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, bits := range precisions {
		x, a := randomVec(rng, 100, bits, 300), rounded(random(rng, bits, 4), bits)
		y := New(x.Len(), bits)
		y.Copy(x)
		y.Scale(nil, a)
		for i := range x.Len() {
			if want := rounded(exact().Mul(a, x.At(i)), bits); y.At(i).Cmp(want) != 0 {
				t.Fatalf("%d bits: %v, want %v", bits, y.At(i), want)
			}
		}
	}
}

func TestAddScaled(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, bits := range precisions {
		for range 20 {
			x, d, e := randomVec(rng, 30, bits, 1000), make([]float64, 30), rng.IntN(400)-200
			for i := range d {
				d[i] = math.Ldexp(rng.NormFloat64(), rng.IntN(2000)-1000)
				if i%7 == 0 {
					d[i] = 0
				}
			}
			y := New(x.Len(), bits)
			y.Copy(x)
			y.AddScaled(d, e)
			for i := range d {
				scaled := exact().SetMantExp(exact().SetFloat64(d[i]), e)
				if want := rounded(scaled.Add(scaled, x.At(i)), bits); y.At(i).Cmp(want) != 0 {
					t.Fatalf("%d bits: %v, want %v", bits, y.At(i).Text('p', 0), want.Text('p', 0))
				}
			}
		}
	}
}
