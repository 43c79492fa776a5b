package choice

import (
	"slices"
	"testing"
)

// A preconditioner that wears out is replaced where that costs least in the long run, and never where each set-up costs more than it saves.
func TestCarriedNext(t *testing.T) {
	const setUp, usual = 100, 10
	for name, c := range map[string]struct {
		beyond func(stale int) int // iterations beyond the usual ones
		want   []int               // systems after which it is set up again
	}{
		"as it was": {func(int) int { return 0 }, nil},
		"fewer":     {func(int) int { return -3 }, nil},
		"a little":  {func(stale int) int { return min(stale, 1) * 90 }, nil},
		"much":      {func(stale int) int { return min(stale, 1) * 110 }, []int{2, 4, 6, 8, 10, 12}},
		"more and more": { // b k more at system k: best after about sqrt(2 setUp / b)
			func(stale int) int { return 8 * stale }, []int{6, 12},
		},
	} {
		var got []int
		carried := Carried{}
		for system := 1; system <= 12; system++ {
			stale := 0
			if carried.Usual > 0 {
				stale = carried.Stale + 1
			}
			for range 2 { // two right-hand sides, together
				carried.Solved(usual + c.beyond(stale)/2)
			}
			if !carried.Next(setUp, 1) {
				got, carried = append(got, system), Carried{}
			}
			carried.Solves, carried.Took = 0, 0
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: set up again after the systems %v, want %v", name, got, c.want)
		}
	}
}
