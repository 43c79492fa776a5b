package gpu

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dd"
)

func TestLargest(t *testing.T) {
	eachSpace(t, func(t *testing.T, s *deviceSpace) {
		for _, special := range []bool{false, true} {
			x, b, sums := nasty(s.n, 1, special), nasty(s.n, 2, false), nasty(s.n, 3, false)
			for i := range sums {
				sums[i] = math.Abs(sums[i])
			}
			v := onDevice(s, x, b, sums)
			want := 0.0
			for _, xi := range x {
				want = max(want, math.Abs(xi))
			}
			sameBits(t, "AbsMax", []float64{s.AbsMax(v[0])}, []float64{want})
			for _, norm := range []float64{0, 1, 0x1p-1070, 0x1.8p1000, math.Inf(1)} {
				want = 0
				for i := range x {
					want = max(want, hostQuotient(math.Abs(x[i]), sums[i], norm, math.Abs(b[i]), divided))
				}
				sameBits(t, "RowError", []float64{s.RowError(v[0], v[2], norm, v[1])}, []float64{want})
			}
		}
	})
}

// Every quotient by itself: there the largest hides none.
func TestRowErrorOfOneRow(t *testing.T) {
	eachDevice(t, func(t *testing.T, d *Device) {
		s := newSpace(d, 1)
		defer s.Close()
		r, sums, b := s.New(), s.New(), s.New()
		values := []float64{0, math.SmallestNonzeroFloat64, 0x1p-1022, 1 / 3., 1, 0x1.8p1000, math.MaxFloat64, math.Inf(1), math.NaN()}
		for _, ri := range values {
			for _, ti := range values {
				for _, norm := range values {
					for _, bi := range values {
						s.Upload(r, []float64{-ri})
						s.Upload(sums, []float64{ti})
						s.Upload(b, []float64{-bi})
						got, want := s.RowError(r, sums, norm, b), hostQuotient(ri, ti, norm, bi, divided)
						if other := hostQuotient(ri, ti, norm, bi, dividedByAMD); d.info.Backend == HIP && got == other {
							want = other
						}
						sameBits(t, "RowError", []float64{got}, []float64{want})
					}
				}
			}
		}
	})
}

// hostQuotient is quotient of pkg/solve.
func hostQuotient(r, t, x, b float64, by func(a, b float64) float64) float64 {
	if r == 0 {
		return 0
	}
	d := float64(t*x) + b
	if math.IsInf(d, 1) {
		return by(by(r, t), x)
	}
	return by(r, d)
}

func divided(a, b float64) float64 { return a / b }

// dividedByAMD is a / b as AMD's instructions may round it, see docs/gpu.md: to the lower neighbour where a power of two is divided
// by a number whose fraction is all ones, unless the quotient has fewer bits.
func dividedByAMD(a, b float64) float64 {
	power, _ := math.Frexp(a)
	ones, _ := math.Frexp(b)
	if q := a / b; power == 0.5 && ones == 1-0x1p-53 && q > 0x1p-1022 {
		return math.Nextafter(q, 0)
	}
	return a / b
}

func TestNorm2(t *testing.T) {
	eachSpace(t, func(t *testing.T, s *deviceSpace) {
		for _, x := range [][]float64{nasty(s.n, 4, false), normal(s.n, 4), make([]float64, s.n)} {
			largest := 0.0
			for _, v := range x {
				largest = max(largest, math.Abs(v))
			}
			want, e := 0.0, dd.Exponent(largest)
			scaled := eachOf(s.n, func(i int) float64 { return dd.Ldexp(x[i], -e) })
			for _, v := range s.dotParts(scaled, scaled).sums() {
				want += v
			}
			norm, exp := s.Norm2(onDevice(s, x)[0])
			sameBits(t, "Norm2", []float64{norm, float64(exp)}, []float64{math.Sqrt(want), float64(e)})
		}
		if s.n > 0 {
			x := normal(s.n, 4)
			x[s.n/2] = math.NaN()
			if norm, _ := s.Norm2(onDevice(s, x)[0]); !math.IsNaN(norm) {
				t.Errorf("the norm of a vector with NaN is %g", norm)
			}
		}
	})
}

func TestLdexp(t *testing.T) {
	eachSpace(t, func(t *testing.T, s *deviceSpace) {
		rng := rand.New(rand.NewPCG(9, 9))
		x, z := nasty(s.n, 6, true), nasty(s.n, 7, true)
		exps := make([]int32, s.n)
		for i := range exps {
			exps[i] = int32(rng.IntN(4600) - 2300)
			if rng.IntN(2) == 0 { // near the threshold of subnormal numbers and of zero
				exps[i] = int32(-1022 - dd.Exponent(x[i]) - rng.IntN(60))
			}
		}
		v := onDevice(s, x, z)
		dst := s.New()
		all := s.PutInts(exps)
		defer all.Close()
		for _, e := range []Ints{{}, all} {
			of := func(i int) int {
				if e == all {
					return int(exps[i])
				}
				return 0
			}
			for _, shift := range []int{0, 1, -1, 37, -1074, 2000, -2200, math.MaxInt32 + 1, math.MinInt32} {
				for _, sign := range []float64{1, -1, 0x1.8p-3} {
					s.Ldexp(dst, v[0], sign, e, shift)
					sameBits(t, "Ldexp", s.fetched(dst), eachOf(s.n, func(i int) float64 { return dd.Ldexp(sign*x[i], of(i)+shift) }))
				}
				s.AddLdexp(dst, v[0], v[1], e, shift)
				sameBits(t, "AddLdexp", s.fetched(dst), eachOf(s.n, func(i int) float64 { return x[i] + dd.Ldexp(z[i], of(i)+shift) }))
			}
			want := math.MinInt32
			for i, xi := range x {
				if xi != 0 {
					want = max(want, dd.Exponent(xi)+of(i))
				}
			}
			if got := s.MaxExponent(v[0], e); got != want {
				t.Errorf("n = %d: largest exponent %d, want %d", s.n, got, want)
			}
		}
		s.Zero(dst)
		if got := s.MaxExponent(dst, all); got != math.MinInt32 {
			t.Errorf("largest exponent of zeros: %d", got)
		}
	})
}
