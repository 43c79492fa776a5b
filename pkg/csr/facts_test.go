package csr

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// naiveFacts computes the facts from a dense matrix, straight from their
// definitions.
func naiveFacts(a [][]float64, cols int) Facts {
	rows := len(a)
	f := Facts{Rows: rows, Cols: cols, EmptyRow: -1, EmptyCol: -1, MinAbs: math.Inf(1), Asymmetry: math.NaN()}
	colCount := make([]int, cols)
	for i := range a {
		count := 0
		for j, v := range a[i] {
			if v == 0 {
				continue
			}
			count++
			colCount[j]++
			if math.IsNaN(v) || math.IsInf(v, 0) {
				if f.NonFinite == 0 {
					f.FirstNonFinite = Position{i, j}
				}
				f.NonFinite++
				continue
			}
			f.MinAbs, f.MaxAbs = math.Min(f.MinAbs, math.Abs(v)), math.Max(f.MaxAbs, math.Abs(v))
		}
		f.NNZ += count
		f.LongestRow = max(f.LongestRow, count)
		if count == 0 && f.EmptyRow < 0 {
			f.EmptyRow = i
		}
		if i < cols {
			switch d := a[i][i]; {
			case d > 0:
				f.DiagonalPositive++
			case d < 0:
				f.DiagonalNegative++
			default:
				f.DiagonalZero++
			}
		}
	}
	for j, n := range colCount {
		if n == 0 {
			f.EmptyCol = j
			break
		}
	}
	if f.MaxAbs == 0 {
		f.MinAbs = 0
	}
	if rows == cols {
		f.Asymmetry = 0
		for i := range a {
			for j := range i {
				if d := math.Abs(a[i][j] - a[j][i]); d > 0 {
					scale := max(math.Abs(a[i][j]), math.Abs(a[j][i]), math.Sqrt(math.Abs(a[i][i]*a[j][j])))
					f.Asymmetry = math.Max(f.Asymmetry, d/scale)
				}
			}
		}
		f.Symmetric = f.Asymmetry <= SymmetryTol
	}
	return f
}

func sameFacts(t *testing.T, got, want Facts) {
	t.Helper()
	d := math.Abs(got.Asymmetry - want.Asymmetry)
	if d <= 1e-14*want.Asymmetry || got.Asymmetry == want.Asymmetry ||
		math.IsNaN(got.Asymmetry) && math.IsNaN(want.Asymmetry) {
		got.Asymmetry, want.Asymmetry = 0, 0
	}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// symmetrise makes a square matrix symmetric (sign 1) or skew (sign -1).
func symmetrise(a [][]float64, sign float64) {
	for i := range a {
		for j := range i {
			a[j][i] = sign * a[i][j]
		}
		if sign < 0 {
			a[i][i] = 0
		}
	}
}

func TestExamineAgainstDense(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for k := range 400 {
		rows, cols := rng.IntN(9), rng.IntN(9)
		if k%2 == 0 {
			cols = rows
		}
		a := randomDense(rng, rows, cols, []float64{0.05, 0.3, 0.9}[rng.IntN(3)], 20)
		if rows == 0 {
			cols = 0
		}
		if rows == cols {
			switch rng.IntN(5) {
			case 0:
				symmetrise(a, 1)
			case 1:
				symmetrise(a, -1)
			case 2: // one entry has no partner
				symmetrise(a, 1)
				if rows > 1 {
					i, j := rng.IntN(rows), rng.IntN(rows)
					a[i][j] = 0
				}
			case 3: // symmetric within the tolerance, or just not
				symmetrise(a, 1)
				if rows > 1 {
					a[rows-1][0] *= 1 + []float64{1e-14, 1e-8}[rng.IntN(2)]
				}
			}
		}
		if rng.IntN(4) == 0 && rows > 0 && cols > 0 && rows != cols {
			a[rng.IntN(rows)][rng.IntN(cols)] = []float64{math.NaN(), math.Inf(-1)}[rng.IntN(2)]
		}
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			m, want := fromDense(t, a), naiveFacts(a, cols)
			sameFacts(t, Examine(m, nil), want)
			if got := m.LongestRow(); got != want.LongestRow {
				t.Errorf("longest row %d, want %d", got, want.LongestRow)
			}
		})
	}
}

