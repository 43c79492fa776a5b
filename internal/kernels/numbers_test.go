package kernels

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// randomNumbers returns n numbers, some of them 0, with exponents within the spread below top.
func randomNumbers(rng *rand.Rand, n, bits, top, spread int) Numbers {
	words := (bits + 63) / 64
	x := Numbers{words, bits, make([]int32, n), make([]bool, n), make([]uint64, n*words)}
	for i := range n {
		if rng.IntN(10) == 0 {
			continue
		}
		m := make([]uint64, 1+rng.IntN(2*words))
		for k := range m {
			m[k] = rng.Uint64() >> rng.IntN(64) & -uint64(rng.IntN(2)) & -uint64(rng.IntN(2)) // many zeros
			if rng.IntN(3) == 0 {
				m[k] = ^uint64(0)
			}
		}
		m[len(m)-1] |= 1 << 63
		x.Exp[i], x.Neg[i] = RoundWords(x.Mant[i*words:(i+1)*words], bits, rng.IntN(2) == 0, m, top-1-rng.IntN(spread+1), false)
	}
	return x
}

// float returns number i.
func (x Numbers) float(i int) *big.Float {
	m := integer64(x.Mant[i*x.Words : (i+1)*x.Words])
	f := new(big.Float).SetPrec(uint(64 * x.Words)).SetInt(m)
	if f.SetMantExp(f, int(x.Exp[i])-64*x.Words); x.Neg[i] {
		f.Neg(f)
	}
	return f
}

func integer64(words []uint64) *big.Int {
	sum := new(big.Int)
	for k := len(words) - 1; k >= 0; k-- {
		sum.Lsh(sum, 64).Add(sum, new(big.Int).SetUint64(words[k]))
	}
	return sum
}

// results returns all bits of numbers, for comparisons.
func (x Numbers) results() (r []float64) {
	for i, e := range x.Exp {
		sign := 0.0
		if x.Neg[i] {
			sign = 1
		}
		r = append(r, float64(e), sign)
	}
	return append(r, words(x.Mant)...)
}

func (x Numbers) in(a *arena) Numbers {
	return Numbers{x.Words, x.Bits, put(a, x.Exp), put(a, x.Neg), put(a, x.Mant)}
}

// randomSums returns sums of `limbs` limbs in two's complement, `stride` words apart: small, of both signs, with runs
// of zeros and ones, and some with words that are not carried.
func randomSums(rng *rand.Rand, n, stride, limbs int) []uint64 {
	s := make([]uint64, n*stride)
	for i := range n {
		row := make([]int64, limbs)
		for k, limb := range randomLimbs(rng, rng.IntN(limbs)) {
			row[k] = int64(limb)
			if rng.IntN(4) == 0 {
				row[k] *= int64(rng.IntN(2000) - 1000)
			}
		}
		if rng.IntN(2) == 0 {
			for k := range row {
				row[k] = -row[k]
			}
		}
		for k, limb := range row {
			s[i*stride+k] = uint64(limb)
		}
	}
	return s
}

var numberBits = []int{53, 64, 106, 128, 212, 424, 500, 848, 1696}

func limbNumbers(a *arena, rng *rand.Rand) {
	n, bits, top := rng.IntN(20), numberBits[rng.IntN(len(numberBits))], rng.IntN(2000)-1000
	size := LimbSize(bits + 20)
	x := randomNumbers(rng, n, bits, top, []int{3, 100, 2000}[rng.IntN(3)])
	everywhere(a, "FixLimbs", nil, func(k *Set) []float64 {
		to := put(a, make([]uint64, n*size))
		k.FixLimbs(to, size, x.in(a), top)
		return words(to)
	})
	var tops []int
	if rng.IntN(2) == 0 {
		for _, e := range x.Exp {
			tops = append(tops, int(e)+rng.IntN(60))
		}
	}
	everywhere(a, "FixLanes", nil, func(k *Set) []float64 {
		to, sums := put(a, make([]uint64, (n+Lanes-1)/Lanes*Lanes*size)), put(a, make([]uint64, Lanes*size))
		k.FixLanes(to, sums, size, x.in(a), top, put(a, tops))
		return append(words(to), words(sums)...)
	})
	limbs := 2 + rng.IntN(MostSumLimbs-1)
	stride := limbs + rng.IntN(5)
	sums, units := randomSums(rng, n, stride, limbs), make([]int, n)
	for i := range units {
		units[i] = rng.IntN(2000) - 1000
		if rng.IntN(50) == 0 {
			units[i] = math.MinInt32 - rng.IntN(3000) // underflow
		}
	}
	everywhere(a, "RoundLimbs", nil, func(k *Set) []float64 {
		y := randomNumbers(rand.New(rand.NewPCG(1, 1)), n, bits, 0, 1).in(a)
		k.RoundLimbs(y, put(a, sums), stride, limbs, put(a, units))
		return y.results()
	})
}

