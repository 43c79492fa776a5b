package cli

import "testing"

func TestBar(t *testing.T) {
	for share, want := range map[float64]string{0: "0% |            |", 0.5: "50% |██████      |", 1: "99% |███████████ |", 7: "99% |███████████ |"} {
		if got := bar(share); got != want {
			t.Errorf("%v: %q, want %q", share, got, want)
		}
	}
}