func TestExamineByHand(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name  string
		a     [][]float64
		check func(f Facts) bool
	}{
		{"symmetric", [][]float64{{2, 1e-20}, {1e-20, 3}}, func(f Facts) bool { return f.Symmetric && f.Asymmetry == 0 && f.DiagonalSign() == 1 }},
		{"skew", [][]float64{{0, 1}, {-1, 0}}, func(f Facts) bool { return !f.Symmetric && f.Asymmetry == 2 && f.DiagonalSign() == 0 }},
		{"only above", [][]float64{{4, 1}, {0, 1}}, func(f Facts) bool { return !f.Symmetric && f.Asymmetry == 0.5 }},
		{"only below", [][]float64{{4, 0}, {1, 1}}, func(f Facts) bool { return !f.Symmetric && f.Asymmetry == 0.5 }},
		{"badly scaled", [][]float64{{1e300, 1}, {1, 1e-300}}, func(f Facts) bool { return f.Symmetric && f.MinAbs == 1e-300 && f.MaxAbs == 1e300 }},
		{"negative definite", [][]float64{{-2, 1}, {1, -2}}, func(f Facts) bool { return f.Symmetric && f.DiagonalSign() == -1 }},
		{"saddle", [][]float64{{2, 1}, {1, 0}}, func(f Facts) bool { return f.Symmetric && f.DiagonalZero == 1 && f.DiagonalSign() == 0 }},
		{"NaN", [][]float64{{1, 0, 0}, {0, 1, nan}, {inf, 0, 1}}, func(f Facts) bool {
			return f.NonFinite == 2 && f.FirstNonFinite == Position{1, 2} && !f.Symmetric && f.MaxAbs == 1
		}},
		{"NaN on both sides", [][]float64{{1, nan}, {nan, 1}}, func(f Facts) bool { return !f.Symmetric && f.NonFinite == 2 }},
		{"zero", [][]float64{{0, 0}, {0, 0}}, func(f Facts) bool {
			return f.EmptyRow == 0 && f.EmptyCol == 0 && f.MinAbs == 0 && f.MaxAbs == 0 && f.DiagonalZero == 2
		}},
		{"0 x 0", nil, func(f Facts) bool { return f.Symmetric && f.EmptyRow == -1 && f.DiagonalSign() == 0 }},
		{"wide", [][]float64{{1, 2, 0}}, func(f Facts) bool { return !f.Symmetric && math.IsNaN(f.Asymmetry) && f.EmptyCol == 2 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			if f := Examine(fromDense(t, c.a), nil); !c.check(f) {
				t.Errorf("%+v", f)
			}
		})
	}
}

// Stored zeros are entries, but no nonzeros.
func TestExamineStoredZeros(t *testing.T) {
	m := &Matrix{
		Rows: 3, Cols: 3, RowPtr: []int64{0, 2, 3, 4},
		Col: []int32{0, 2, 1, 2}, Val: []float64{5, 0, 0, math.Copysign(0, -1)},
	}
	f := Examine(m, nil)
	want := Facts{
		Rows: 3, Cols: 3, NNZ: 4, LongestRow: 2, Symmetric: true, DiagonalPositive: 1, DiagonalZero: 2,
		MinAbs: 5, MaxAbs: 5, EmptyRow: 1, EmptyCol: 1,
	}
	if f != want {
		t.Errorf("got %+v, want %+v", f, want)
	}
}

