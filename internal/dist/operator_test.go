package dist

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// spread runs what on so many ranks, with m in so many domains.
func spread(t *testing.T, m *csr.Matrix, ranks, domains int, what func(a *Matrix)) {
	t.Helper()
	Run(ranks, func(c Comm) {
		a, err := Spread(c, m, domains)
		if err != nil {
			t.Error(err)
			return
		}
		what(a)
	})
}

// vectorOf returns the elements of x that this rank has, with wrong ghosts.
func vectorOf(l *Layout, x []float64) []float64 {
	v := make([]float64, l.Len)
	for k := range v {
		v[k] = math.NaN()
	}
	for _, p := range l.Parts {
		copy(v[p.First():p.End()], x[p.Row:])
	}
	return v
}

// put sets in x the elements of v that this rank has.
func put(l *Layout, x, v []float64) {
	for _, p := range l.Parts {
		copy(x[p.Row:], v[p.First():p.End()])
	}
}

func random(seed uint64, n int) []float64 {
	rng := rand.New(rand.NewPCG(seed, 2))
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// products executes all products of an operator, and returns the vectors and the scalars.
func products(a linop.Relaxer[[]float64, linop.Float64], l *Layout, x, b []float64) (out [][]float64, scalars []float64) {
	y := func() []float64 {
		v := make([]float64, l.Len)
		out = append(out, v)
		return v
	}
	x, b = vectorOf(l, x), vectorOf(l, b)
	a.Apply(y(), x)
	scalars = append(scalars, float64(a.ApplyDot(y(), x, b)))
	dw, dd := a.ApplyDots(y(), x, x)
	scalars = append(scalars, float64(dw), float64(dd))
	a.Residual(y(), b, x)
	a.Relax(y(), x, b, b, 0.7)
	a.ApplyPlus(y(), b, x)
	return out, scalars
}

// Products on any ranks and in any domains have the bits of the whole matrix in every row; their sums have the same
// bits on any ranks.
func TestConcurrentOperators(t *testing.T) {
	for _, n := range []int{1, 7, 300, 20_000} {
		m := scattered(t, n, 5, uint64(n))
		x, b := random(1, n), random(2, n)
		whole := linop.NewCSR(m, nil)
		want, wantScalars := products(whole, &Layout{Len: n, Parts: []Part{{Own: n}}}, x, b)
		accurate := make([]float64, n)
		linop.Accurate{CSR: whole}.Residual(accurate, b, x)
		for _, domains := range []int{1, 2, 3, 8} {
			var first []float64
			for _, ranks := range []int{1, 2, 3, 5} {
				if domains > n {
					continue
				}
				got := make([][]float64, len(want)+1)
				for k := range got {
					got[k] = make([]float64, n)
				}
				scalars := make([][]float64, ranks)
				spread(t, m, ranks, domains, func(a *Matrix) {
					pool := parallel.New(2)
					defer pool.Close()
					op := NewCSR(a, a.Local, pool)
					var out [][]float64
					out, scalars[a.Comm.Rank()] = products(op, a.Layout, x, b)
					r := make([]float64, a.Len)
					Accurate{op}.Residual(r, vectorOf(a.Layout, b), vectorOf(a.Layout, x))
					for k, v := range append(out, r) {
						put(a.Layout, got[k], v)
					}
				})
				name := fmt.Sprintf("%d rows, %d domains, %d ranks", n, domains, ranks)
				for k, v := range append(slices.Clone(want), accurate) {
					if !slices.Equal(got[k], v) {
						t.Errorf("%s: product %d differs", name, k)
					}
				}
				if first == nil {
					first = scalars[0]
				}
				for r, s := range scalars {
					if !slices.Equal(s, first) {
						t.Errorf("%s: scalars %v on rank %d, want %v", name, s, r, first)
					}
				}
				for k, s := range first {
					if e := math.Abs(s - wantScalars[k]); !(e <= 1e-13*float64(n)*(1+math.Abs(s))) {
						t.Errorf("%s: scalar %d is %g, want %g", name, k, s, wantScalars[k])
					}
				}
			}
		}
	}
}

// Products with the transpose equal those of the whole matrix up to the order of the terms, and have the same bits on
// any ranks.
func TestConcurrentTransposes(t *testing.T) {
	for _, n := range []int{1, 9, 400, 9000} {
		m := scattered(t, n, 5, uint64(n))
		x := random(1, n)
		exact, size := make([]float64, n), make([]float64, n)
		linop.NewCSR(m, nil).ApplyT(exact, x)
		m.DoNonZero(func(i, j int, v float64) { size[j] += math.Abs(v * x[i]) })
		for _, domains := range []int{1, 2, 3, 8} {
			if domains > n {
				continue
			}
			var want []float64
			for _, ranks := range []int{1, 2, 3, 5} {
				got := make([]float64, n)
				spread(t, m, ranks, domains, func(a *Matrix) {
					pool := parallel.New(3)
					defer pool.Close()
					y := make([]float64, a.Len)
					NewCSR(a, a.Local, pool).ApplyT(y, vectorOf(a.Layout, x))
					put(a.Layout, got, y)
				})
				if want == nil {
					want = got
				}
				if !slices.Equal(got, want) {
					t.Errorf("%d rows, %d domains, %d ranks: other bits than one rank", n, domains, ranks)
				}
				for i, v := range got {
					if !(math.Abs(v-exact[i]) <= 1e-14*size[i]) {
						t.Fatalf("%d rows, %d domains, %d ranks: element %d is %g, want %g", n, domains, ranks, i, v, exact[i])
					}
				}
			}
		}
	}
}

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
