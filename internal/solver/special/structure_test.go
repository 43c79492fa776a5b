package special

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// TestTriangularOrder: triangular matrices are found however their rows and columns are
// permuted, also with stored zeros elsewhere, and those with a zero on the diagonal or a cycle are not.
func TestTriangularOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for k := range 400 {
		n := 1 + rng.IntN(25)
		p, q := rng.Perm(n), rng.Perm(n)
		spoilt := k%4 == 3 && n > 1
		m := testsupport.Entries(n, func(add func(i, j int, v float64)) {
			for i := range n {
				for j := range i {
					if rng.IntN(3) == 0 {
						add(p[i], q[j], float64(rng.IntN(5)-2)) // some are zero
					}
				}
				if !spoilt || i != 1 {
					add(p[i], q[i], 1+rng.Float64())
				}
			}
			if spoilt { // rows 0 and 1 have no column but q[0]
				add(p[1], q[0], 3)
				add(p[0], q[1], 0)
			}
		})
		rows, cols := triangularOrder(m)
		if spoilt {
			if rows != nil {
				t.Fatalf("a singular matrix is called triangular: %v", m)
			}
			continue
		}
		if len(rows) != n || len(cols) != n {
			if hasShortRow(m) {
				t.Fatalf("not found: %v", m)
			}
			continue
		}
		at := make([]int, n)
		for k, j := range cols {
			at[j] = k
		}
		for k, i := range rows {
			if m.At(int(i), int(cols[k])) == 0 {
				t.Fatalf("a zero on the diagonal of row %d", i)
			}
			c, v := m.Row(int(i))
			for l, j := range c {
				if v[l] != 0 && at[j] > k {
					t.Fatalf("row %d has column %d, which comes later", i, j)
				}
			}
		}
	}
	for _, a := range [][][]float64{{{0, 1}, {1, 1}}, {{1, 0}, {0, 1}}, {{2, 0, 0}, {1, 1, 1}, {0, 1, 1}}} {
		rows, _ := triangularOrder(testsupport.Entries(len(a), func(add func(i, j int, v float64)) {
			for i, row := range a {
				for j, v := range row {
					if v != 0 {
						add(i, j, v)
					}
				}
			}
		}))
		if want := len(a) == 2; (rows != nil) != want {
			t.Errorf("%v: %v", a, rows)
		}
	}
}

// TestComponents compares with the closure of the graph, found by marking neighbours until
// nothing changes.
func TestComponents(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n := 1 + rng.IntN(30)
		b, err := csr.NewBuilder(n, n)
		if err != nil {
			t.Fatal(err)
		}
		for range rng.IntN(2 * n) {
			if err := b.Add(rng.IntN(n), rng.IntN(n), 1); err != nil {
				t.Fatal(err)
			}
		}
		m := b.Build()
		want := make([]int32, n)
		for i := range want {
			want[i] = int32(i)
		}
		for changed := true; changed; {
			changed = false
			m.DoNonZero(func(i, j int, _ float64) {
				if least := min(want[i], want[j]); want[i] != least || want[j] != least {
					want[i], want[j], changed = least, least, true
				}
			})
		}
		firsts := slices.Compact(slices.Sorted(slices.Values(want)))
		for i, first := range want {
			k, _ := slices.BinarySearch(firsts, first)
			want[i] = int32(k)
		}
		count, of := components(m)
		if count != len(firsts) || !slices.Equal(of, want) {
			t.Fatalf("%d components %v, want %d %v", count, of, len(firsts), want)
		}
	}
}
