package special

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

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
