package adaptive

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// cut returns the rows lo to hi-1 of m with the columns that they have, numbered anew, and these columns.
func cut(t *testing.T, m *csr.Matrix, lo, hi int) (part *csr.Matrix, columns []int) {
	t.Helper()
	number := map[int]int{}
	used := make([]bool, m.Cols)
	for _, j := range m.Col[m.RowPtr[lo]:m.RowPtr[hi]] {
		used[j] = true
	}
	for j, u := range used {
		if u || j >= lo && j < hi {
			number[j] = len(columns)
			columns = append(columns, j)
		}
	}
	b, err := csr.NewBuilder(hi-lo, len(columns))
	if err != nil {
		t.Fatal(err)
	}
	for i := lo; i < hi; i++ {
		cols, vals := m.Row(i)
		for k, j := range cols {
			if err := b.Add(i-lo, number[int(j)], vals[k]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return b.Build(), columns
}

// Parts hold the very numbers of the whole, in every layout, by every criterion: products with unit vectors tell.
func TestPartsAreOfTheWhole(t *testing.T) {
	pool := newPool(t, 2)
	for kind, p := range map[string]generate.Params{"elasticity3d": {"n": 5}, "poisson3d": {"n": 9}, "circuit": {"n": 12}} {
		m := generated(t, kind, p)
		for i := range m.Rows / 3 { // the last part has the largest norm
			_, vals := m.Row(i)
			for k := range vals {
				vals[k] /= 1 << 6
			}
		}
		for _, layout := range Layouts {
			for _, s := range []Spec{
				{Set: set(t, "AFX"), Epsilon: 0x1p-24},
				{Set: set(t, "AFX"), Epsilon: 0x1p-30, Criterion: CW},
				{Set: set(t, "AP7"), Epsilon: 0x1p-20},
				{Set: set(t, "FP32"), Epsilon: 0x1p-24},
			} {
				s.Layout = layout
				if s.Validate() != nil {
					continue
				}
				compareParts(t, fmt.Sprintf("%s, %s, layout %q", kind, s, layout), m, s, pool)
			}
		}
	}
}

func compareParts(t *testing.T, name string, m *csr.Matrix, s Spec, pool *parallel.Pool) {
	t.Helper()
	whole, err := Build(m, s, pool)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	want := decoded(whole)
	bounds := []int{0, m.Rows / 4, m.Rows / 3, m.Rows}
	all := Whole{Parts: len(bounds) - 1}
	var parts []*csr.Matrix
	var columns [][]int
	for k, lo := range bounds[:len(bounds)-1] {
		part, cols := cut(t, m, lo, bounds[k+1])
		norm, err := NormOf(part, s, pool)
		if err != nil {
			t.Fatal(err)
		}
		if parts = append(parts, part); k == 0 || norm > all.Norm {
			all.Norm = norm
		}
		columns = append(columns, cols)
	}
	if norm, err := NormOf(m, s, pool); err != nil || norm != all.Norm {
		t.Errorf("%s: norm %x of the whole, %x of parts, %v", name, norm, all.Norm, err)
	}
	for k, part := range parts {
		own := all
		own.Diagonal = slices.Index(columns[k], bounds[k])
		s.Whole = &own
		a, err := Build(part, s, pool)
		if err != nil {
			t.Errorf("%s, part %d: %v", name, k, err)
			continue
		}
		if a.Layout().FP64() != whole.Layout().FP64() {
			continue // another automatic choice, FP64 values
		}
		for i, row := range decoded(a) {
			for j, v := range row {
				if w := want[bounds[k]+i][columns[k][j]]; v != w {
					t.Errorf("%s, part %d in layout %s: element %d, %d is %g, want %g", name, k, a.Layout(), i, columns[k][j], v, w)
					return
				}
			}
			if a.Tolerance(i) != whole.Tolerance(bounds[k]+i) {
				t.Errorf("%s, part %d: tolerance %g of row %d, want %g", name, k, a.Tolerance(i), i, whole.Tolerance(bounds[k]+i))
				return
			}
		}
	}
}
