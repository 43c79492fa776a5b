package verify

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// Ordinary numbers, and no others, are measured without scaling, and as they are with it up
// to rounding.
func TestPlainIsScaled(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	plain := 0
	for k := range 300 {
		n := 3 + rng.IntN(60)
		m, x, b := loose(t, rng, n, 1e-8)
		extreme := k%6 == 0
		switch k % 6 {
		case 0:
			m.Val[rng.IntN(len(m.Val))] = []float64{1e-60, 1e60, math.Inf(1), math.NaN()}[rng.IntN(4)]
		case 1:
			b[rng.IntN(n)] = []float64{0, 1e-300, 1e90}[rng.IntN(3)]
		case 2:
			x[rng.IntN(n)] = []float64{0, 1e-200, 1e90}[rng.IntN(3)]
		}
		s := newSystem(m, x, b, nil)
		if _, ok := s.measurePlain(0, n); ok && extreme {
			t.Errorf("system %d is not ordinary", k)
		} else if !ok {
			continue
		}
		plain++
		got, blocks := measureAll(s, nil), s.findBlocks(nil)
		blocks.measure()
		block, unexplained := blocks.worst()
		s.plain = false
		want, parents := measureAll(s, nil), s.findBlocks(nil)
		parents.measure()
		wantBlock, wantUnexplained := parents.worst()
		for i, v := range [][2]float64{
			{got.row, want.row},
			{got.componentwise, want.componentwise},
			{got.residual.over(want.residual), 1},
			{got.b.over(want.b), 1},
			{got.normAx.over(want.normAx), 1},
			{got.unexplained.over(want.unexplained), 1},
			{got.explained.over(want.explained), 1},
			{got.least.over(want.least), 1},
			{got.errors().RelativeResidual, want.errors().RelativeResidual},
			{got.rounding(roundoff).RelativeResidual, want.rounding(roundoff).RelativeResidual},
			{block, wantBlock},
			{unexplained, wantUnexplained},
		} {
			bothZero := v[1] == 1 && v[0] == 0
			if !(math.Abs(v[0]-v[1]) <= 1e-13*v[1]) && !bothZero {
				t.Errorf("system %d: number %d is %v, want %v", k, i, v[0], v[1])
			}
		}
		for i := range blocks.of {
			if blocks.find(uint32(i)) != parents.find(uint32(i)) {
				t.Fatalf("system %d: %d is in the block of %d, want %d", k, i, blocks.find(uint32(i)), parents.find(uint32(i)))
			}
		}
	}
	if plain < 150 || plain > 290 {
		t.Errorf("%d of 300 systems are plain: nothing is compared", plain)
	}
}

// Rows of many terms that cancel, whose sums are corrected in several pieces.
func TestLongPlainRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{compensated - 1, compensated, compensated + 1, 5*compensated + 3} {
		entries, x, b := map[[2]int]float64{}, make([]float64, n), make([]float64, 2)
		for j := range n {
			x[j] = rng.NormFloat64()
			entries[[2]int{0, j}], entries[[2]int{1, j}] = rng.NormFloat64(), math.Ldexp(rng.NormFloat64(), rng.IntN(80)-40)
		}
		m := build(t, 2, n, entries)
		m.MulVec(b, x) // right but for rounding
		if s := newSystem(m, x, b, nil); !s.plain {
			t.Fatal("the system is not ordinary")
		}
		got, want := compute(t, m, x, b), oracle(m, x, b)
		if got.Row == 0 || got.Row > 1e-13 {
			t.Errorf("%d terms: error %g is no rounding", n, got.Row)
		}
		for k, v := range [][2]float64{{got.Row, want.Row}, {got.Componentwise, want.Componentwise}, {got.RelativeResidual, want.RelativeResidual}} {
			if !(math.Abs(v[0]-v[1]) <= 1e-12*v[1]) {
				t.Errorf("%d terms: error %d is %v, want %v", n, k, v[0], v[1])
			}
		}
	}
}

