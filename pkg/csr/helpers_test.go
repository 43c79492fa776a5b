package csr

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// build makes a matrix of what fill adds.
func build(tb testing.TB, rows, cols int, fill func(add func(i, j int, v float64))) *Matrix {
	tb.Helper()
	b, err := NewBuilder(rows, cols)
	if err != nil {
		tb.Fatal(err)
	}
	fill(func(i, j int, v float64) {
		if err := b.Add(i, j, v); err != nil {
			tb.Fatal(err)
		}
	})
	return b.Build()
}

// fromDense makes a matrix of the nonzeros of a; NaN counts as one.
func fromDense(t *testing.T, a [][]float64) *Matrix {
	t.Helper()
	cols := 0
	if len(a) > 0 {
		cols = len(a[0])
	}
	return build(t, len(a), cols, func(add func(i, j int, v float64)) {
		for i := range a {
			for j, v := range a[i] {
				if v != 0 {
					add(i, j, v)
				}
			}
		}
	})
}

// randomDense fills about that share of the entries with numbers whose binary
// exponents lie within spread of zero.
func randomDense(rng *rand.Rand, rows, cols int, share float64, spread int) [][]float64 {
	a := make([][]float64, rows)
	for i := range a {
		a[i] = make([]float64, cols)
		for j := range a[i] {
			if rng.Float64() < share {
				a[i][j] = math.Ldexp(rng.Float64()+0.5, rng.IntN(2*spread+1)-spread)
				if rng.IntN(2) == 0 {
					a[i][j] = -a[i][j]
				}
			}
		}
	}
	return a
}

// sameBits compares matrices entry by entry, NaN and the sign of zero included.
func sameBits(a, b *Matrix) bool {
	return a.Rows == b.Rows && a.Cols == b.Cols &&
		slices.Equal(a.RowPtr, b.RowPtr) && slices.Equal(a.Col, b.Col) &&
		slices.EqualFunc(a.Val, b.Val, func(x, y float64) bool {
			return math.Float64bits(x) == math.Float64bits(y)
		})
}

// envelope returns the bandwidth max |i - j| of the entries, and the sum of the distances from the first entries of rows to the diagonal.
func envelope(m *Matrix) (bandwidth, profile int) {
	for i := range m.Rows {
		first := i
		cols, _ := m.Row(i)
		for _, j := range cols {
			bandwidth, first = max(bandwidth, i-int(j), int(j)-i), min(first, int(j))
		}
		profile += i - first
	}
	return bandwidth, profile
}

// columnMax returns the largest magnitude of each column.
func columnMax(m *Matrix) []float64 { return m.Transpose(nil).RowMax(nil) }
