package adaptive

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// mirrored makes a symmetric matrix of order n with a diagonal; column says where
// elements below the diagonal are, length how many a row gets.
func mirrored(t testing.TB, n int, length func(i int) int, column func(rng *rand.Rand, i int) int) *csr.Matrix {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(n), 3))
	b, err := csr.NewBuilder(n, n)
	if err != nil {
		t.Fatal(err)
	}
	add := func(i, j int, v float64) {
		if err := b.Add(i, j, v); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		if i%11 != 5 { // not all of the diagonal
			add(i, i, rng.NormFloat64()*math.Exp2(-60*rng.Float64()))
		}
		seen := map[int]bool{}
		for range min(length(i), i) {
			j := column(rng, i)
			if seen[j] {
				continue
			}
			seen[j] = true
			v := rng.NormFloat64() * math.Exp2(-60*rng.Float64())
			add(i, j, v)
			add(j, i, v)
		}
	}
	return b.Build()
}

func anywhere(rng *rand.Rand, i int) int { return rng.IntN(i) }

func nearby(rng *rand.Rand, i int) int { return max(0, i-1-rng.IntN(40)) }

// symmetricMatrices are patterns that slices of eight rows, parts and 16-bit columns
// could trip over.
func symmetricMatrices(t testing.TB) map[string]*csr.Matrix {
	few := func(i int) int { return i % 7 }
	return map[string]*csr.Matrix{
		"1 x 1":          mirrored(t, 1, few, anywhere),
		"7 rows":         mirrored(t, 7, few, anywhere),
		"8 rows":         mirrored(t, 8, few, anywhere),
		"60 rows":        mirrored(t, 60, few, anywhere),
		"diagonal":       mirrored(t, 100, func(int) int { return 0 }, anywhere),
		"empty rows":     mirrored(t, 540, func(i int) int { return i % 3 / 2 }, anywhere),
		"all dense":      mirrored(t, 120, func(i int) int { return 3 * i }, anywhere),
		"arrow":          mirrored(t, 3001, func(i int) int { return 2 + i/3000*2500 }, anywhere),
		"wide":           mirrored(t, 180000, func(i int) int { return i / 179900 * 30 }, anywhere),
		"several panels": mirrored(t, 30000, few, nearby),
		"several parts":  mirrored(t, 30000, func(int) int { return 12 }, nearby),
		"overlapping":    mirrored(t, 30000, func(int) int { return 12 }, anywhere),
		"elasticity":     generated(t, "elasticity3d", generate.Params{"n": 9, "decades": 6}),
	}
}

func TestSymmetricOfManyPatterns(t *testing.T) {
	for name, m := range symmetricMatrices(t) {
		t.Run(name, func(t *testing.T) {
			for _, eps := range []float64{0x1p-24, 0x1p-53, 0x1p-10} {
				if eps == 0x1p-24 || !testing.Short() && m.NNZ() < 30_000 {
					allLayouts(t, m, Spec{Set: set(t, "AFX"), Epsilon: eps})
				}
			}
		})
	}
}

// A matrix must be symmetric in its integers, on both sides of the diagonal;
// otherwise it gets another layout.
func TestSymmetricOrNot(t *testing.T) {
	for name, c := range map[string]struct {
		m   *csr.Matrix
		yes bool
	}{
		"symmetric":             {entries([]float64{4, 1}, []float64{1, 4}), true},
		"but for rounding":      {entries([]float64{4, 1}, []float64{1 + 0x1p-40, 4}), true},
		"different":             {entries([]float64{4, 1}, []float64{1.5, 4}), false},
		"below alone":           {entries([]float64{4, 0}, []float64{1, 4}), false},
		"above alone":           {entries([]float64{4, 1}, []float64{0, 4}), false},
		"below alone, dropped":  {entries([]float64{4, 1, 1, 0}, []float64{1, 4, 1, 1}, []float64{1, 1, 4, 1}, []float64{0x1p-30, 1, 1, 4}), true},
		"above alone, dropped":  {entries([]float64{4, 1, 1, 0x1p-30}, []float64{1, 4, 1, 1}, []float64{1, 1, 4, 1}, []float64{0, 1, 1, 4}), true},
		"pairs that do not fit": {entries([]float64{4, 1, 0, 1}, []float64{0, 4, 0, 1}, []float64{1, 0, 4, 1}, []float64{1, 1, 1, 4}), false},
		"rectangular":           {entries([]float64{4, 1, 0, 0}, []float64{1, 4, 0, 0}), false},
	} {
		s := Spec{Set: set(t, "AFX"), Epsilon: 0x1p-24, Layout: Symmetric}
		if a := build(t, c.m, s); (a.Layout() == Symmetric) != c.yes {
			t.Errorf("%s: %s", name, a.LayoutText())
		}
		s.Criterion = CW
		if _, err := Build(c.m, s, newPool(t, 1)); err == nil {
			t.Errorf("%s: stored for CW", name)
		}
	}
}