func TestSymmetry(t *testing.T) {
	for _, c := range []struct {
		name string
		a    [][]float64
		want bool
	}{
		{"badly scaled", [][]float64{{1e20, 1}, {1, 1e-20}}, true},
		{"badly scaled, not quite", [][]float64{{1e20, 1}, {1.001, 1e-20}}, false},
		{"hidden by a huge row and column", [][]float64{{1, 0.25, 1e20}, {-0.25, 1, 1e20}, {1e20, 1e20, 1e40}}, false},
		{"rounding", [][]float64{{3, 1}, {1 + 4e-16, 3}}, true},
		{"cancelled to rounding errors", [][]float64{{3, 1e-17}, {-2e-17, 3}}, true},
		{"the same in one triangle alone", [][]float64{{3, 0}, {1e-16, 3}}, true},
		{"small, but not beside its diagonal", [][]float64{{1e-16, 1e-17}, {-2e-17, 1e-16}}, false},
		{"tolerance met", [][]float64{{1, 1e-12}, {0, 1}}, true},
		{"tolerance exceeded", [][]float64{{1, 1.01e-12}, {0, 1}}, false},
		{"rounding beside zeros", [][]float64{{0, 1}, {1 + 4e-16, 0}}, true},
		{"alone beside zeros", [][]float64{{0, 1e-300}, {0, 0}}, false},
		{"huge diagonal", [][]float64{{1e308, 1}, {-1, 1e308}}, true},
		{"tiny diagonal", [][]float64{{1e-308, 1e-308}, {-1e-308, 1e-308}}, false},
		{"difference beyond float64", [][]float64{{1, 1e308}, {-1e308, 1}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if f := Examine(fromDense(t, c.a), nil); f.Symmetric != c.want {
				t.Errorf("symmetric %v, asymmetry %g", f.Symmetric, f.Asymmetry)
			}
		})
	}
}

// The asymmetry of D A D is that of A, to the last bit for powers of two.
func TestSymmetryKnowsNoScale(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		n := 2 + rng.IntN(8)
		a := randomDense(rng, n, n, 0.6, 10)
		m := fromDense(t, a)
		s := NoScaling(m)
		for i := range n {
			s.Row[i] = rng.IntN(400) - 200
		}
		s.Col = s.Row
		if got, want := Examine(s.Apply(m, nil), nil).Asymmetry, Examine(m, nil).Asymmetry; got != want {
			t.Fatalf("asymmetry %v, scaled %v", want, got)
		}
	}
}

// Matrices of few different values on regular patterns that are not symmetric by two entries alone,
// whose hashes must not cancel.
func TestNearlySymmetricIsSeen(t *testing.T) {
	const n = 64
	rng := rand.New(rand.NewPCG(7, 8))
	for round := range 300 {
		b, err := NewBuilder(n, n)
		if err != nil {
			t.Fatal(err)
		}
		swapped := 1 + rng.IntN(n/2)
		add := func(i, j int, v float64) {
			if err := b.Add(i, j, v); err != nil {
				t.Fatal(err)
			}
		}
		for i := range n {
			add(i, i, 4)
			if j := i + swapped; j < n {
				v, w := float64(int(1)<<(i%2)), float64(int(1)<<(i%2))
				if round%2 == 0 && (i == 2 || i == 3) { // 1 and 2 change places on one side
					w = 3 - v
				}
				add(i, j, v)
				add(j, i, w)
			}
		}
		m := b.Build()
		f := Examine(m, nil)
		if want := round%2 != 0 || swapped > n-4; f.Symmetric != want {
			t.Errorf("round %d: symmetric %v, want %v", round, f.Symmetric, want)
		}
		if f.Symmetric {
			got, _ := SymmetricScaling(m, true, nil)
			if want, _ := SymmetricScaling(m, false, nil); !slices.Equal(got.Row, want.Row) {
				t.Errorf("round %d: scaling %v, want %v", round, got.Row, want.Row)
			}
		}
	}
}

// A matrix of many columns is examined in a bit of memory for each.
func TestExamineWide(t *testing.T) {
	const cols = 1 << 25
	m := &Matrix{Rows: 1, Cols: cols, RowPtr: []int64{0, 3}, Col: []int32{0, 1, cols - 1}, Val: []float64{1, 2, 3}}
	pool := parallel.New(2)
	defer pool.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f := Examine(m, pool)
	runtime.ReadMemStats(&after)
	if f.EmptyCol != 2 {
		t.Errorf("the first empty column is %d, want 2", f.EmptyCol)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > cols/8+1<<20 {
		t.Errorf("%d bytes for %d columns", took, cols)
	}
}
