package verify

import (
	"math"
	"math/rand/v2"
	"testing"
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
			if blocks.find(int32(i)) != parents.find(int32(i)) {
				t.Fatalf("system %d: %d is in the block of %d, want %d", k, i, blocks.find(int32(i)), parents.find(int32(i)))
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
