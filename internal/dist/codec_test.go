package dist

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Numbers are rounded to nearest, with an error within the bound of their bytes, stay finite, and travel as rounded.
func TestRounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	numbers := []float64{0, math.Copysign(0, -1), 1, -1, math.Pi, math.MaxFloat64, -math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN(), 0x1p-1074, 0x1p-1022}
	for range 3000 {
		numbers = append(numbers, math.Float64frombits(rng.Uint64()), rng.NormFloat64())
	}
	at := make([]int32, len(numbers))
	for k := range at {
		at[k] = int32(len(at) - 1 - k)
	}
	for bytes := 3; bytes < 8; bytes++ {
		c := rounded(bytes)
		epsilon := math.Ldexp(1, 11-8*bytes)
		if got := roundedBytes(epsilon); got != bytes {
			t.Errorf("%d bytes for 2^%d, want %d", got, 11-8*bytes, bytes)
		}
		if got := roundedBytes(math.Nextafter(epsilon, 0)); got != bytes+1 {
			t.Errorf("%d bytes for less than 2^%d, want %d", got, 11-8*bytes, bytes+1)
		}
		want, got := make([]float64, len(numbers)), make([]float64, len(numbers))
		c.copy(want, numbers)
		for _, count := range []int{0, 1, 2, 3, len(at)} { // messages end where they should
			message := make([]byte, c.bytes*count)
			c.put(message, numbers, at[:count])
			c.get(got, at[:count], message)
		}
		for k, v := range numbers {
			r := want[k]
			switch {
			case v != v:
				if r == r {
					t.Errorf("NaN becomes %g in %d bytes", r, bytes)
				}
				continue
			case math.IsInf(v, 0):
				if r != v {
					t.Errorf("%g becomes %g in %d bytes", v, r, bytes)
				}
			case math.Abs(v) > math.MaxFloat64*(1-epsilon):
				if !(math.Abs(r) <= math.Abs(v)) || math.Abs(r-v) > 2*epsilon*math.Abs(v) {
					t.Errorf("%g becomes %g in %d bytes", v, r, bytes)
				}
			default:
				if e := math.Abs(r - v); !(e <= max(epsilon*math.Abs(v), epsilon*0x1p-1022)) || math.Signbit(r) != math.Signbit(v) {
					t.Errorf("%x becomes %x in %d bytes", v, r, bytes)
				}
			}
			if math.Float64bits(got[k]) != math.Float64bits(r) {
				t.Errorf("%x travels as %x in %d bytes, want %x", v, got[k], bytes, r)
			}
		}
	}
	for _, v := range []struct{ given, want float64 }{ // fractions of 12 bits
		{1 + 0x1p-13, 1}, {1 + 0x3p-13, 1 + 0x1p-11}, {-1 - 0x3p-13, -1 - 0x1p-11}, {1 + 0x1p-13 + 0x1p-52, 1 + 0x1p-12}, {2 - 0x1p-13, 2},
	} {
		got := []float64{0}
		if rounded(3).copy(got, []float64{v.given}); got[0] != v.want {
			t.Errorf("%x becomes %x in 3 bytes, want %x", v.given, got[0], v.want)
		}
	}
	if roundedBytes(0x1p-53) != 8 || roundedBytes(0x1p-45) != 7 {
		t.Error("less than 8 bytes for 2^-53")
	}
}

// Ghosts of rounded halos are the same numbers whether they come from another rank or not.
func TestConcurrentRoundedHalos(t *testing.T) {
	m := scattered(t, 3000, 4, 3)
	x := random(4, m.Rows)
	for _, epsilon := range []float64{0x1p-13, 0x1p-37, 0x1p-45, 0x1p-53} {
		want := make([]float64, m.Rows)
		for i, v := range x {
			if bytes := roundedBytes(epsilon); bytes < 8 {
				v = math.Float64frombits(roundBits(v, uint(64-8*bytes)))
			}
			want[i] = v
		}
		for _, ranks := range []int{1, 2, 5} {
			spread(t, m, ranks, 8, func(a *Matrix) {
				h := a.Halo.Rounded(epsilon)
				v := vectorOf(a.Layout, x)
				h.Exchange(v)
				for _, p := range a.Parts {
					for k := range p.Next() - p.At {
						row := p.global(k)
						w := want[row]
						if k >= p.Below && k < p.Below+p.Own {
							w = x[row]
						}
						if v[p.At+k] != w {
							t.Errorf("epsilon %g, %d ranks: row %d is %x in domain %d, want %x", epsilon, ranks, row, v[p.At+k], p.Domain, w)
							return
						}
					}
				}
			})
		}
	}
}
