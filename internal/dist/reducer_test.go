package dist

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// sumOf returns the sum of x by definition: in big.Float without error, rounded once.
func sumOf(x []float64) float64 {
	sum, nan, inf := new(big.Float).SetPrec(2400), false, 0.
	for _, v := range x {
		switch {
		case v != v || math.IsInf(v, 0) && inf == -v:
			nan = true
		case math.IsInf(v, 0):
			inf = v
		default:
			sum.Add(sum, new(big.Float).SetFloat64(v))
		}
	}
	switch {
	case nan:
		return math.NaN()
	case inf != 0:
		return inf
	case sum.Sign() == 0:
		return 0 // never -0
	}
	v, _ := sum.Float64()
	return v
}

// kinds of numbers whose sums are difficult.
var difficult = map[string]func(rng *rand.Rand) float64{
	"alike":  func(rng *rand.Rand) float64 { return rng.Float64() },
	"signed": func(rng *rand.Rand) float64 { return rng.NormFloat64() },
	"any": func(rng *rand.Rand) float64 {
		for {
			if v := math.Float64frombits(rng.Uint64()); v-v == 0 {
				return v
			}
		}
	},
	"subnormal": func(rng *rand.Rand) float64 {
		return math.Copysign(math.Float64frombits(rng.Uint64N(1<<53)), rng.NormFloat64())
	},
	"largest": func(rng *rand.Rand) float64 { return math.Copysign(math.MaxFloat64, rng.NormFloat64()+0.3) },
	"ties": func(rng *rand.Rand) float64 {
		return []float64{1, 0x1p-53, -0x1p-53, 0x1p-54, 0x1p-106, -0x1p-1074, 1 + 0x1p-52}[rng.IntN(7)]
	},
	"zeros": func(rng *rand.Rand) float64 { return math.Copysign(0, rng.NormFloat64()) },
	"cancelling": func(rng *rand.Rand) float64 {
		return float64(rng.IntN(3)-1) * math.Ldexp(1+float64(rng.IntN(2))*0x1p-52, 100*rng.IntN(5))
	},
	"infinite": func(rng *rand.Rand) float64 { return []float64{1, 2, -3, math.Inf(1)}[rng.IntN(4)] },
	"not numbers": func(rng *rand.Rand) float64 {
		return []float64{1, math.Inf(-1), math.Inf(1), math.NaN()}[rng.IntN(4)]
	},
}

// sameSums compares the bits of numbers; all NaNs are equal.
func sameSums(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(v, w float64) bool {
		return v != v && w != w || math.Float64bits(v) == math.Float64bits(w)
	})
}

// Sums agree with the definition in any order and for any distribution over ranks, one call after the other, for
// numbers that are all alike or very different.
func TestConcurrentSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var names []string
	for name := range difficult {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, size := range []int{1, 2, 3, 5} {
		var calls [][][]float64 // partial results, by call and rank
		var counts []int
		var want [][]float64
		for range 60 {
			m := []int{1, 1, 2, 5}[rng.IntN(4)]
			draw := difficult[names[rng.IntN(len(names))]]
			scale := 1.
			if rng.IntN(2) == 0 { // after similar ones, very different ones
				scale = math.Ldexp(1, rng.IntN(1000)-500)
			}
			partial, columns := make([][]float64, size), make([][]float64, m)
			for range rng.IntN(40) {
				r := rng.IntN(size)
				for k := range m {
					v := draw(rng) * scale
					columns[k] = append(columns[k], v)
					partial[r] = append(partial[r], v)
				}
			}
			sums := make([]float64, m)
			for k := range sums {
				sums[k] = sumOf(columns[k])
			}
			calls, counts, want = append(calls, partial), append(counts, m), append(want, sums)
		}
		Run(size, func(c Comm) {
			r := NewReducer(c)
			for k, call := range calls {
				sums := make([]float64, counts[k])
				r.Sum(sums, call[c.Rank()])
				if !sameSums(sums, want[k]) {
					t.Errorf("%d ranks, call %d: %x, want %x of %x", size, k, sums, want[k], call)
				}
			}
		})
	}
}

