package generate

import (
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/parallel"
)

// TestMakeRows compares rows with those of the whole matrix.
func TestMakeRows(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	for _, c := range sizes {
		k, _ := Find(c.kind)
		m, err := Generate(k.Name, c.parts)
		if err != nil {
			t.Fatal(err)
		}
		n := int64(m.Rows)
		for _, r := range [][2]int64{{0, n}, {0, n / 3}, {n / 3, n / 3}, {n / 3, n - 1}, {n - 1, n}} {
			rowPtr, col, val, err := k.MakeRows(c.parts, r[0], r[1], pool)
			if err != nil {
				t.Fatal(err)
			}
			from, to := m.RowPtr[r[0]], m.RowPtr[r[1]]
			if !slices.Equal(val, m.Val[from:to]) {
				t.Errorf("%s: other values in rows %v", k.Name, r)
			}
			if !slices.EqualFunc(col, m.Col[from:to], func(a int64, b int32) bool { return a == int64(b) }) {
				t.Errorf("%s: other columns in rows %v", k.Name, r)
			}
			if !slices.EqualFunc(rowPtr, m.RowPtr[r[0]:r[1]+1], func(a, b int64) bool { return a == b-from }) {
				t.Errorf("%s: other lengths of rows %v", k.Name, r)
			}
		}
		if _, _, _, err := k.MakeRows(c.parts, 0, n+1, pool); err == nil {
			t.Errorf("%s: no error for a row too many", k.Name)
		}
	}
}
