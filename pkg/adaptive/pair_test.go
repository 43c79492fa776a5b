package adaptive

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// lowParts are low parts of most elements of m, and one where m has none.
func lowParts(m *csr.Matrix) *csr.Matrix {
	rng := rand.New(rand.NewPCG(5, 6))
	b, err := csr.NewBuilder(m.Rows, m.Cols)
	if err != nil {
		panic(err)
	}
	add := func(i, j int, v float64) {
		if err := b.Add(i, j, v); err != nil {
			panic(err)
		}
	}
	for i := range m.Rows {
		cols, vals := m.Row(i)
		for k, j := range cols {
			if rng.IntN(5) > 0 {
				add(i, int(j), vals[k]*0x1p-53*(rng.Float64()-0.5))
			}
		}
	}
	if m.Rows > 3 {
		add(2, m.Cols-1, 1e-30)
	}
	return b.Build()
}

// big400 is v in 400 bits.
func big400(v dd.DD) *big.Float {
	s := new(big.Float).SetPrec(400).SetFloat64(v.Hi)
	return s.Add(s, new(big.Float).SetFloat64(v.Lo))
}

// withinPair compares y with sign (A x - b) in 400 bits, A being m + low and stored in p, by the bounds that Pair states.
func withinPair(t *testing.T, what string, p Pair, m, low *csr.Matrix, x, y, b dd.Vec) {
	t.Helper()
	var second [][]float64
	if p.(*pair).Lo != nil {
		second = decoded(p.(*pair).Lo)
	}
	for i := range m.Rows {
		sum, size, norm, n := new(big.Float).SetPrec(400), 0.0, 0.0, 6.0
		add := func(cols []int32, vals []float64) {
			for k, j := range cols {
				v := big400(x.At(int(j)))
				sum.Add(sum, v.Mul(v, new(big.Float).SetFloat64(vals[k])))
				size += math.Abs(vals[k] * x.Hi[j])
				n++
			}
		}
		add(m.Row(i))
		add(low.Row(i))
		want := sum
		if b.Hi != nil {
			want = sum.Sub(big400(b.At(i)), sum)
			size += math.Abs(b.Hi[i])
		}
		lowSize := 0.0
		for j := range x.Len() {
			norm = max(norm, math.Abs(x.Hi[j]))
			if second != nil {
				lowSize += math.Abs(second[i][j] * x.Hi[j])
			}
		}
		difference, _ := want.Sub(want, big400(y.At(i))).Float64()
		if bound := n*n*0x1p-106*size + n*0x1p-53*lowSize + n*p.Tolerance(i)*norm; !(math.Abs(difference) <= bound) {
			t.Fatalf("%s: row %d of %v elements is off by %g, more than %g", what, i, n-6, difference, bound)
		}
	}
}

