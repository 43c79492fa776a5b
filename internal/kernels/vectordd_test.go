package kernels

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dd"
)

// vectorDDCalls are the functions of double-double vectors on four vectors of one length; each returns its sums.
var vectorDDCalls = []struct {
	name    string
	vectors int // number of vectors read or written, for a benchmark
	call    func(k *Set, a dd.DD, v []dd.Vec) []dd.DD
}{
	{"DotDD", 2, func(k *Set, _ dd.DD, v []dd.Vec) []dd.DD { return []dd.DD{k.DotDD(v[0], v[1])} }},
	{"NormDD", 1, func(k *Set, _ dd.DD, v []dd.Vec) []dd.DD { return []dd.DD{k.DotDD(v[0], v[0])} }},
	{"AxpyDD", 3, func(k *Set, a dd.DD, v []dd.Vec) []dd.DD { k.AxpyDD(a, v[0], v[1]); return nil }},
	{"XpayDD", 3, func(k *Set, a dd.DD, v []dd.Vec) []dd.DD { k.XpayDD(v[0], a, v[1]); return nil }},
	{"ScaleDD", 2, func(k *Set, a dd.DD, v []dd.Vec) []dd.DD { k.ScaleDD(a, v[0]); return nil }},
	{"AxpyDotDD", 4, func(k *Set, a dd.DD, v []dd.Vec) []dd.DD { return []dd.DD{k.AxpyDotDD(a, v[0], v[1], v[2])} }},
	{"AxpyDotDD x", 3, func(k *Set, a dd.DD, v []dd.Vec) []dd.DD { return []dd.DD{k.AxpyDotDD(a, v[0], v[1], v[0])} }},
	{"AxpyDotDD y", 3, func(k *Set, a dd.DD, v []dd.Vec) []dd.DD { return []dd.DD{k.AxpyDotDD(a, v[0], v[1], v[1])} }},
	{"MultiDotDD", 5, func(k *Set, _ dd.DD, v []dd.Vec) []dd.DD {
		dots := make([]dd.DD, 5)
		k.MultiDotDD(dots, []dd.Vec{v[0], v[1], v[2], v[3], v[1]}, 0, v[3].Len(), v[3])
		return dots
	}},
	{"MultiAxpyDD", 6, func(k *Set, a dd.DD, v []dd.Vec) []dd.DD {
		k.MultiAxpyDD([]dd.DD{a, dd.From(1e-3), a.Neg(), a, a}, []dd.Vec{v[0], v[1], v[2], v[1], v[0]}, 0, v[3].Len(), v[3])
		return nil
	}},
	{"StepDD", 6, func(k *Set, a dd.DD, v []dd.Vec) []dd.DD { return []dd.DD{k.StepDD(a, v[0], v[1], v[2], v[3])} }},
}

// sameDD compares all sets in one of vectorDDCalls.
func sameDD(a *arena, call int, factor dd.DD, source []dd.Vec) {
	c := vectorDDCalls[call]
	everywhere(a, fmt.Sprintf("%s of %d elements", c.name, source[0].Len()), nil, func(k *Set) (trace []float64) {
		var v []dd.Vec
		for _, s := range source {
			v = append(v, dd.Vec{Hi: put(a, s.Hi), Lo: put(a, s.Lo)})
		}
		for _, s := range c.call(k, factor, v) {
			trace = append(trace, s.Hi, s.Lo)
		}
		for _, x := range v {
			trace = append(append(trace, x.Hi...), x.Lo...)
		}
		return trace
	})
}

// randomDD returns a renormalised number, of usual size if hi is.
func randomDD(rng *rand.Rand, hi float64) dd.DD {
	return dd.FastTwoSum(hi, hi*(rng.Float64()-0.5)*0x1p-52)
}

func vectorsDD(rng *rand.Rand, n, count int) []dd.Vec {
	vs := make([]dd.Vec, count)
	for k := range vs {
		vs[k] = dd.NewVec(n)
		for i := range n {
			vs[k].Set(i, randomDD(rng, rng.NormFloat64()))
		}
	}
	return vs
}

