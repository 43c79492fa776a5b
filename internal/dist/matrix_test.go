package dist

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// scattered returns a random matrix of n rows with about k entries in each.
func scattered(t *testing.T, n, k int, seed uint64) *csr.Matrix {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	b, err := csr.NewBuilder(n, n)
	if err != nil {
		t.Fatal(err)
	}
	add := func(i, j int, v float64) {
		if err := b.Add(i, j, v); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		add(i, i, 1+rng.Float64())
		for range rng.IntN(2 * k) {
			add(i, rng.IntN(n), rng.NormFloat64())
		}
	}
	return b.Build()
}

// For any domains and ranks, the rows equal those of the whole matrix, and after an exchange ghosts equal what they
// are copies of; ranks are threads (Concurrent).
func TestConcurrentRanksHaveTheRowsOfTheWhole(t *testing.T) {
	for _, n := range []int{1, 2, 7, 300, 5000} {
		m := scattered(t, n, 4, uint64(n))
		for _, domains := range []int{1, 2, 3, 8} {
			for _, ranks := range []int{1, 2, 3, 5} {
				if domains > n {
					continue
				}
				t.Run(fmt.Sprintf("%d rows, %d domains, %d ranks", n, domains, ranks), func(t *testing.T) {
					Run(ranks, func(c Comm) { compareWithWhole(t, c, m, domains) })
				})
			}
		}
	}
}

func compareWithWhole(t *testing.T, c Comm, m *csr.Matrix, domains int) {
	a, err := Spread(c, m, domains)
	if err != nil {
		t.Error(err)
		return
	}
	if a.N != int64(m.Rows) || a.NNZ != int64(m.NNZ()) || a.Local.Validate() != nil {
		t.Errorf("%d rows, %d nonzeros, %v", a.N, a.NNZ, a.Local.Validate())
	}
	x := make([]float64, a.Len)
	x32 := make([]float32, a.Len)
	for _, p := range a.Parts {
		for i := range p.Own {
			row := int(p.Row) + i
			cols, vals := a.Local.Row(p.First() + i)
			want, wantVals := m.Row(row)
			for k, j := range cols {
				if k >= len(want) || a.Global(int(j)) != int64(want[k]) {
					t.Errorf("row %d differs", row)
					return
				}
			}
			if !slices.Equal(vals, wantVals) {
				t.Errorf("row %d has %v, want %v", row, vals, wantVals)
			}
			x[p.First()+i], x32[p.First()+i] = float64(row), float32(row)
		}
	}
	a.Halo.Exchange(x)
	a.Halo.Exchange32(x32)
	for _, p := range a.Parts {
		for at := p.At; at < p.Next(); at++ {
			if want := float64(a.Global(at)); x[at] != want || float64(x32[at]) != want {
				t.Errorf("position %d has %g and %g, want %g", at, x[at], x32[at], want)
				return
			}
		}
	}
	compareGhostRows(t, a, m)
	compareReverse(t, a, m.Rows)
	for k, p := range a.Parts {
		if part := a.PartOf(a.Local, k, nil); part.Validate() != nil || part.Rows != p.Own {
			t.Errorf("part %d: %v", k, part.Validate())
		}
	}
}

// The bit set and the search find the same ghosts.
func TestFinder(t *testing.T) {
	m := scattered(t, 400, 6, 9)
	cols := m.Col[m.RowPtr[100]:m.RowPtr[200]]
	bySet := newFinder(slices.Clone(cols), 400, 100, 200)
	if want := ghostsOf(cols, 100, 200); bySet.set == nil || !slices.Equal(bySet.ghosts, want) {
		t.Errorf("%v, want %v", bySet.ghosts, want)
	}
	own := make([]int32, 20)
	for k := range own {
		own[k] = int32(100 + k)
	}
	if f := newFinder(own, 400, 100, 200); f.set != nil || f.ghosts != nil {
		t.Errorf("a domain without ghosts has %v", f.ghosts)
	}
	few := []int32{0, 150, 399}
	bySearch := newFinder(few, 400, 100, 200)
	if bySearch.set != nil || !slices.Equal(bySearch.ghosts, []int64{0, 399}) {
		t.Errorf("%v", bySearch.ghosts)
	}
	if bySearch.place(few, Part{Row: 100, At: 10, Below: 1, Own: 100, Above: 1, Ghosts: bySearch.ghosts}); !slices.Equal(few, []int32{10, 61, 111}) {
		t.Errorf("%v", few)
	}
}