// numberSums adds multiples of numbers, also of ones that cancel.
func numberSums(a *arena, rng *rand.Rand) {
	n, bits := rng.IntN(40), numberBits[rng.IntN(len(numberBits))]
	x, y, factor := cancelling(rng, n, bits)
	everywhere(a, "AddTimes", nil, func(k *Set) []float64 {
		y := y.in(a)
		k.AddTimes(y, factor.in(a), x.in(a))
		return y.results()
	})
}

// cancelling returns n numbers x and y and a factor; some y are near -factor x.
func cancelling(rng *rand.Rand, n, bits int) (x, y, factor Numbers) {
	spread := []int{3, 100, 1000, 4000}[rng.IntN(4)]
	x, y, factor = randomNumbers(rng, n, bits, rng.IntN(200), spread), randomNumbers(rng, n, bits, rng.IntN(200), spread), randomNumbers(rng, 1, bits, 9, 9)
	m := make([]uint64, 2*x.Words)
	for i := range n {
		if f, t := factor.Term(0), x.Term(i); rng.IntN(3) == 0 && !f.Zero() && !t.Zero() {
			p := f.Times(t, m)
			y.round(i, !p.Neg, p.M, p.E, false)
		}
		if rng.IntN(100) == 0 && x.Mant[(i+1)*x.Words-1] != 0 {
			x.Exp[i] = []int32{math.MinInt32, math.MinInt32 + 3}[rng.IntN(2)]
		}
	}
	return x, y, factor
}

// Multiples are added as math/big adds them, and rounded once.
func TestAddTimes(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Set) {
		rng := rand.New(rand.NewPCG(67, 68))
		for round := range 400 {
			bits, n := numberBits[round%len(numberBits)], 1+rng.IntN(40)
			x, y, factor := cancelling(rng, n, bits)
			if round%5 == 0 {
				x = randomNumbers(rng, n, numberBits[rng.IntN(len(numberBits))], 9, 100)
			}
			exact := new(big.Float).SetPrec(20000)
			var want []*big.Float
			for i := range n {
				if x.Exp[i] < math.MinInt32+10 { // too far from y for an exact sum of so many bits
					x.Exp[i] = -20
				}
				exact.Mul(x.float(i), factor.float(0))
				exact.Add(exact, y.float(i))
				want = append(want, new(big.Float).SetPrec(uint(bits)).Set(exact))
			}
			k.AddTimes(y, factor, x)
			for i := range n {
				if got := y.float(i); got.Cmp(want[i]) != 0 {
					t.Fatalf("%d bits: %v, want %v", bits, got.Text('p', 0), want[i].Text('p', 0))
				}
			}
		}
	})
}

// Sums are rounded as math/big rounds them, ties to even among them.
func TestRoundLimbs(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Set) {
		rng := rand.New(rand.NewPCG(65, 66))
		for round := range 400 {
			bits, n := numberBits[round%len(numberBits)], 1+rng.IntN(9)
			limbs := 2 + rng.IntN(MostSumLimbs-1)
			sums, units := randomSums(rng, n, limbs, limbs), make([]int, n)
			for i := range units {
				units[i] = rng.IntN(200) - 100
				if at := bits / LimbBits; rng.IntN(3) == 0 && at+2 < limbs { // ties and their neighbours
					row := sums[i*limbs : (i+1)*limbs]
					clear(row)
					row[at+1] = 1 << rng.IntN(LimbBits)
					tie := new(big.Int).Lsh(big.NewInt(int64(row[at+1])), uint(LimbBits*(at+1)))
					low := tie.BitLen() - bits - 1
					row[low/LimbBits] |= uint64(1+2*rng.IntN(2)) << (low % LimbBits)
					if rng.IntN(3) == 0 && low > 0 {
						row[0] |= uint64(rng.IntN(2))
					}
				}
			}
			y := randomNumbers(rng, n, bits, 0, 1)
			k.RoundLimbs(y, sums, limbs, limbs, units)
			for i := range n {
				sum := new(big.Int)
				for l := limbs - 1; l >= 0; l-- {
					sum.Lsh(sum, LimbBits).Add(sum, big.NewInt(int64(sums[i*limbs+l])))
				}
				want := new(big.Float).SetPrec(uint(bits)).SetInt(sum)
				want.SetMantExp(want, units[i])
				if got := y.float(i); got.Cmp(want) != 0 {
					t.Fatalf("%d bits: %v became %v, want %v", bits, sum, got.Text('p', 0), want.Text('p', 0))
				}
			}
		}
	})
}
