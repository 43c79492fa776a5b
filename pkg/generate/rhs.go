package generate

import (
	"math/bits"
	"math/rand/v2"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// roundingNoise is the size of b_i, relative to the sum of magnitudes in row i, below
// which b = A·ones is rounding noise.
const roundingNoise = 1e-12

// DefaultRHS returns the right-hand side for a matrix that comes without one: A·ones, or
// A·x with the x of RandomVector and seed 1 where A·ones is only rounding noise; ones says
// which.
func DefaultRHS(m *csr.Matrix) (b []float64, ones bool) {
	b = make([]float64, m.Rows)
	for i := range b {
		_, vals := m.Row(i)
		sum, ok := RowSum(vals)
		b[i] = sum
		ones = ones || ok
	}
	if !ones {
		b = RandomRHS(m, 1)
	}
	return b, ones
}

// RowSum returns the sum of a row, the element of A·ones, and whether it is more than rounding noise, see DefaultRHS.
func RowSum(vals []float64) (sum float64, ok bool) {
	var t float64
	for _, v := range vals {
		sum += v
		t += max(v, -v)
	}
	return sum, max(sum, -sum) > roundingNoise*t
}

// RandomRHS returns A·x for the x of RandomVector.
func RandomRHS(m *csr.Matrix, seed uint64) []float64 {
	b := make([]float64, m.Rows)
	m.MulVec(b, RandomVector(m.Cols, seed))
	return b
}

// RandomVector returns n numbers uniform in [-1, 1).
func RandomVector(n int, seed uint64) []float64 {
	x := make([]float64, n)
	RandomPart(x, seed, 0)
	return x
}

// RandomPart sets x to the elements of RandomVector from first on, so that each rank can make its own.
func RandomPart(x []float64, seed, first uint64) {
	rng := rand.New(pcgAfter(seed, first))
	for j := range x {
		x[j] = 2*rng.Float64() - 1
	}
}

// pcgAfter returns the generator rand.NewPCG(seed, 0) after n numbers. Its state s becomes a s + c (mod 2^128) with each; n such steps are
// one of the same form, which is found by squaring (Brown, Random number generation with arbitrary strides, 1994).
func pcgAfter(seed, n uint64) *rand.PCG {
	step := affine{
		a: uint128{0x2360ed051fc65da4, 0x4385df649fccf645}, // the constants of math/rand/v2
		c: uint128{0x5851f42d4c957f2d, 0x14057b7ef767814f},
	}
	all := affine{a: uint128{0, 1}}
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			all = all.then(step)
		}
		step = step.then(step)
	}
	s := all.a.times(uint128{seed, 0}).plus(all.c)
	return rand.NewPCG(s.hi, s.lo)
}

// uint128 is an integer modulo 2^128.
type uint128 struct{ hi, lo uint64 }

func (x uint128) plus(y uint128) uint128 {
	lo, carry := bits.Add64(x.lo, y.lo, 0)
	hi, _ := bits.Add64(x.hi, y.hi, carry)
	return uint128{hi, lo}
}

func (x uint128) times(y uint128) uint128 {
	hi, lo := bits.Mul64(x.lo, y.lo)
	return uint128{hi + x.hi*y.lo + x.lo*y.hi, lo}
}

// affine is the map s -> a s + c.
type affine struct{ a, c uint128 }

// then is the map g after f.
func (f affine) then(g affine) affine {
	return affine{g.a.times(f.a), g.a.times(f.c).plus(g.c)}
}
