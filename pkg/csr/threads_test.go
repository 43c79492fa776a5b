package csr

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// random makes a matrix of normally distributed values times powers of two,
// with at most count(i) of them in row i.
func random(tb testing.TB, rng *rand.Rand, rows, cols int, count func(i int) int) *Matrix {
	tb.Helper()
	return build(tb, rows, cols, func(add func(i, j int, v float64)) {
		for i := range rows {
			for range count(i) {
				add(i, rng.IntN(cols), rng.NormFloat64()*float64(uint64(1)<<rng.IntN(60)))
			}
		}
	})
}

// manyShapes are matrices of many and few panels with empty, short and huge rows.
func manyShapes(tb testing.TB) map[string]*Matrix {
	rng := rand.New(rand.NewPCG(11, 12))
	few := func(int) int { return rng.IntN(4) } // none in a quarter of the rows
	uneven := func(i int) int {
		if i%10000 == 7 {
			return 15000
		}
		return rng.IntN(4)
	}
	symmetric := random(tb, rng, 20000, 20000, uneven)
	return map[string]*Matrix{
		"zero value": {},
		"no rows":    {Cols: 3, RowPtr: []int64{0}},
		"one row":    random(tb, rng, 1, 30000, func(int) int { return 25000 }),
		"one column": random(tb, rng, 40000, 1, few),
		"1 x 1":      random(tb, rng, 1, 1, func(int) int { return 1 }),
		"empty":      random(tb, rng, 70000, 70000, func(int) int { return 0 }),
		"small":      random(tb, rng, 50, 50, few),
		"uneven":     random(tb, rng, 30000, 30000, uneven),
		"huge rows":  random(tb, rng, 8, 30000, func(int) int { return 30000 }),
		"wide":       random(tb, rng, 20000, 60000, few),
		"symmetric":  plusTransposed(tb, symmetric),
	}
}

// plusTransposed returns A + A^T.
func plusTransposed(tb testing.TB, m *Matrix) *Matrix {
	tb.Helper()
	return build(tb, m.Rows, m.Rows, func(add func(i, j int, v float64)) {
		m.DoNonZero(func(i, j int, v float64) {
			if i < j {
				add(j, i, v)
			}
			if i <= j {
				add(i, j, v)
			}
		})
	})
}

// found is all that is computed from a matrix on a pool.
type found struct {
	facts  string // printed, since NaN is not equal to itself
	values [][]float64
	exps   [][]int
	made   []*Matrix
}

// look computes all of m, with P A P^T if it is square.
func look(t *testing.T, m *Matrix, p Permutation, pool *parallel.Pool) found {
	t.Helper()
	row, both := RowScaling(m, pool), BothScaling(m, pool)
	sym, _ := SymmetricScaling(m, false, pool) // nil unless square
	scaled := both.Apply(m, pool)
	scaled.Negate(pool)
	made := []*Matrix{scaled, m.Transpose(pool)}
	if m.Rows == m.Cols {
		made = append(made, m.Permuted(p, p.Inverse(), pool))
	}
	return found{
		made:   made,
		facts:  fmt.Sprintf("%+v", Examine(m, pool)),
		values: [][]float64{m.RowSums(pool), m.RowMax(pool)},
		exps:   [][]int{row.Row, sym.Row, sym.Col, both.Row, both.Col},
	}
}

// Facts, norms, scalings and permutations have the same bits for any number
// of threads.
func TestThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for name, m := range manyShapes(t) {
		p := shuffled(rng, m.Rows)
		want := look(t, m, p, nil)
		for _, threads := range []int{3, 1, 2, 8} {
			if testing.Short() && threads != 3 {
				continue // that of no pool is that of one
			}
			pool := parallel.New(threads)
			got := look(t, m, p, pool)
			pool.Close()
			if got.facts != want.facts || !slices.EqualFunc(got.values, want.values, slices.Equal) ||
				!slices.EqualFunc(got.exps, want.exps, slices.Equal) || !slices.EqualFunc(got.made, want.made, sameBits) {
				t.Errorf("%s: other results with %d threads", name, threads)
			}
		}
	}
}

// Panels reach from multiple to multiple of their bytes.
func TestPanels(t *testing.T) {
	for name, m := range manyShapes(t) {
		want, data := []int{0}, int64(0)
		for i := range m.Rows {
			cols, _ := m.Row(i)
			if data += 8 + 12*int64(len(cols)); data >= panelBytes || i+1 == m.Rows {
				want, data = append(want, i+1), 0
			}
		}
		if got := Panels(m); !slices.Equal(got, want) {
			t.Errorf("%s: panels %v, want %v", name, got, want)
		}
	}
}

// Offsets beyond 2^31, and beyond 2^32 bytes, split like others.
func TestPanelsOfManyEntries(t *testing.T) {
	const perPanel = (panelBytes + 8 + 12*1000 - 1) / (8 + 12*1000) // rows of 1000 entries
	m := &Matrix{Rows: 3_000_000, Cols: MaxDim, RowPtr: make([]int64, 3_000_001)}
	for i := range m.RowPtr {
		m.RowPtr[i] = 1000 * int64(i)
	}
	bounds := Panels(m)
	for k, lo := range bounds[:len(bounds)-1] {
		if want := min(lo+perPanel, m.Rows); bounds[k+1] != want {
			t.Fatalf("panel %d is rows %d to %d, want %d", k, lo, bounds[k+1], want)
		}
	}
	long := &Matrix{Rows: 2, Cols: MaxDim, RowPtr: []int64{0, MaxDim, 2 * MaxDim}}
	if bounds := Panels(long); !slices.Equal(bounds, []int{0, 1, 2}) {
		t.Errorf("panels of the longest rows: %v", bounds)
	}
	if got := Bytes(3e6, 3e9); got != m.Bytes()+36_000_000_000 || m.Bytes() != 8*3_000_001 {
		t.Errorf("%d bytes, %d without entries", got, m.Bytes())
	}
}

func TestNegate(t *testing.T) {
	m := fromDense(t, [][]float64{{1, -2}, {0, 3}})
	m.Negate(nil)
	if want := fromDense(t, [][]float64{{-1, 2}, {0, -3}}); !sameBits(m, want) {
		t.Errorf("got %v, want %v", m.Val, want.Val)
	}
}
