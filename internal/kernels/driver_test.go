package kernels

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/internal/guard"
)

// eachSet runs a test with every set that the processor has, portable Go first.
func eachSet(t *testing.T, test func(t *testing.T, k *Set)) {
	for _, k := range Sets() {
		t.Run(k.String(), func(t *testing.T) { test(t, k) })
	}
}

// arena is memory for the arguments of a call, each between its own guard pages.
type arena struct {
	t     *testing.T
	pages []guard.Memory
	used  int
	shift int // start of the arguments: so many elements after a guard page, or guard.AtEnd
}

func newPage(t testing.TB) guard.Memory { return guard.New(t, 1<<20) }

// newPages returns the memory of an arena for the duration of t.
func newPages(t testing.TB) (pages []guard.Memory) {
	for range 24 {
		pages = append(pages, newPage(t))
	}
	return pages
}

// put copies an argument into the arena.
func put[T any](a *arena, src []T) []T {
	if a.used == len(a.pages) {
		a.pages = append(a.pages, newPage(a.t))
	}
	a.used++
	return guard.Place(a.pages[a.used-1], a.shift, src)
}

// everywhere runs a call with every set, with its arguments (which it puts into the arena) at the end of a page and
// at every alignment from the start of a page on. The results must equal those of portable Go: bit for bit, or number
// i within tolerance[i].
func everywhere(a *arena, what string, tolerance []float64, call func(k *Set) []float64) {
	a.t.Helper()
	var want []float64
	for _, k := range Sets() {
		for a.shift = guard.AtEnd; a.shift < 8; a.shift++ {
			a.used = 0
			got := call(k)
			if want == nil {
				want = append([]float64{}, got...)
			}
			for i := range want {
				if got[i] == want[i] && math.Signbit(got[i]) == math.Signbit(want[i]) || got[i] != got[i] && want[i] != want[i] {
					continue
				}
				if tolerance == nil || !(math.Abs(got[i]-want[i]) <= tolerance[i]) {
					a.t.Fatalf("%s on %s, shift %d: number %d is %v, portable %v", what, k, a.shift, i, got[i], want[i])
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
func wide[T Value | int16 | int32 | int64 | uint8](x []T) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

func TestChoose(t *testing.T) {
	best := sets[len(sets)-1]
	for _, c := range []struct {
		name string
		want *Set
		bad  bool
	}{
		{"", best, false},
		{"portable", sets[0], false},
		{"avx2", Find("avx2").orBest(), false},
		{"avx512", best, false},
		{"neon", best, false},
		{"sse", best, true},
	} {
		got, err := choose(c.name)
		if got != c.want || (err != nil) != c.bad {
			t.Errorf("choose(%q) = %s, %v", c.name, got, err)
		}
	}
}

// orBest returns the set itself, or the best one if the processor does not have it.
func (k *Set) orBest() *Set {
	if k == nil {
		return sets[len(sets)-1]
	}
	return k
}
