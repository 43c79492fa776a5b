package order

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// FuzzOrders makes a matrix of the ends of entries, and compares what is said of all orders with dense elimination.
func FuzzOrders(f *testing.F) {
	path, grid, star, twins := []byte{}, []byte{}, []byte{}, []byte{}
	for v := range byte(63) {
		path = append(path, v, v+1)
		star = append(star, 0, v+1)
		twins = append(twins, v&^1, v+1, v&^1, v+2, v|1, v+2)
		grid = append(grid, v, v+1, v, v+8)
	}
	for _, ends := range [][]byte{nil, path, grid, star, twins, {1, 2, 2, 1, 3, 3}} {
		for _, n := range []uint8{1, 5, 41, 64} {
			f.Add(n, uint8(len(ends)), ends)
		}
	}
	f.Fuzz(func(t *testing.T, n, seed uint8, ends []byte) {
		rows := 1 + int(n)%64
		b, err := csr.NewBuilder(rows, rows)
		if err != nil {
			t.Fatal(err)
		}
		for k := 0; k+1 < min(len(ends), 1000); k += 2 {
			if err := b.Add(int(ends[k])%rows, int(ends[k+1])%rows, 1); err != nil {
				t.Fatal(err)
			}
		}
		m := b.Build()
		g := NewGraph(m, m.Transpose(nil))
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		random := make(csr.Permutation, rows)
		for k, v := range r.Perm(rows) {
			random[k] = int32(v)
		}
		counted(t, m, Count(g, random))
		amd, err := AMD(t.Context(), g, Limit{})
		if err != nil {
			t.Fatal(err)
		}
		counted(t, m, amd)
		leaf := 1 + int(seed)%8
		order, err := dissected(t.Context(), Compress(g), nil, leaf)
		if err != nil {
			t.Fatal(err)
		}
		counted(t, m, Count(g, order))
		if again, err := dissected(t.Context(), Compress(g), newPool(t, 1+int(seed)%3), leaf); err != nil || !slices.Equal(again, order) {
			t.Fatalf("%v and %v, %v", order, again, err)
		}
		whole := Compress(g).g
		if whole.vertices() > 0 {
			separates(t, whole, new(finder).separated(whole, evenly(whole.total())))
		}
		if _, err := RowAMD(t.Context(), m, Limit{}); err != nil {
			t.Fatal(err)
		}
	})
}
