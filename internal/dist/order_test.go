package dist

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// Rows that get other numbers, and move to other ranks, are the rows of the permuted matrix; vectors go there and back, whatever the number of
// elements that are sent at a time (Concurrent).
func TestConcurrentRenumbered(t *testing.T) {
	const n, domains = 500, 7
	m := scattered(t, n, 6, 9)
	p := make(csr.Permutation, n) // row k of the new matrix is row p[k]
	for k, v := range rand.New(rand.NewPCG(3, 4)).Perm(n) {
		p[k] = int32(v)
	}
	want := m.Permuted(p, p.Inverse(), nil)
	d := Domains{Start: []int64{0, 10, 11, 200, 210, 300, 450, n}}
	wide := func(numbers csr.Permutation) (v []int64) {
		for _, k := range numbers {
			v = append(v, int64(k))
		}
		return v
	}
	for ranks := 1; ranks <= 4; ranks++ {
		Run(ranks, func(c Comm) {
			old, err := Spread(c, m, domains)
			if err != nil {
				t.Error(err)
				return
			}
			a, err := old.Renumbered(d, Scatter(c, old.Domains, wide(p.Inverse())), Scatter(c, d, wide(p)))
			if err != nil || old.Local.NNZ() != 0 || a.N != n || a.NNZ != int64(m.NNZ()) || a.Local.Validate() != nil {
				t.Errorf("rank %d of %d: %v, %d of %d nonzeros", c.Rank(), ranks, err, a.NNZ, m.NNZ())
				return
			}
			for _, part := range a.Parts {
				for i := range part.Own {
					cols, vals := a.Local.Row(part.First() + i)
					wantCols, wantVals := want.Row(int(part.Row) + i)
					if !slices.Equal(vals, wantVals) || !slices.EqualFunc(cols, wantCols, func(at, j int32) bool { return a.Global(int(at)) == int64(j) }) {
						t.Errorf("row %d differs", int(part.Row)+i)
					}
					if got := a.Given(part.First() + i); got != int64(p[int(part.Row)+i]) {
						t.Errorf("row %d was given as %d, want %d", int(part.Row)+i, got, p[int(part.Row)+i])
					}
				}
			}
			given, ordered := make([]float64, n), make([]float64, n)
			for k, i := range p {
				given[i], ordered[k] = float64(i), float64(i)
			}
			mine, there := Scatter(c, old.Domains, given), Scatter(c, d, ordered)
			for _, most := range []int64{1, 7, 10_000} {
				in, out := a.Order.pass(mine, &a.Order.given, &a.Order.own, most), a.Order.pass(there, &a.Order.own, &a.Order.given, most)
				if !slices.Equal(in, there) || !slices.Equal(out, mine) {
					t.Error(fmt.Sprintf("rank %d of %d, %d at a time: ", c.Rank(), ranks, most), in, out)
				}
			}
		})
	}
}
