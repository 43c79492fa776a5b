package kernels

import (
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomLimbs returns n words: limbs of random bits, of zeros or of ones, and arbitrary bits above them.
func randomLimbs(rng *rand.Rand, n int) []uint64 {
	x := make([]uint64, n)
	for i := range x {
		switch rng.IntN(8) {
		case 0:
		case 1:
			x[i] = LimbMask
		case 2:
			x[i] = 1 << rng.IntN(LimbBits)
		case 3:
			x[i] = rng.Uint64() & LimbMask >> rng.IntN(LimbBits)
		default:
			x[i] = rng.Uint64() & LimbMask
		}
	}
	return x
}

// words returns numbers with all bits of words.
func words(x []uint64) []float64 {
	y := make([]float64, 0, 2*len(x))
	for _, v := range x {
		y = append(y, float64(v>>32), float64(v&0xffffffff))
	}
	return y
}

// limbProducts calls MulLimbs and DotLimbs.
func limbProducts(a *arena, rng *rand.Rand) {
	size := limbSizes[rng.IntN(len(limbSizes))]
	count := rng.IntN(1 + 200/size)
	step := Lanes * size * (1 + rng.IntN(2))
	s, x := randomLimbs(rng, Lanes*(size+1)), randomLimbs(rng, step*count)
	one, each := randomLimbs(rng, size*count), randomLimbs(rng, Lanes*size*count)
	everywhere(a, "MulLimbs", nil, func(k *Set) []float64 {
		s := put(a, s)
		k.MulLimbs(size, s, put(a, x), step, put(a, one), count)
		return words(s)
	})
	everywhere(a, "DotLimbs", nil, func(k *Set) []float64 {
		s := put(a, s)
		k.DotLimbs(size, s, put(a, x), step, put(a, each), count)
		return words(s)
	})
}

// limbRow is a matrix and a vector for RowLimbs.
type limbRow struct {
	size       int
	ptr        []int
	col        []int32
	entries, x []uint64
}

func randomLimbRows(rng *rand.Rand) (c limbRow) {
	const columns = 20
	c.size = limbSizes[rng.IntN(len(limbSizes))]
	c.ptr = append(c.ptr, 0)
	for range rng.IntN(12) {
		for range rng.IntN(9) {
			c.col = append(c.col, rng.Int32N(columns))
			shift := uint64(rng.IntN(3) * rng.IntN(MaxLimbs/2+1))
			e := randomLimbs(rng, 2)
			c.entries = append(c.entries, e[0]|uint64(rng.IntN(2))<<63, e[1]|shift<<LimbBits)
		}
		c.ptr = append(c.ptr, len(c.col))
	}
	c.x = append(randomLimbs(rng, columns*c.size), randomLimbs(rng, LimbPadding)...)
	for j := range columns {
		c.x[j*c.size] |= uint64(rng.IntN(2)) << 63
	}
	return c
}

func limbRows(a *arena, rng *rand.Rand) {
	c := randomLimbRows(rng)
	width, _ := LimbRowWords(c.size)
	everywhere(a, "RowLimbs", nil, func(k *Set) []float64 {
		s := put(a, make([]uint64, width*(len(c.ptr)-1)))
		k.RowLimbs(c.size, s, put(a, c.ptr), put(a, c.col), put(a, c.entries), put(a, c.x))
		return words(s)
	})
}

// integer returns the integer of limbs that are `step` words apart.
func integer(limbs []uint64, step int, mask uint64) *big.Int {
	sum := new(big.Int)
	for k := (len(limbs) - 1) / step; k >= 0 && len(limbs) > 0; k-- {
		sum.Lsh(sum, LimbBits).Add(sum, new(big.Int).SetUint64(limbs[k*step]&mask))
	}
	return sum
}

// The sums are less than the products in math/big by no more than the comment of MulLimbs says.
func TestLimbProducts(t *testing.T) { eachSet(t, testLimbProducts) }

func testLimbProducts(t *testing.T, k *Set) {
	rng := rand.New(rand.NewPCG(61, 62))
	for _, size := range limbSizes {
		for _, count := range []int{0, 1, 2, 7, MaxLimbTerms / (2 * size)} {
			step := Lanes * size
			a := slices.Repeat([]uint64{LimbMask}, step*count) // the largest
			b := slices.Clone(a)
			if count < 10 {
				a, b = randomLimbs(rng, step*count), randomLimbs(rng, step*count)
			}
			s := make([]uint64, Lanes*(size+1))
			k.DotLimbs(size, s, a, step, b, count)
			lost := new(big.Int).Lsh(big.NewInt(int64(count*(2*size-2))), uint(LimbBits*(size-1)))
			for _, l := range []int{0, 3, Lanes - 1} {
				want := new(big.Int)
				for i := range count {
					x, y := a[step*i:step*(i+1)], b[step*i:step*(i+1)]
					want.Add(want, new(big.Int).Mul(integer(x[l:], Lanes, LimbMask), integer(y[l:], Lanes, LimbMask)))
				}
				got := integer(s[l:], Lanes, ^uint64(0))
				d := want.Sub(want, got.Lsh(got, uint(LimbBits*(size-1))))
				if d.Sign() < 0 || d.Cmp(lost) > 0 || count == 1 && d.Cmp(lost) == 0 {
					t.Fatalf("%d limbs, %d products, lane %d: %v too small, at most %v", size, count, l, d, lost)
				}
			}
		}
	}
}

// Rows are exact: their sums represent the sum of the products in math/big.
func TestLimbRows(t *testing.T) { eachSet(t, testLimbRows) }

func testLimbRows(t *testing.T, k *Set) {
	rng := rand.New(rand.NewPCG(63, 64))
	for range 300 {
		c := randomLimbRows(rng)
		width, limbs := LimbRowWords(c.size)
		s := make([]uint64, width*(len(c.ptr)-1))
		k.RowLimbs(c.size, s, c.ptr, c.col, c.entries, c.x)
		for r := range len(c.ptr) - 1 {
			want := new(big.Int)
			for e := c.ptr[r]; e < c.ptr[r+1]; e++ {
				low, high := c.entries[2*e], c.entries[2*e+1]
				x := c.x[int(c.col[e])*c.size:][:c.size]
				product := integer(x, 1, LimbMask)
				product.Rsh(product, uint(LimbBits*(high>>LimbBits)))
				product.Mul(product, integer([]uint64{low, high}, 1, LimbMask))
				if (low^x[0])>>63 != 0 {
					product.Neg(product)
				}
				want.Add(want, product)
			}
			row, got := s[width*r:width*(r+1)], new(big.Int)
			for k := len(row) - 1; k >= 0; k-- {
				got.Lsh(got, LimbBits).Add(got, big.NewInt(int64(row[k])))
				if k >= limbs && row[k] != 0 {
					t.Fatalf("%d limbs, row %d: word %d is %d", c.size, r, k, row[k])
				}
			}
			if got.Cmp(want) != 0 {
				t.Fatalf("%d limbs, row %d: %v, want %v", c.size, r, got, want)
			}
		}
	}
}

// BenchmarkLimbs multiplies one chunk, from the second-level cache where it fits: the speed of the arithmetic.
func BenchmarkLimbs(b *testing.B) {
	for _, k := range Sets() {
		for _, size := range limbSizes {
			b.Run(fmt.Sprintf("%v/limbs=%d", k, size), func(b *testing.B) {
				const count = 100
				a, x, s := make([]uint64, count*Lanes*size), make([]uint64, count*size), make([]uint64, Lanes*(size+1))
				for b.Loop() {
					k.MulLimbs(size, s, a, Lanes*size, x, count)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/count/Lanes, "ns/product")
			})
		}
	}
}

// Sums of products equal sums in 128 bits, also for all elements at their largest, and beyond 256 and 4096 elements.
func TestDotResidues(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Set) {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, length := range []int{0, 16, 32, 240, 4080, 4096, 4112, 8208} {
			for _, step := range []int{0, length} {
				const rows = 3
				a, x := make([]uint32, rows*length), make([]uint32, rows*length)
				for i := range a {
					a[i], x[i] = rng.Uint32N(1<<ResidueBits), rng.Uint32N(1<<ResidueBits)
					if i < length {
						a[i], x[i] = 1<<ResidueBits-1, 1<<ResidueBits-1
					}
				}
				sums := make([]uint64, 2*rows)
				k.DotResidues(sums, a, x, length, step)
				for r := range rows {
					var low, high, carry uint64
					for i := range length {
						low, carry = bits.Add64(low, uint64(a[r*length+i])*uint64(x[r*step+i]), 0)
						high += carry
					}
					if got := [2]uint64(sums[2*r:]); got != [2]uint64{low & (1<<32 - 1), high<<32 | low>>32} {
						t.Errorf("length %d, step %d, row %d: %x, want %x %x", length, step, r, got, high, low)
					}
				}
			}
		}
	})
}

func residueProducts(a *arena, rng *rand.Rand) {
	length, rows := ResidueGroup*rng.IntN(20), rng.IntN(4)
	step := length * rng.IntN(2)
	m, x := make([]uint32, rows*length), make([]uint32, rows*length)
	for i := range m {
		m[i], x[i] = rng.Uint32N(1<<ResidueBits), rng.Uint32N(1<<ResidueBits)
	}
	everywhere(a, "DotResidues", nil, func(k *Set) []float64 {
		sums := put(a, make([]uint64, 2*rows))
		k.DotResidues(sums, put(a, m), put(a, x), length, step)
		return words(sums)
	})
}
