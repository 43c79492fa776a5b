package csr

import (
	"runtime"
	"testing"

	"github.com/mpsolve/mpsolve/internal/parallel"
)

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
