package csr

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// fivePoints is the five-point stencil on k x k points, numbered along rows.
func fivePoints(tb testing.TB, k int) *Matrix {
	tb.Helper()
	return build(tb, k*k, k*k, func(add func(i, j int, v float64)) {
		for p := range k * k {
			for _, q := range []struct {
				at int
				ok bool
			}{{p - k, p >= k}, {p - 1, p%k > 0}, {p, true}, {p + 1, p%k < k-1}, {p + k, p < k*k-k}} {
				if q.ok {
					add(p, q.at, float64(1+p+3*q.at))
				}
			}
		}
	})
}

func shuffled(rng *rand.Rand, n int) Permutation {
	p := make(Permutation, n)
	for k, i := range rng.Perm(n) {
		p[k] = int32(i)
	}
	return p
}

// checkRCM demands a permutation, the same each time, that takes every component
// in one piece.
func checkRCM(t *testing.T, m *Matrix) Permutation {
	t.Helper()
	p, err := RCM(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Validate(); err != nil || len(p) != m.Rows {
		t.Fatalf("%d of %d rows: %v", len(p), m.Rows, err)
	}
	if again, _ := RCM(t.Context(), m); !slices.Equal(p, again) {
		t.Error("another order the second time")
	}
	component := components(m)
	var done []int
	for k, i := range p {
		c := component[i]
		if k == 0 || c != component[p[k-1]] {
			if slices.Contains(done, c) {
				t.Fatalf("component %d is in several pieces", c)
			}
			done = append(done, c)
		}
	}
	return p
}

// components numbers the connected components of A + A^T: the least row of each.
func components(m *Matrix) []int {
	c := make([]int, m.Rows)
	for i := range c {
		c[i] = i
	}
	for changed := true; changed; {
		changed = false
		m.DoNonZero(func(i, j int, _ float64) {
			if c[i] != c[j] {
				c[i], c[j] = min(c[i], c[j]), min(c[i], c[j])
				changed = true
			}
		})
	}
	return c
}

// checkPermuted demands P A P^T and P x entry by entry, and both taken back.
func checkPermuted(t *testing.T, m *Matrix, p Permutation) *Matrix {
	t.Helper()
	q := p.Inverse()
	got := m.Permuted(p, q, nil)
	if err := got.Validate(); err != nil {
		t.Fatal(err)
	}
	if got.NNZ() != m.NNZ() {
		t.Fatalf("%d entries of %d", got.NNZ(), m.NNZ())
	}
	m.DoNonZero(func(i, j int, v float64) {
		if w := got.At(int(q[i]), int(q[j])); math.Float64bits(w) != math.Float64bits(v) {
			t.Fatalf("entry (%d, %d) is %v, was %v", q[i], q[j], w, v)
		}
	})
	if back := got.Permuted(q, p, nil); m.Rows > 0 && !sameBits(back, m) {
		t.Error("the inverse does not take it back")
	}
	return got
}

func TestRCMRandomPatterns(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for k := range 300 {
		n := rng.IntN(40)
		a := randomDense(rng, n, n, []float64{0, 0.02, 0.05, 0.3, 1}[rng.IntN(5)], 10)
		if k%2 == 0 {
			symmetrise(a, 1)
		}
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			m := fromDense(t, a)
			checkPermuted(t, m, checkRCM(t, m))
			checkPermuted(t, m, shuffled(rng, n))
		})
	}
}

// Rows of up to 15000 entries, empty rows, many panels.
func TestRCMManyShapes(t *testing.T) {
	for name, m := range manyShapes(t) {
		if m.Rows != m.Cols {
			if _, err := RCM(t.Context(), m); err == nil {
				t.Errorf("%s: %d x %d was reordered", name, m.Rows, m.Cols)
			}
			continue
		}
		p, err := RCM(t.Context(), m)
		if err == nil {
			err = p.Validate()
		}
		if err != nil || len(p) != m.Rows {
			t.Fatalf("%s: %d of %d rows: %v", name, len(p), m.Rows, err)
		}
		checkPermuted(t, m, p)
	}
}

func TestRCMSmall(t *testing.T) {
	for _, c := range []struct {
		name string
		m    *Matrix
		want Permutation
	}{
		{"0 x 0", &Matrix{}, nil},
		{"1 x 1", fromDense(t, [][]float64{{3}}), Permutation{0}},
		{"empty", fromDense(t, [][]float64{{0, 0}, {0, 0}}), Permutation{0, 1}},
		{"path 0-2-1", fromDense(t, [][]float64{{0, 0, 1}, {0, 0, 1}, {1, 1, 0}}), Permutation{0, 2, 1}},
		{"path, one way", fromDense(t, [][]float64{{0, 0, 1}, {0, 0, 0}, {0, 1, 0}}), Permutation{0, 2, 1}},
		{"two pieces", fromDense(t, [][]float64{{1, 0, 1, 0}, {0, 1, 0, 0}, {1, 0, 1, 0}, {0, 0, 0, 0}}), Permutation{0, 2, 1, 3}},
	} {
		if p := checkRCM(t, c.m); !slices.Equal(p, c.want) {
			t.Errorf("%s: %v, want %v", c.name, p, c.want)
		}
	}
}

// A shuffled grid gets about the bandwidth of its natural order back.
func TestRCMGrid(t *testing.T) {
	const k = 60
	m := fivePoints(t, k)
	if b, profile := envelope(m); b != k || profile != (k*k-k)*k+k-1 {
		t.Fatalf("natural bandwidth %d, profile %d", b, profile)
	}
	rng := rand.New(rand.NewPCG(23, 24))
	for range 5 {
		p := shuffled(rng, m.Rows)
		s := m.Permuted(p, p.Inverse(), nil)
		before, profileBefore := envelope(s)
		p = checkRCM(t, s)
		after, profile := envelope(s.Permuted(p, p.Inverse(), nil))
		if before < k*k/2 || after > k+k/4 || profile > profileBefore/10 {
			t.Errorf("bandwidth %d -> %d, profile %d -> %d; the natural one is %d", before, after, profileBefore, profile, k)
		}
	}
}

func TestPermutationValidate(t *testing.T) {
	for _, p := range []Permutation{nil, {}, {0}, {2, 0, 1}} {
		if err := p.Validate(); err != nil {
			t.Errorf("%v: %v", p, err)
		}
	}
	for _, p := range []Permutation{{1}, {-1}, {0, 0}, {0, 2}, {1, 2, 1}} {
		if p.Validate() == nil {
			t.Errorf("%v passes", p)
		}
	}
}

// FuzzRCM reads entries of a matrix of up to 255 rows off the data.
func FuzzRCM(f *testing.F) {
	f.Add(uint8(0), []byte{})
	f.Add(uint8(5), []byte{0, 1, 1, 2, 4, 4})
	f.Add(uint8(200), []byte("abcdefghijklmnopqrstuvwxyzaabbzz"))
	f.Fuzz(func(t *testing.T, n uint8, data []byte) {
		m := build(t, int(n), int(n), func(add func(i, j int, v float64)) {
			for ; n > 0 && len(data) >= 2; data = data[2:] {
				add(int(data[0]%n), int(data[1]%n), float64(1+len(data)))
			}
		})
		checkPermuted(t, m, checkRCM(t, m))
	})
}