// Every function of double-double vectors has the same bits with every set, at every length, also for special
// numbers.
func TestVectorDDSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	a := &arena{t: t, pages: newPages(t)}
	for n := range 3*group + 4 {
		source := vectorsDD(rng, n, 4)
		for _, v := range source {
			for i := range n {
				if n%4 == 3 && rng.IntN(20) == 0 {
					v.Set(i, dd.DD{Hi: number[float64](rng), Lo: number[float64](rng)})
				}
			}
		}
		for call := range vectorDDCalls {
			sameDD(a, call, randomDD(rng, -1.7), source)
		}
	}
}

// exact returns a sum of products of numbers without any error.
func exact(terms ...[]dd.DD) *big.Float {
	const precision = 1200
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(v) }
	s := num(0)
	for _, factors := range terms {
		p := num(1)
		for _, f := range factors {
			p.Mul(p, num(0).Add(num(f.Hi), num(f.Lo)))
		}
		s.Add(s, p)
	}
	return s
}

const ulps2 = 0x1p-106 // u^2

// within checks that |got - want| is at most factor u^2, and that got is renormalised.
func within(t *testing.T, what string, got dd.DD, want *big.Float, factor float64) {
	t.Helper()
	if got.Hi+got.Lo != got.Hi {
		t.Errorf("%s: %v is not renormalised", what, got)
	}
	off, _ := new(big.Float).Sub(exact([]dd.DD{got}), want).Float64()
	if !(math.Abs(off) <= factor*ulps2) {
		t.Errorf("%s: off by %.3g u^2, and %.3g is allowed", what, off/ulps2, factor)
	}
}

// size returns |x y ...|, rounded up.
func size(factors ...dd.DD) float64 {
	p := 1 + 0x1p-48
	for _, f := range factors {
		p *= math.Abs(f.Hi)
	}
	return p
}

// The elements satisfy the bounds of the comments at every length, also where y and a x cancel almost completely.
func TestVectorDDElements(t *testing.T) { eachSet(t, testVectorDDElements) }

func testVectorDDElements(t *testing.T, k *Set) {
	rng := rand.New(rand.NewPCG(29, 30))
	for n := range 70 {
		a, v := randomDD(rng, rng.NormFloat64()), vectorsDD(rng, n, 4)
		x, y, q, r := v[0], v[1], v[2], v[3]
		for i := range n {
			switch p := a.Neg().Mul(x.At(i)); rng.IntN(4) { // of other signs, and cancelling all but some bits
			case 0:
				y.Set(i, p)
			case 1:
				y.Set(i, p.Add(dd.From(math.Ldexp(p.Hi, -rng.IntN(110)))))
			case 2:
				y.Set(i, dd.From(p.Hi))
			}
		}
		check := func(what string, got dd.Vec, y, x dd.Vec, a dd.DD) {
			t.Helper()
			for i := range n {
				within(t, fmt.Sprintf("n = %d: %s, element %d", n, what, i), got.At(i), exact([]dd.DD{y.At(i)}, []dd.DD{a, x.At(i)}), 3*size(y.At(i))+14*size(a, x.At(i)))
			}
		}
		z := copied(y)
		k.AxpyDD(a, x, z)
		check("axpy", z, y, x, a)
		z = copied(x)
		k.XpayDD(y, a, z)
		check("xpay", z, y, x, a)
		z = copied(y)
		dot := k.AxpyDotDD(a, x, z, q)
		check("axpyDot", z, y, x, a)
		if dot != k.DotDD(z, q) {
			t.Errorf("n = %d: AxpyDotDD is not AxpyDD and DotDD", n)
		}
		z, s := copied(y), copied(r)
		dot = k.StepDD(a, x, z, q, s)
		check("step x", z, y, x, a)
		check("step r", s, r, q, a.Neg())
		if dot != k.DotDD(s, s) {
			t.Errorf("n = %d: StepDD does not return r·r", n)
		}
		z = copied(x)
		k.ScaleDD(a, z)
		for i := range n {
			within(t, fmt.Sprintf("n = %d: scale, element %d", n, i), z.At(i), exact([]dd.DD{a, x.At(i)}), 6*size(a, x.At(i)))
		}
	}
}

