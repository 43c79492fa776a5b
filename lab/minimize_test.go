package lab

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

func contains(set, want []int) bool {
	return !slices.ContainsFunc(want, func(i int) bool { return !slices.Contains(set, i) })
}

// TestMinimizeMonotone finds the one minimal set of a monotone predicate.
func TestMinimizeMonotone(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 20; n++ {
		for range 20 {
			var want []int
			for i := range n {
				if random.IntN(4) == 0 {
					want = append(want, i)
				}
			}
			calls, seen := 0, map[string]bool{}
			got, err := Minimize(n, func(set []int) (bool, error) {
				calls++
				if key := keyOf(n, set); seen[key] {
					t.Errorf("asked twice about %v", set)
				} else {
					seen[key] = true
				}
				return contains(set, want), nil
			})
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("of %d: %v (%v), want %v", n, got, err, want)
			}
			if most := n*n + 3*n + 1; calls > most {
				t.Errorf("of %d, for %v: %d calls, more than %d", n, want, calls, most)
			}
		}
	}
}

// TestMinimizeNotMonotone: for any predicate, no element of the result can be removed.
func TestMinimizeNotMonotone(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		n := 1 + random.IntN(9)
		table := make([]bool, 1<<n)
		for k := range table {
			table[k] = random.IntN(3) == 0
		}
		table[1<<n-1] = true
		at := func(set []int) bool {
			k := 0
			for _, i := range set {
				k |= 1 << i
			}
			return table[k]
		}
		got, err := Minimize(n, func(set []int) (bool, error) { return at(set), nil })
		if err != nil || !at(got) || !slices.IsSorted(got) {
			t.Fatalf("%v (%v) does not hold", got, err)
		}
		for k := range got {
			if len(got) > 1 && at(slices.Delete(slices.Clone(got), k, k+1)) {
				t.Fatalf("%v holds without %d as well", got, got[k])
			}
		}
	}
}

// TestMinimizeEnds: an error ends the search with the best set so far.
func TestMinimizeEnds(t *testing.T) {
	stop := errors.New("stop")
	calls := 0
	got, err := Minimize(8, func(set []int) (bool, error) {
		if calls++; calls > 3 {
			return false, stop
		}
		return contains(set, []int{1, 2}), nil
	})
	if !errors.Is(err, stop) || !contains(got, []int{1, 2}) || len(got) >= 8 {
		t.Errorf("%v, %v", got, err)
	}
}