// Two matrices in adaptive precision are a double-double matrix up to 2^-106.
func TestPair(t *testing.T) {
	for name, m := range map[string]*csr.Matrix{
		"stencil":    generated(t, "stencil27", generate.Params{"n": 6, "decades": 8}),
		"graph":      generated(t, "powerlaw", generate.Params{"n": 300}),
		"wide rows":  pattern(t, 61, 500, func(i int) int { return i * 3 }),
		"no element": pattern(t, 9, 9, func(int) int { return 0 }),
	} {
		low := lowParts(m)
		for _, s := range []Spec{
			{Set: set(t, "FP64"), Epsilon: minPairEpsilon},
			{Set: set(t, "AFX"), Epsilon: minPairEpsilon, Criterion: CW},
			{Set: set(t, "AFX"), Epsilon: minPairEpsilon, Criterion: NW, NoDrop: true, GuardBits: 1},
			{Set: set(t, "AFX"), Epsilon: minPairEpsilon, Criterion: CW, Layout: Slots},
			{Set: set(t, "AFX"), Epsilon: 0x1p-90, Criterion: CW, Layout: SELL},
			{Set: set(t, "AFX"), Epsilon: minPairEpsilon, Layout: BCRS4x1},
			{Set: set(t, "AFX"), Epsilon: 0x1p-24, Layout: Slots},
		} {
			what := fmt.Sprintf("%s, %v, layout %s", name, s, s.Layout)
			p, err := BuildPair(m, low, s, newPool(t, 2))
			if err != nil {
				t.Fatal(what, err)
			}
			if s.Epsilon < MinEpsilon {
				for i := range m.Rows { // the tolerance is what the accuracy asks for
					cols, vals := m.Row(i)
					norm := 0.0
					for _, v := range vals {
						norm += math.Abs(v)
					}
					if s.Criterion == CW && len(cols) > 0 && p.Tolerance(i) > float64(len(cols)+2)*2*s.Epsilon*norm+1e-45 {
						t.Fatalf("%s: tolerance %g of row %d, whose norm is %g", what, p.Tolerance(i), i, norm)
					}
				}
			}
			x, b, y := randomDD(1, m.Cols), randomDD(2, m.Rows), dd.NewVec(m.Rows)
			p.Apply(y, x)
			withinPair(t, what, p, m, low, x, y, dd.Vec{})
			dot := p.ApplyDot(y, x, b)
			again, _ := p.ApplyDots(y, x, b)
			if want := p.(*pair).space.Dot(y, b); dot != want || again != want {
				t.Errorf("%s: inner products %v and %v, want %v", what, dot, again, want)
			}
			p.Residual(y, b, x)
			withinPair(t, what+", residual", p, m, low, x, y, b)
		}
	}
}

// The second matrix holds what the first one lacks: without it products are off.
func TestPairNeedsBoth(t *testing.T) {
	m := generated(t, "stencil27", generate.Params{"n": 6, "decades": 8})
	p, err := BuildPair(m, lowParts(m), Spec{Set: set(t, "AFX"), Epsilon: minPairEpsilon, Criterion: CW}, newPool(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	x, y, z := randomDD(1, m.Cols), dd.NewVec(m.Rows), dd.NewVec(m.Rows)
	p.Apply(y, x)
	p.(*pair).hi.Apply(z, x)
	worst := 0.0
	for i := range m.Rows {
		worst = max(worst, math.Abs(y.At(i).Sub(z.At(i)).Float()))
	}
	if p.(*pair).Lo == nil || !(worst > 0x1p-60) || p.Bytes() <= p.(*pair).Hi.Bytes() {
		t.Errorf("the second matrix changes products by %g", worst)
	}
}

// The same bits for any number of threads.
func TestPairThreads(t *testing.T) {
	m := generated(t, "powerlaw", generate.Params{"n": 4000})
	low, x := lowParts(m), randomDD(3, m.Cols)
	var want dd.Vec
	for threads := 1; threads <= 3; threads++ {
		p, err := BuildPair(m, low, Spec{Set: set(t, "AFX"), Epsilon: minPairEpsilon, Criterion: CW}, newPool(t, threads))
		if err != nil {
			t.Fatal(err)
		}
		y := dd.NewVec(m.Rows)
		p.Apply(y, x)
		if threads == 1 {
			want = y
		}
		for i := range m.Rows {
			if y.At(i) != want.At(i) {
				t.Fatalf("%d threads: row %d is %v, not %v", threads, i, y.At(i), want.At(i))
			}
		}
	}
}

// Faults are reported.
func TestPairRefused(t *testing.T) {
	m := generated(t, "poisson2d", generate.Params{"n": 5})
	for _, s := range []Spec{
		{Set: set(t, "AFX"), Epsilon: 0x1p-107},
		{Set: set(t, "AFX"), Epsilon: math.NaN()},
		{Set: set(t, "AP7"), Epsilon: 0x1p-80},
		{Set: set(t, "AFX"), Epsilon: 0x1p-80, Layout: Blocks},
	} {
		if _, err := BuildPair(m, nil, s, nil); err == nil {
			t.Errorf("%v: no error", s)
		}
	}
	if _, err := BuildPair(m, &csr.Matrix{Rows: 1, Cols: 1, RowPtr: []int64{0, 0}}, Spec{Set: set(t, "AFX"), Epsilon: minPairEpsilon}, nil); err == nil {
		t.Error("low parts of another shape are taken")
	}
}
