package csr

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func valid() *Matrix {
	return &Matrix{
		Rows: 3, Cols: 4, RowPtr: []int64{0, 2, 2, 5},
		Col: []int32{0, 3, 0, 1, 2}, Val: []float64{1, 2, 3, 4, 5},
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(m *Matrix)
		want   string // "" for none
	}{
		{"as it is", func(*Matrix) {}, ""},
		{"zero value", func(m *Matrix) { *m = Matrix{} }, ""},
		{"no rows, some columns", func(m *Matrix) { *m = Matrix{Cols: 3} }, ""},
		{"negative rows", func(m *Matrix) { m.Rows = -1 }, "out of range"},
		{"negative columns", func(m *Matrix) { m.Cols = -1 }, "out of range"},
		{"too many columns", func(m *Matrix) { m.Cols = MaxDim + 1 }, "out of range"},
		{"too many rows", func(m *Matrix) { m.Rows = MaxDim + 1 }, "out of range"},
		{"offset missing", func(m *Matrix) { m.RowPtr = m.RowPtr[:3] }, "3 row offsets for 3 rows"},
		{"no offsets", func(m *Matrix) { m.RowPtr = nil }, "0 row offsets"},
		{"entries without rows", func(m *Matrix) { m.Rows, m.RowPtr = 0, nil }, "0 row offsets"},
		{"value missing", func(m *Matrix) { m.Val = m.Val[:4] }, "5 columns but 4 values"},
		{"first offset", func(m *Matrix) { m.RowPtr[0] = 1 }, "run from 1"},
		{"last offset", func(m *Matrix) { m.RowPtr[3] = 4 }, "to 4, want 0 to 5"},
		{"decreasing offset", func(m *Matrix) { m.RowPtr[2] = 1 }, "row 1 ends at offset 1"},
		{"offset beyond the end", func(m *Matrix) { m.RowPtr[1] = 6 }, "row 0 ends at offset 6"},
		{"negative offset", func(m *Matrix) { m.RowPtr[1] = -1 }, "row 0 ends at offset -1"},
		{"column too large", func(m *Matrix) { m.Col[1] = 4 }, "row 0: column 4 after 0, of 4"},
		{"negative column", func(m *Matrix) { m.Col[0] = -1 }, "row 0: column -1"},
		{"column twice", func(m *Matrix) { m.Col[3] = 0 }, "row 2: column 0 after 0"},
		{"columns out of order", func(m *Matrix) { m.Col[3], m.Col[4] = 2, 1 }, "row 2: column 1 after 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := valid()
			c.change(m)
			err := m.Validate()
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestCloneIsDeep(t *testing.T) {
	m := valid()
	c := m.Clone()
	if !sameBits(m, c) {
		t.Fatalf("clone %+v of %+v", c, m)
	}
	c.Val[0], c.Col[1], c.RowPtr[1] = 9, 2, 1
	if !sameBits(m, valid()) {
		t.Error("a change of the clone changed the matrix")
	}
}

func TestRowCannotGrowIntoTheNext(t *testing.T) {
	m := valid()
	cols, vals := m.Row(0)
	_, _ = append(cols, 7), append(vals, 7)
	if !sameBits(m, valid()) {
		t.Error("appending to a row overwrote the next one")
	}
}

func TestBytes(t *testing.T) {
	m := valid()
	if got, want := m.Bytes(), int64(8*len(m.RowPtr)+4*len(m.Col)+8*len(m.Val)); got != want {
		t.Errorf("Bytes = %d, want %d", got, want)
	}
	if got := Bytes(1<<31, 1<<40); got != 8*(1<<31+1)+12<<40 {
		t.Errorf("Bytes of a large matrix = %d", got)
	}
}

func TestNormsAgainstDense(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 30 {
		rows, cols := 1+rng.IntN(8), 1+rng.IntN(8)
		a := randomDense(rng, rows, cols, 0.4, 3)
		m := fromDense(t, a)
		sums, rowMax, colMax := m.RowSums(nil), m.RowMax(nil), m.ColMax()
		wantCol, diagonal := make([]float64, cols), m.Diagonal(nil)
		x, y := make([]float64, cols), make([]float64, rows)
		for j := range x {
			x[j] = rng.NormFloat64()
		}
		m.MulVec(y, x)
		for i := range a {
			var sum, most, ax float64
			for j, v := range a[i] {
				sum += math.Abs(v)
				most = math.Max(most, math.Abs(v))
				wantCol[j] = math.Max(wantCol[j], math.Abs(v))
				ax += float64(v * x[j])
			}
			if sums[i] != sum || rowMax[i] != most || y[i] != ax {
				t.Errorf("row %d: sum %v, max %v, product %v; want %v, %v, %v",
					i, sums[i], rowMax[i], y[i], sum, most, ax)
			}
			if i < len(diagonal) && diagonal[i] != a[i][i] {
				t.Errorf("diagonal %d = %v, want %v", i, diagonal[i], a[i][i])
			}
		}
		if len(diagonal) != min(rows, cols) {
			t.Errorf("%d diagonal entries of a %d x %d matrix", len(diagonal), rows, cols)
		}
		for j := range wantCol {
			if colMax[j] != wantCol[j] {
				t.Errorf("column %d: max %v, want %v", j, colMax[j], wantCol[j])
			}
		}
	}
}