// Sums in the middle of two numbers are rounded to even, and to the nearer number if anything else is added, however
// small and at any position in the words.
func TestTies(t *testing.T) {
	r := NewReducer(Self{})
	for e := range 40 {
		for below := 52; below < 300; below++ {
			for _, first := range []float64{1, 1 + 0x1p-52, -1} {
				for _, rest := range []float64{0, math.Ldexp(1, e-below), -math.Ldexp(1, e-below)} {
					x := []float64{math.Ldexp(first, e), rest, math.Ldexp(1, e-53)}
					got := []float64{0}
					if r.Sum(got, x); got[0] != sumOf(x) {
						t.Fatalf("sum of %x is %x, want %x", x, got, sumOf(x))
					}
				}
			}
		}
	}
}

// A maximum over ranks equals the maximum on one rank.
func TestConcurrentMax(t *testing.T) {
	inf := math.Inf(1)
	for _, x := range [][]float64{{}, {-1}, {-3, -2, -7}, {math.Copysign(0, -1), -1, 0}, {1, math.NaN(), inf}, {-inf, -inf}, {0x1p-1074, -5, inf}} {
		want := linop.Local.Max(x)
		for _, size := range []int{1, 2, 3, 5} {
			Run(size, func(c Comm) {
				var own []float64
				for k, v := range x {
					if k%size == c.Rank() {
						own = append(own, v)
					}
				}
				if got := NewReducer(c).Max(own); !sameSums([]float64{got}, []float64{want}) {
					t.Errorf("%v on %d ranks: %v, want %v", x, size, got, want)
				}
			})
		}
	}
}

// FuzzSum adds arbitrary numbers, on one rank and on two.
func FuzzSum(f *testing.F) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, draw := range difficult {
		var b []byte
		for range 20 {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(draw(rng)))
		}
		f.Add(b, uint8(7))
	}
	f.Fuzz(func(t *testing.T, b []byte, cut uint8) {
		var x []float64
		for ; len(b) >= 8; b = b[8:] {
			x = append(x, math.Float64frombits(binary.LittleEndian.Uint64(b)))
		}
		at := min(int(cut), len(x))
		want := []float64{sumOf(x)}
		Run(2, func(c Comm) {
			r := NewReducer(c)
			own := [][]float64{x[:at], x[at:]}[c.Rank()]
			for range 3 { // what the second call sends depends on the first
				got := []float64{0}
				r.Sum(got, own)
				if !sameSums(got, want) {
					t.Errorf("sum of %x is %x, want %x", x, got, want)
				}
			}
		})
	})
}

var sink float64

// BenchmarkSum adds the partial results of 10^6 elements: exactly, and one after the other as linop.Local does.
func BenchmarkSum(b *testing.B) {
	for _, count := range []int{1, 3, 245} {
		x := random(3, count)
		sums := make([]float64, 1)
		for name, r := range map[string]linop.Reducer{"exact": NewReducer(Self{}), "local": linop.Local} {
			b.Run(name+" "+string(rune('0'+min(count, 9))), func(b *testing.B) {
				for b.Loop() {
					r.Sum(sums, x)
				}
			})
		}
		sink = sums[0]
	}
}

// Sums of double-double numbers are the exact sums, rounded to float64 and then what is left rounded again, over any ranks (Concurrent).
func TestConcurrentSumsDD(t *testing.T) {
	for name, number := range difficult {
		if name == "largest" || name == "any" { // sums beyond float64
			continue
		}
		rng := rand.New(rand.NewPCG(7, 8))
		numbers := make([]dd.DD, 2*60)
		halves := [2][]float64{}
		for at := range numbers {
			numbers[at].Hi, numbers[at].Lo = dd.TwoSum(number(rng), number(rng))
			halves[at%2] = append(halves[at%2], numbers[at].Hi, numbers[at].Lo)
		}
		for _, size := range []int{1, 2, 5} {
			Run(size, func(c Comm) {
				sums, share := make([]dd.DD, 2), len(numbers)/2/size*2
				NewReducer(c).(*reducer).SumDD(sums, numbers[c.Rank()*share:][:share])
				for k, got := range sums {
					upper := sumOf(halves[k])
					lower := sumOf(append(slices.Clone(halves[k]), -upper))
					if nan := upper != upper; nan != (got.Hi != got.Hi) || !nan && (got.Hi != upper || got.Lo != lower) {
						t.Errorf("%s, rank %d of %d, sum %d: %g + %g, want %g + %g", name, c.Rank(), size, k, got.Hi, got.Lo, upper, lower)
					}
				}
			})
		}
	}
}
