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

// TestValidate changes a matrix into one that Validate refuses, and New as well
// where it checks the same.
func TestValidate(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(m *Matrix)
		want   string // "" for none
		fine   bool   // for New
	}{
		{"as it is", func(*Matrix) {}, "", true},
		{"zero value", func(m *Matrix) { *m = Matrix{} }, "", true},
		{"no rows, some columns", func(m *Matrix) { *m = Matrix{Cols: 3} }, "", true},
		{"negative rows", func(m *Matrix) { m.Rows = -1 }, "out of range", false},
		{"negative columns", func(m *Matrix) { m.Cols = -1 }, "out of range", false},
		{"too many columns", func(m *Matrix) { m.Cols = MaxDim + 1 }, "out of range", false},
		{"too many rows", func(m *Matrix) { m.Rows = MaxDim + 1 }, "out of range", false},
		{"offset missing", func(m *Matrix) { m.RowPtr = m.RowPtr[:3] }, "3 row offsets for 3 rows", false},
		{"no offsets", func(m *Matrix) { m.RowPtr = nil }, "0 row offsets", false},
		{"entries without rows", func(m *Matrix) { m.Rows, m.RowPtr = 0, nil }, "0 row offsets", false},
		{"value missing", func(m *Matrix) { m.Val = m.Val[:4] }, "5 columns but 4 values", false},
		{"first offset", func(m *Matrix) { m.RowPtr[0] = 1 }, "run from 1", false},
		{"last offset", func(m *Matrix) { m.RowPtr[3] = 4 }, "to 4, want 0 to 5", false},
		{"decreasing offset", func(m *Matrix) { m.RowPtr[2] = 1 }, "row 2: offsets run from 2 to 1", false},
		{"offset beyond the end", func(m *Matrix) { m.RowPtr[1] = 6 }, "row 1: offsets run from 0 to 6", false},
		{"negative offset", func(m *Matrix) { m.RowPtr[1] = -1 }, "row 1: offsets run from 0 to -1", false},
		{"column too large", func(m *Matrix) { m.Col[1] = 4 }, "row 1: column index 4 out of range [0, 4)", false},
		{"negative column", func(m *Matrix) { m.Col[2] = -1 }, "row 3: column index -1 out of range", false},
		{"column twice", func(m *Matrix) { m.Col[3] = 0 }, "row 3: column index 0 after 0", true},
		{"columns out of order", func(m *Matrix) { m.Col[3], m.Col[4] = 2, 1 }, "row 3: column index 1 after 2", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := valid()
			c.change(m)
			check := func(what string, err error, want string) {
				t.Helper()
				if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
					t.Errorf("%s: error %v, want one with %q", what, err, want)
				}
			}
			check("Validate", m.Validate(), c.want)
			if c.fine {
				c.want = ""
			}
			ptr, col := toInt(m.RowPtr), toInt(m.Col)
			n, err := New(m.Rows, m.Cols, ptr, col, m.Val)
			check("New", err, c.want)
			if err == nil {
				check("result of New", n.Validate(), "")
			}
		})
	}
	if _, err := New(1, 2, []int{0, 1}, []int{1 << 32}, []float64{1}); err == nil {
		t.Error("column 2^32 was accepted")
	}
}

func toInt[T int32 | int64](v []T) (out []int) {
	for _, e := range v {
		out = append(out, int(e))
	}
	return out
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

func TestNormsAgainstDense(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 30 {
		rows, cols := 1+rng.IntN(8), 1+rng.IntN(8)
		a := randomDense(rng, rows, cols, 0.4, 3)
		m := fromDense(t, a)
		sums, rowMax, colMax := m.RowSums(nil), m.RowMax(nil), columnMax(m)
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
