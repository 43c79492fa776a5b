package dist

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// rowsOf returns the rows of this rank with columns of the whole matrix.
func rowsOf(m *Matrix) (text []string) {
	for _, p := range m.Parts {
		for i := p.First(); i < p.End(); i++ {
			line := fmt.Sprint(m.Global(i), ":")
			cols, vals := m.Local.Row(i)
			for k, j := range cols {
				line += fmt.Sprintf(" (%d, %g)", m.Global(int(j)), vals[k])
			}
			text = append(text, line)
		}
	}
	return text
}

// The transpose, and a matrix with terms added, have the rows that they have on one rank, for any numbers of domains and ranks (Concurrent).
func TestConcurrentChangedMatrices(t *testing.T) {
	m := scattered(t, 40, 4, 1)
	more := func(row int64) ([]int64, []float64) {
		switch row % 3 {
		case 0:
			return []int64{0, 20, 39}, []float64{5, 6, 7}
		case 1:
			return []int64{17}, []float64{-1}
		}
		return nil, nil
	}
	plus, err := Whole(m).Plus(more)
	if err != nil {
		t.Fatal(err)
	}
	b, err := csr.NewBuilder(40, 40)
	if err != nil {
		t.Fatal(err)
	}
	add := func(i int, j int64, v float64) {
		if err := b.Add(i, int(j), v); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 40 {
		cols, vals := m.Row(i)
		for k, j := range cols {
			add(i, int64(j), vals[k])
		}
		added, values := more(int64(i))
		for k, j := range added {
			add(i, j, values[k])
		}
	}
	want := [2][]string{rowsOf(Whole(b.Build())), rowsOf(Whole(m.Transpose(nil)))}
	if got := rowsOf(plus); !slices.Equal(got, want[0]) {
		t.Errorf("a whole matrix plus terms is %v, want %v", got, want[0])
	}
	for _, domains := range []int{1, 3, 7} {
		for _, size := range []int{1, 2, 5, 9} {
			got := [2][][]string{make([][]string, size), make([][]string, size)}
			Run(size, func(c Comm) {
				a, err := Spread(c, m, domains)
				if err != nil {
					t.Error(err)
					return
				}
				for k, change := range []func() (*Matrix, error){func() (*Matrix, error) { return a.Plus(more) }, a.Transpose} {
					changed, err := change()
					if err != nil {
						t.Error(err)
						return
					}
					got[k][c.Rank()] = rowsOf(changed)
				}
			})
			for k, what := range []string{"the matrix plus terms", "the transpose"} {
				if all := slices.Concat(got[k]...); !slices.Equal(all, want[k]) {
					t.Errorf("%d domains, %d ranks: %s is %v, want %v", domains, size, what, all, want[k])
				}
			}
		}
	}
}

// A matrix twice has the rows of the matrix for the first and for the second unknown of each node, in domains of whole nodes, as CutNodes cuts them
// (Concurrent).
func TestConcurrentNodes(t *testing.T) {
	m := scattered(t, 41, 4, 1)
	twice := &csr.Matrix{Rows: 82, Cols: 82, RowPtr: []int64{0}}
	for i := range 82 {
		cols, vals := m.Row(i / 2)
		for k, j := range cols {
			twice.Col, twice.Val = append(twice.Col, 2*j+int32(i%2)), append(twice.Val, vals[k])
		}
		twice.RowPtr = append(twice.RowPtr, int64(len(twice.Val)))
	}
	for _, domains := range []int{1, 3, 5, 41} {
		d, err := CutNodes(twice, 2, domains)
		if err != nil || slices.ContainsFunc(d.Start, func(row int64) bool { return row%2 != 0 }) {
			t.Fatalf("%d domains: %v, %v", domains, d.Start, err)
		}
		for _, ranks := range []int{1, 2, 4} {
			Run(ranks, func(c Comm) {
				a, err := Spread(c, m, domains)
				if err != nil {
					t.Error(err)
					return
				}
				got, err := a.Twice()
				if err != nil {
					t.Error(err)
					return
				}
				lo, hi := d.Owned(c.Rank(), c.Size())
				want, err := Adopt(c, d, RowRange(twice, int(d.Start[lo]), int(d.Start[hi])))
				if err != nil || got.Node != 2 || got.N != 82 || !slices.Equal(got.Domains.Start, d.Start) || !slices.Equal(rowsOf(got), rowsOf(want)) {
					t.Errorf("%d domains, %d ranks: %v in %v, want %v in %v, %v", domains, ranks, rowsOf(got), got.Domains.Start, rowsOf(want), d.Start, err)
				}
			})
		}
	}
}