// Owner and Owned agree, and Cut leaves no domain empty.
func TestDomains(t *testing.T) {
	for _, n := range []int64{1, 5, 100, 10_000, 1_000_000} {
		for _, count := range []int{1, 2, 3, 7, 64} {
			if int64(count) > n {
				continue
			}
			d, err := Cut(n, count, func(i int64) int64 { return i * i })
			if err != nil || d.Count() != count || d.Rows() != n {
				t.Fatal(d, err)
			}
			for k := range count {
				if d.Start[k] >= d.Start[k+1] {
					t.Errorf("domain %d of %d of %d rows is empty", k, count, n)
				}
				if d.Of(d.Start[k]) != k || d.Of(d.Start[k+1]-1) != k {
					t.Errorf("Of is wrong for domain %d", k)
				}
			}
			for _, size := range []int{1, 2, 3, 8, 100} {
				for r := range size {
					lo, hi := d.Owned(r, size)
					for k := lo; k < hi; k++ {
						if d.Owner(k, size) != r {
							t.Errorf("domain %d of %d belongs to rank %d, not %d, of %d", k, count, r, d.Owner(k, size), size)
						}
					}
				}
			}
		}
	}
}

// compareGhostRows checks the rows of ghosts, segments and diagonal blocks.
func compareGhostRows(t *testing.T, a *Matrix, m *csr.Matrix) {
	for k, rows := range a.GhostRows(a.Local) {
		p := a.Parts[k]
		for i, row := range p.Ghosts {
			cols, vals := m.Row(int(row))
			var got []int32
			for _, j := range rows.Col[rows.RowPtr[i]:rows.RowPtr[i+1]] {
				got = append(got, int32(j))
			}
			if !slices.Equal(got, cols) || !slices.Equal(rows.Val[rows.RowPtr[i]:rows.RowPtr[i+1]], vals) {
				t.Errorf("ghost row %d is %v, want %v", row, got, cols)
				return
			}
		}
		same := func(what string, b *csr.Matrix, at int) {
			if b.Validate() != nil || b.Rows != b.Cols {
				t.Errorf("%s %d: %v", what, p.Domain, b.Validate())
				return
			}
			for i := range b.Rows {
				here := func(j int32) int { // the column of the block, -1 if there is none
					if to, ok := p.find(int64(j)); ok && to >= at && to < at+b.Cols {
						return to - at
					}
					return -1
				}
				cols, vals := b.Row(i)
				for e, j := range m.Col[m.RowPtr[p.global(at+i)]:m.RowPtr[p.global(at+i)+1]] {
					if to := here(j); to >= 0 {
						if len(cols) == 0 || int(cols[0]) != to || vals[0] != m.Val[m.RowPtr[p.global(at+i)]+int64(e)] {
							t.Errorf("%s %d, row %d: entry %d is missing", what, p.Domain, i, to)
							return
						}
						cols, vals = cols[1:], vals[1:]
					}
				}
				if len(cols) > 0 {
					t.Errorf("%s %d, row %d: %d entries too many", what, p.Domain, i, len(cols))
				}
			}
		}
		same("segment", a.Segment(a.Local, k, rows, nil), 0)
		same("block", a.Block(a.Local, k), p.Below)
	}
}

// compareReverse compares sums of copies with sums in the order of domains.
func compareReverse(t *testing.T, a *Matrix, rows int) {
	copyOf := func(domain int, row int64) float64 { return math.Sqrt(float64(2 + row + 7*int64(domain))) }
	x := make([]float64, a.Len)
	for _, p := range a.Parts {
		for at := p.At; at < p.Next(); at++ {
			x[at] = copyOf(p.Domain, a.Global(at))
		}
	}
	ghosts := make([][]byte, 0)
	for _, p := range a.Parts { // which domains have which ghosts
		var b []byte
		for _, row := range p.Ghosts {
			b = binary.LittleEndian.AppendUint64(b, uint64(row))
		}
		ghosts = append(ghosts, b)
	}
	want := make([]float64, rows)
	for row := range want {
		want[row] = copyOf(a.Domains.Of(int64(row)), int64(row))
	}
	for domain := range a.Domains.Count() {
		var own []byte
		for k, p := range a.Parts {
			if p.Domain == domain {
				own = ghosts[k]
			}
		}
		for _, b := range a.Comm.Gather(own) {
			for ; len(b) > 0; b = b[8:] {
				row := int64(binary.LittleEndian.Uint64(b))
				want[row] += copyOf(domain, row)
			}
		}
	}
	reverse := a.Halo.Reverse()
	for range 2 { // ghosts do not change
		y := slices.Clone(x)
		reverse.Add(y)
		for _, p := range a.Parts {
			if !slices.Equal(y[p.First():p.End()], want[p.Row:p.Row+int64(p.Own)]) {
				t.Errorf("domain %d: sums of copies differ", p.Domain)
			}
		}
	}
}