// The elements of A, x and b spread over up to 600 decades, each on its own, against
// 3000-bit arithmetic: with x right to rounding for some rows and wrong for others.
func TestSpreadAgainstBigFloat(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 60
	}
	for round := range rounds {
		rng := rand.New(rand.NewPCG(uint64(round), 16))
		decades := []float64{10, 60, 150, 300}[round%4]
		value := func() float64 {
			return rng.NormFloat64() * math.Pow(10, decades*(2*rng.Float64()-1))
		}
		const n = 12
		entries := map[[2]int]float64{}
		for i := range n {
			entries[[2]int{i, i}] = value()
			entries[[2]int{i, rng.IntN(n)}] = value()
		}
		m, x, b := build(t, n, n, entries), make([]float64, n), make([]float64, n)
		for j := range x {
			x[j] = value()
		}
		m.MulVec(b, x)
		for i := range b {
			if v := b[i]; v-v != 0 || rng.IntN(3) == 0 {
				b[i] = value()
			}
		}
		sameErrors(t, compute(t, m, x, b), oracle(m, x, b))
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
}

// What the squares of small numbers, and a small element beside a large one, did to errors.
func TestNothingVanishes(t *testing.T) {
	path := build(t, 3, 3, map[[2]int]float64{
		{0, 0}: 1, {0, 1}: -1, {1, 0}: -1, {1, 1}: 2, {1, 2}: -1, {2, 1}: -1, {2, 2}: 1,
	})
	for _, c := range []struct {
		name string
		m    *csr.Matrix
		x, b []float64
	}{
		{"|A||x| far above b", path, []float64{1e165, 1e165, 1e165}, []float64{1, 2, 4}},
		{"a null vector near the largest number", path, []float64{1e300, 1e300, 1e300}, []float64{1e-300, 0, 1e-300}},
		{
			"a small element of x, beside the largest", build(t, 2, 2, map[[2]int]float64{{0, 0}: 1, {1, 1}: 1e300}),
			[]float64{1e301, 1e-24},
			[]float64{1e301, 0},
		},
		{
			"a small element of A, beside the largest", build(t, 1, 2, map[[2]int]float64{{0, 0}: 1e300, {0, 1}: 1e-300}),
			[]float64{0, 1e300},
			[]float64{2},
		},
	} {
		t.Run(c.name, func(t *testing.T) { sameErrors(t, compute(t, c.m, c.x, c.b), oracle(c.m, c.x, c.b)) })
	}
}

// Where x is so large that b is below the roundings of double-double arithmetic, residuals are exact:
// they are held against b.
func TestHugeSolution(t *testing.T) {
	wide := func(v float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(v) }
	for round := range 40 {
		rng := rand.New(rand.NewPCG(uint64(round), 17))
		const n = 8
		size := 100 + rng.IntN(700)
		x, b := make([]float64, n), make([]float64, n)
		for j := range x {
			x[j] = math.Ldexp(1+rng.Float64(), size-40*max(0, j-(n-4)))
		}
		entries := map[[2]int]float64{}
		for i := range n { // with A x = 0 but for 2^-140 of the terms
			sum := wide(0)
			for j := range n {
				v := rng.NormFloat64()
				if j >= n-4 {
					v, _ = new(big.Float).Quo(sum, wide(-x[j])).Float64()
				}
				entries[[2]int{i, j}] = v
				sum.Add(sum, new(big.Float).Mul(wide(v), wide(x[j])))
			}
			b[i] = rng.NormFloat64() * math.Ldexp(1, size-140)
		}
		m := build(t, n, n, entries)
		got, want := compute(t, m, x, b), oracle(m, x, b)
		for k, r := range []float64{got.RelativeResidual / want.RelativeResidual, got.Row / want.Row, got.Normwise / want.Normwise} {
			if !(math.Abs(r-1) <= 1e-12) {
				t.Errorf("round %d: error %d is %g of the right one", round, k, r)
			}
		}
	}
}
