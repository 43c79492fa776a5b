package gpu

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// What kernels are to give, in plain Go that adds in the same order.

// tree is the sum over the threads of a group, neighbours far apart first.
func tree[T any](s []T, add func(a, b T) T) T {
	s = slices.Clone(s)
	for m := len(s) / 2; m > 0; m /= 2 {
		for t := range m {
			s[t] = add(s[t], s[t+m])
		}
	}
	return s[0]
}

func plus64(a, b float64) float64 { return a + b }

// blockTree is the sum over a block: over its warps, and then over these.
func blockTree[T any](s []T, add func(a, b T) T) T {
	var warps []T
	for w := 0; w < threads; w += warp {
		warps = append(warps, tree(s[w:w+warp], add))
	}
	return tree(warps, add)
}

// partials is what each thread of each block has added up of an inner product.
type partials [][threads]float64

func (p partials) add(block, thread int, x, y float64) {
	p[block][thread] = math.FMA(x, y, p[block][thread])
}

// sums is the sum of each block.
func (p partials) sums() (s []float64) {
	for k := range p {
		s = append(s, blockTree(p[k][:], plus64))
	}
	return s
}

// total is the sum that a kernel makes of those of the blocks.
func (p partials) total() float64 {
	s := make([]float64, threads)
	for k, sum := range p.sums() {
		s[k%threads] += sum
	}
	return blockTree(s, plus64)
}

// dotParts is x·y before blocks are added up.
func (s *deviceSpace) dotParts(x, y []float64) partials {
	p := make(partials, s.blocks)
	for i := range x {
		p.add(i/threads%len(p), i%threads, x[i], y[i])
	}
	return p
}

// exactProduct is A x.
type exactProduct struct {
	x       []float64
	norm    float64 // of x
	y       []*big.Float
	hi, lo  []float64 // y as sums of two numbers
	sums    []float64 // of the absolute values of rows
	largest float64   // of these
	longest int
}

// exactBits is what sums of products need that are 2^-1150 to 2^20, in 53 bits each.
const exactBits = 1300

func exactly(v float64) *big.Float { return new(big.Float).SetPrec(exactBits).SetFloat64(v) }

func newExact(m *csr.Matrix, x []float64) *exactProduct {
	e := &exactProduct{x: x, sums: m.RowSums(nil), longest: csr.Examine(m, nil).LongestRow}
	for i := range m.Rows {
		sum, p := exactly(0), exactly(0)
		cols, vals := m.Row(i)
		for k, j := range cols {
			sum.Add(sum, p.Mul(exactly(vals[k]), exactly(x[j])))
		}
		hi, _ := sum.Float64()
		e.y, e.hi = append(e.y, sum), append(e.hi, hi)
		e.lo = append(e.lo, -e.minus(hi, i))
		e.largest = max(e.largest, e.sums[i])
	}
	for _, v := range x {
		e.norm = max(e.norm, math.Abs(v))
	}
	return e
}

// minus is v - (A x)_i, rounded once.
func (e *exactProduct) minus(v float64, i int) float64 {
	d, _ := new(big.Float).SetPrec(exactBits).Sub(exactly(v), e.y[i]).Float64()
	return d
}

// error is the largest |y - A x|_i / (T_i ||x||_inf). Numbers that are not normal are left
// out.
func (e *exactProduct) error(c adaptive.Criterion, y []float64) (worst float64) {
	for i, v := range y {
		t := e.sums[i]
		if c == adaptive.NW {
			t = e.largest
		}
		if t > 0x1p-985 {
			worst = max(worst, math.Abs(v-e.hi[i]-e.lo[i])/t/e.norm)
		}
	}
	return worst
}

// normal returns n numbers of a normal distribution.
func normal(n int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 17))
	return eachOf(n, func(int) float64 { return rng.NormFloat64() })
}

// nasty returns n numbers of every magnitude: zeros of both signs, subnormal and huge
// ones, and, if special is set, infinities and NaN as well.
func nasty(n int, seed uint64, special bool) []float64 {
	rng := rand.New(rand.NewPCG(seed, 5))
	return eachOf(n, func(int) float64 {
		x := math.Ldexp(rng.NormFloat64(), rng.IntN(2200)-1130)
		switch rng.IntN(12) {
		case 0:
			x = math.Copysign(0, x)
		case 1:
			x = math.Float64frombits(uint64(rng.IntN(9)))
		case 2:
			x = math.Copysign(math.MaxFloat64, x)
		case 3:
			if special {
				return []float64{math.Inf(1), math.Inf(-1), math.NaN()}[rng.IntN(3)]
			}
		}
		if math.IsInf(x, 0) {
			x = 1
		}
		return x
	})
}

// eachOf returns n values.
func eachOf(n int, f func(i int) float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = f(i)
	}
	return v
}

// sameBits compares bit for bit; all NaN are alike.
func sameBits(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) && !(math.IsNaN(got[i]) && math.IsNaN(want[i])) {
			t.Fatalf("%s: element %d is %x, want %x", what, i, got[i], want[i])
		}
	}
}

func sameNumber(t *testing.T, what string, got, want float64) {
	t.Helper()
	sameBits(t, what, []float64{got}, []float64{want})
}

func sameVector(t *testing.T, s *deviceSpace, what string, v *Vector, want []float64) {
	t.Helper()
	sameBits(t, what, s.fetched(v), want)
}

// onDevice uploads vectors.
func onDevice(s *deviceSpace, xs ...[]float64) []*Vector {
	var vs []*Vector
	for _, x := range xs {
		v := s.New()
		s.Upload(v, x)
		vs = append(vs, v)
	}
	return vs
}

func (s *deviceSpace) fetched(v *Vector) []float64 {
	x := make([]float64, s.n)
	s.Download(x, v)
	return x
}