// MultiAxpyDD equals an AxpyDD for every vector in turn, and MultiDotDD a DotDD, on any range.
func TestMultiDDIsOneByOne(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Set) {
		rng := rand.New(rand.NewPCG(33, 34))
		for count := range 11 {
			n := 40 + rng.IntN(100)
			lo, hi := rng.IntN(20), n-rng.IntN(20)
			v := vectorsDD(rng, n, count+1)
			w, v := v[count], v[:count]
			a, dots := make([]dd.DD, count), make([]dd.DD, count)
			k.MultiDotDD(dots, v, lo, hi, w)
			want := copied(w)
			for i := range v {
				if one := k.DotDD(v[i].Slice(lo, hi), w.Slice(lo, hi)); dots[i] != one {
					t.Errorf("product %d of %d: %v, want %v", i, count, dots[i], one)
				}
				a[i] = randomDD(rng, rng.NormFloat64())
				k.AxpyDD(a[i], v[i].Slice(lo, hi), want.Slice(lo, hi))
			}
			k.MultiAxpyDD(a, v, lo, hi, w)
			if !slices.Equal(w.Hi, want.Hi) || !slices.Equal(w.Lo, want.Lo) {
				t.Errorf("MultiAxpyDD of %d vectors differs from AxpyDD for each", count)
			}
		}
	})
}

func copied(x dd.Vec) dd.Vec { return dd.Vec{Hi: slices.Clone(x.Hi), Lo: slices.Clone(x.Lo)} }

// Inner products satisfy their bound at every length, also where the sum is 2^-100 of its terms.
func TestDotDDBound(t *testing.T) { eachSet(t, testDotDDBound) }

func testDotDDBound(t *testing.T, k *Set) {
	rng := rand.New(rand.NewPCG(31, 32))
	for n := range 200 {
		v := vectorsDD(rng, n, 2)
		x, y := v[0], v[1]
		if n%3 > 0 { // the second half nearly cancels the first
			for i := n / 2; i < n; i++ {
				at := n - 1 - i
				x.Set(i, x.At(at))
				y.Set(i, y.At(at).Neg())
				if n%3 == 2 {
					y.Set(i, y.At(i).Add(dd.From(math.Ldexp(rng.NormFloat64(), -100))))
				}
			}
		}
		var terms [][]dd.DD
		sizes := 0.0
		for i := range n {
			terms = append(terms, []dd.DD{x.At(i), y.At(i)})
			sizes += size(x.At(i), y.At(i))
		}
		want, m := exact(terms...), float64(n/group+20)
		value, _ := want.Float64()
		within(t, fmt.Sprintf("dot of %d", n), k.DotDD(x, y), want, (m+1)*(m+6)*sizes+math.Abs(value))
	}
}

// TestDotDDCancels: float64 loses all digits of this sum; double-double keeps them.
func TestDotDDCancels(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Set) {
		x, y := dd.NewVec(40), dd.NewVec(40)
		for i := range 20 {
			v := dd.DD{Hi: 1 + float64(i), Lo: 0x1p-60}
			x.Set(i, v)
			x.Set(39-i, v)
			y.Set(i, dd.From(1))
			y.Set(39-i, dd.DD{Hi: -1, Lo: -0x1p-70})
		}
		got, want := k.DotDD(x, y), dd.From(-210*0x1p-70)
		if got.Hi != want.Hi || math.Abs(got.Lo) > 1e3*ulps2 {
			t.Errorf("dot = %v, want about %v", got, want)
		}
	})
}

func BenchmarkVectorDD(b *testing.B) {
	for _, size := range []struct {
		name string
		n    int
	}{{"L1", 1 << 9}, {"L2", 1 << 11}, {"memory", 1 << 22}} {
		v := vectorsDD(rand.New(rand.NewPCG(1, 2)), size.n, 4)
		for _, c := range vectorDDCalls {
			for _, k := range Sets() {
				b.Run(fmt.Sprintf("%s/%s/%s", size.name, c.name, k), func(b *testing.B) {
					b.SetBytes(int64(16 * c.vectors * size.n))
					for b.Loop() {
						c.call(k, dd.From(1e-9), v)
					}
				})
			}
		}
	}
}
