package mp

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// exactly returns a with so many bits that they hold all sums of these tests.
func exactly(a *big.Float) *big.Float { return new(big.Float).SetPrec(12000).Set(a) }

// Sums of two numbers are rounded once, whatever their sizes.
func TestPutSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	number := func(words int) integer {
		a := integer{neg: rng.IntN(2) == 0, m: make([]uint64, words), e: rng.IntN(900) - 450}
		for k := range a.m {
			switch rng.IntN(4) {
			case 0:
			case 1:
				a.m[k] = 1 << rng.IntN(64)
			case 2:
				a.m[k] = -(uint64(1) << rng.IntN(64))
			default:
				a.m[k] = rng.Uint64()
			}
		}
		return a
	}
	value := func(a integer) *big.Float {
		v := new(big.Float).SetPrec(12000)
		for k, w := range a.m {
			v.Add(v, exactly(new(big.Float).SetMantExp(new(big.Float).SetUint64(w), a.e+64*k)))
		}
		if a.neg {
			v.Neg(v)
		}
		return v
	}
	for round := range 20000 {
		v := New(1, []int{53, 106, 128, 212}[rng.IntN(4)])
		a, b := number(1+rng.IntN(5)), number(1+rng.IntN(5))
		if round%5 == 0 { // cancellation
			b = integer{!a.neg, append([]uint64{}, a.m...), a.e}
			b.m[0] ^= uint64(rng.IntN(3))
		}
		v.putSum(0, a, b)
		want := new(big.Float).SetPrec(uint(v.Bits())).Set(new(big.Float).SetPrec(12000).Add(value(a), value(b)))
		if v.At(0).Cmp(want) != 0 {
			t.Fatalf("round %d, %d bits: %v + %v is %v, want %v", round, v.Bits(), value(a), value(b), v.At(0), want)
		}
	}
}

// y = alpha A x + beta y equals the result of math/big up to one rounding and the bound.
func TestMulAddThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 11))
	random := func(bits int) *big.Float {
		a := new(big.Float).SetPrec(uint(bits)).SetMantExp(big.NewFloat(rng.Float64()-0.5), rng.IntN(40)-20)
		return a.Add(a, new(big.Float).SetMantExp(big.NewFloat(rng.Float64()), -60))
	}
	vector := func(n, bits int) *Vec {
		v := New(n, bits)
		for i := range n {
			v.Set(i, random(bits))
		}
		return v
	}
	for _, bits := range []int{106, 212, 424} {
		for _, transposed := range []bool{false, true} {
			rows, cols := 1+rng.IntN(20), 1+rng.IntN(20)
			var first *Vec
			alpha, beta := random(bits), random(bits/2)
			r := make([]*Vec, rows)
			for i := range r {
				r[i] = vector(cols, bits)
			}
			n, terms := rows, cols
			if transposed {
				n, terms = cols, rows
			}
			x, y0 := vector(terms, bits), vector(n, bits)
			for threads := 1; threads <= 2; threads++ {
				pool := parallel.New(threads)
				defer pool.Close()
				a, y := NewDense(pool, rows, cols, bits), New(n, bits)
				for i := range r {
					a.SetRow(i, r[i])
				}
				y.Copy(y0)
				multiply := a.MulAdd
				if transposed {
					multiply = a.MulAddT
				}
				multiply(alpha, x, beta, y)
				if first == nil {
					first = y
				}
				for i := range n {
					want := exactly(beta)
					want.Mul(want, y0.At(i))
					size := new(big.Float).SetPrec(64)
					for k := range terms {
						e := r[min(i, rows-1)]
						p := new(big.Float)
						if transposed {
							p = r[k].At(i)
						} else {
							p = e.At(k)
						}
						p = exactly(p)
						p.Mul(p, x.At(k))
						p.Mul(p, alpha)
						want.Add(want, p)
						size.Add(size, new(big.Float).SetPrec(64).Abs(p))
					}
					got := y.At(i)
					if got.Cmp(first.At(i)) != 0 {
						t.Fatalf("%d bits, %d threads: element %d has other bits", bits, threads, i)
					}
					d := exactly(got)
					d.Sub(d, want)
					d.Abs(d)
					bound := new(big.Float).SetMantExp(new(big.Float).SetPrec(64).Abs(want), -bits)
					// Elements of rows and of x differ by less than 2^45 here.
					bound.Add(bound, new(big.Float).SetMantExp(size, -bits-8))
					largest := new(big.Float).SetMantExp(big.NewFloat(float64(40*terms)), 60-limbBits*sizeOf(bits))
					bound.Add(bound, largest.Mul(largest, new(big.Float).Abs(alpha)))
					if d.Cmp(bound) > 0 {
						t.Fatalf("%d bits, transposed %v: element %d is off by %v, more than %v", bits, transposed, i, d, bound)
					}
				}
			}
		}
	}
}

// An exact product is rounded once, and zeros leave beta y.
func TestMulAddRounding(t *testing.T) {
	const bits = 106
	a, x, y := NewDense(nil, 1, 2, bits), New(2, bits), New(1, bits)
	row := New(2, bits)
	row.SetFloat64s([]float64{3, 1})
	a.SetRow(0, row)
	x.SetFloat64s([]float64{1, 0x1p-60})
	y.SetFloat64s([]float64{5})
	alpha, beta := new(big.Float).SetPrec(200).Add(big.NewFloat(1), big.NewFloat(0x1p-90)), big.NewFloat(0x1p-20)
	a.MulAdd(alpha, x, beta, y)
	want := exactly(big.NewFloat(3))
	want.Add(want, big.NewFloat(0x1p-60))
	want.Mul(want, alpha)
	want.Add(want, big.NewFloat(5*0x1p-20))
	if want.SetPrec(bits); y.At(0).Cmp(want) != 0 {
		t.Errorf("%v, want %v", y.At(0), want)
	}
	x.SetFloat64s([]float64{0, 0})
	y.SetFloat64s([]float64{3})
	a.MulAdd(alpha, x, beta, y)
	if want := big.NewFloat(3 * 0x1p-20); y.At(0).Cmp(want) != 0 {
		t.Errorf("%v, want %v", y.At(0), want)
	}
}

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
