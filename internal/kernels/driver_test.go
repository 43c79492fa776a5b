package kernels

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/guard"
)

// eachTier runs a test on every tier that the processor has, portable Go first.
func eachTier(t *testing.T, test func(t *testing.T)) {
	for _, tier := range Tiers() {
		t.Run(tier.String(), func(t *testing.T) {
			setActive(t, tier)
			test(t)
		})
	}
}

func setActive(t testing.TB, tier Tier) {
	before := active
	active = tier
	t.Cleanup(func() { active = before })
}

// arena is memory for the arguments of a call, each between guard pages of its own.
type arena struct {
	t     *testing.T
	pages []guard.Memory
	used  int
	shift int // where arguments begin: this many elements behind a guard page, or guard.AtEnd
}

// put copies an argument into the arena.
func put[T any](a *arena, src []T) []T {
	if a.used == len(a.pages) {
		a.pages = append(a.pages, guard.New(a.t, 1<<20))
	}
	a.used++
	return guard.Place(a.pages[a.used-1], a.shift, src)
}

// everywhere runs a call on every tier, with its arguments (which it puts into the
// arena) at the end of a page and at every alignment from the start of one on. The
// results must be those of portable Go: to the bit, or within tolerance[i] of number i.
func everywhere(a *arena, what string, tolerance []float64, call func() []float64) {
	a.t.Helper()
	before := active
	defer func() { active = before }()
	var want []float64
	for _, active = range Tiers() {
		for a.shift = guard.AtEnd; a.shift < 8; a.shift++ {
			a.used = 0
			got := call()
			if want == nil {
				want = append([]float64{}, got...)
			}
			for i := range want {
				if got[i] == want[i] && math.Signbit(got[i]) == math.Signbit(want[i]) || got[i] != got[i] && want[i] != want[i] {
					continue
				}
				if tolerance == nil || !(math.Abs(got[i]-want[i]) <= tolerance[i]) {
					a.t.Fatalf("%s on %s, shift %d: number %d is %v, portable %v", what, active, a.shift, i, got[i], want[i])
				}
			}
		}
	}
}

// normal returns n normally distributed numbers.
func normal[T Value](rng *rand.Rand, n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(rng.NormFloat64())
	}
	return x
}

// wide returns numbers as float64.
func wide[T Value | int64 | uint8](x []T) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

func TestChooseTier(t *testing.T) {
	processor := ProcessorTier()
	orHighest := func(tier Tier) Tier {
		if slices.Contains(Tiers(), tier) {
			return tier
		}
		return processor
	}
	for _, c := range []struct {
		name string
		want Tier
		bad  bool
	}{
		{"", processor, false},
		{"portable", Portable, false},
		{"avx2", orHighest(AVX2), false},
		{"avx512", orHighest(AVX512), false},
		{"sse", processor, true},
	} {
		got, err := choose(c.name)
		if got != c.want || (err != nil) != c.bad {
			t.Errorf("choose(%q) = %s, %v", c.name, got, err)
		}
	}
}