// A matrix that is symmetric but for its last bits, in few rows, gets another layout
// where they are stored.
func TestNearlySymmetric(t *testing.T) {
	m := generated(t, "elasticity3d", generate.Params{"n": 16, "decades": 6})
	x := random(3, m.Cols)
	y := make([]float64, m.Rows)
	last := m.RowPtr[m.Rows] - 2 // below the diagonal of the last row
	m.Val[last] *= 1 + 0x1p-40
	for _, layout := range []Layout{LayoutAuto, Symmetric} {
		for eps, want := range map[float64]bool{0x1p-24: true, 0x1p-53: false} {
			a := build(t, m, Spec{Set: set(t, "AFX"), Epsilon: eps, Layout: layout})
			a.Apply(y, x)
			if kernels.Default().HasFastSlots() && (a.Layout() == Symmetric) != want {
				t.Errorf("layout %s, epsilon %g: %s", layout, eps, a.LayoutText())
			}
		}
	}
}

// Rows of which everything rounds to zero keep their largest element, on one side
// of the diagonal or on both.
func TestSymmetricKeepsTinyRows(t *testing.T) {
	tiny := 0x1p-60
	m := entries(
		[]float64{1, 0, 0, 0, 0, 0},
		[]float64{0, tiny, 3 * tiny, 0, 0, 0},
		[]float64{0, 3 * tiny, 0, tiny, 0, 0},
		[]float64{0, 0, tiny, 1, 0, 0},
		[]float64{0, 0, 0, 0, 0, 5 * tiny},
		[]float64{0, 0, 0, 0, 5 * tiny, 1},
	)
	for _, block := range []int{2, 3, 6} {
		a := planned(t, m, Spec{Set: set(t, "AFX"), Epsilon: 0x1p-24}, slotPlan{Symmetric, block})
		got := decoded(a)
		for _, e := range [][2]int{{0, 0}, {1, 1}, {1, 2}, {2, 1}, {3, 3}, {4, 5}, {5, 5}} {
			i, j := e[0], e[1]
			if want := m.At(i, j); got[i][j] != want {
				t.Errorf("blocks of %d: (%d, %d) is %g, want %g", block, i+1, j+1, got[i][j], want)
			}
		}
	}
}

// It takes less memory than blocks of both triangles, and the model likes it.
func TestSymmetricIsChosen(t *testing.T) {
	m := generated(t, "elasticity3d", generate.Params{"n": 16, "decades": 6})
	s := Spec{Set: set(t, "AFX"), Epsilon: 0x1p-24, Layout: Blocks}
	blocks := build(t, m, s)
	s.Layout = Symmetric
	lower := build(t, m, s)
	if lower.(*matrix).choice.block != 3 || float64(lower.Bytes()) > 0.62*float64(blocks.Bytes()) {
		t.Errorf("%s in %d bytes, %s in %d", blocks.LayoutText(), blocks.Bytes(), lower.LayoutText(), lower.Bytes())
	}
	if w := lower.Stats().Work; w == 0 || w > m.Bytes()/4 {
		t.Errorf("%d bytes of sums", w)
	} else if text := lower.LayoutText(); !strings.HasSuffix(text, fmt.Sprintf("%d bytes of partial sums", w)) {
		t.Errorf("the sums are not in %q", text)
	}
	s.Layout = LayoutAuto
	if a := build(t, m, s); kernels.Default().HasFastSlots() && a.Layout() != Symmetric {
		t.Errorf("the model takes %s", a.LayoutText())
	}
	far := mirrored(t, 60000, func(int) int { return 12 }, anywhere)
	if a := build(t, far, s); a.Layout() == Symmetric {
		t.Errorf("the model takes %s where rows reach far", a.LayoutText())
	}
}
