package verify

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/parallel"
)

// Parts and what is unexplained in them, against their definitions.
func TestParts(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	rng := rand.New(rand.NewPCG(3, 4))
	several := 0
	for range 200 {
		n := 2 + rng.IntN(30)
		entries := map[[2]int]float64{}
		for i := range n {
			entries[[2]int{i, i}] = 1 + rng.Float64()
			if j := rng.IntN(n); rng.IntN(2) == 0 && (i+j)%3 == 0 {
				entries[[2]int{i, j}] = rng.NormFloat64()
			}
		}
		m, x, b := build(t, n, n, entries), make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], b[i] = rng.NormFloat64(), rng.NormFloat64()
		}
		part := make([]int, 2*n) // by relaxation: the least number of a row or column that can be reached
		for i := range part {
			part[i] = i
		}
		for changed := true; changed; {
			changed = false
			for p, v := range entries {
				if i, j := p[0], n+p[1]; v != 0 && part[i] != part[j] {
					part[i] = min(part[i], part[j])
					part[j], changed = part[i], true
				}
			}
		}
		sizes := make([]float64, 2*n)
		for j, v := range x {
			sizes[part[n+j]] = max(sizes[part[n+j]], math.Abs(v))
		}
		rows, columns := new(Known).PartSizes(m, x, pool)
		for i := range n {
			if rows[i] != sizes[part[i]] || columns[i] != sizes[part[n+i]] {
				t.Fatalf("the parts of row and column %d have %g and %g, want %g and %g", i, rows[i], columns[i], sizes[part[i]], sizes[part[n+i]])
			}
		}
		worst, largest := make([]float64, n), make([]float64, n)
		for i := range n {
			cols, vals := m.Row(i)
			r, sum := b[i], 0.0
			for k, j := range cols {
				r -= vals[k] * x[j]
				sum += math.Abs(vals[k])
			}
			worst[part[i]] = max(worst[part[i]], math.Abs(r)/sum)
			largest[part[i]] = max(largest[part[i]], math.Abs(b[i])/sum)
		}
		want, count := 0.0, 0
		for c, v := range worst {
			if largest[c] > 0 {
				want = max(want, v/largest[c])
				count++
			}
		}
		if count > 1 {
			several++
		}
		got, err := new(Known).Unexplained(m, x, b, pool)
		if err != nil || math.Abs(got-want) > 1e-12*want {
			t.Errorf("%g is unexplained, want %g (%v)", got, want, err)
		}
		s := newSystem(m, x, b, pool)
		k := s.newBlocks(pool) // each row and column alone
		k.measure()
		if got := k.parts().worst(); math.Abs(got-want) > 1e-12*want {
			t.Errorf("%g is unexplained in the worst part, want %g", got, want)
		}
	}
	if several < 50 {
		t.Errorf("%d systems of several parts", several)
	}
}

// What judging one x has shown of the matrix changes nothing about the next.
func TestKnownConcurrent(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	rng := rand.New(rand.NewPCG(5, 6))
	weighted := 0
	for range 50 {
		m, _, b := loose(t, rng, 20, 1e-8)
		var known Known
		for range 4 {
			x := make([]float64, m.Cols)
			for j := range x {
				x[j] = math.Ldexp(rng.NormFloat64(), rng.IntN(60))
			}
			for _, tol := range []float64{1e-8, 1} {
				got, err := known.Judge(m, x, b, tol, pool)
				want, wantErr := Judge(m, x, b, tol, nil)
				if err != nil || wantErr != nil || !reflect.DeepEqual(got, want) {
					t.Fatalf("%+v, by itself %+v", got, want)
				}
				if got.Weights != nil {
					weighted++
				}
			}
			rows, columns := known.PartSizes(m, x, pool)
			if r, c := new(Known).PartSizes(m, x, nil); !slices.Equal(rows, r) || !slices.Equal(columns, c) {
				t.Fatal("sizes of parts differ")
			}
			got, _ := known.Unexplained(m, x, b, pool)
			if want, _ := new(Known).Unexplained(m, x, b, nil); got != want {
				t.Fatalf("unexplained %g, by itself %g", got, want)
			}
		}
	}
	if weighted == 0 {
		t.Error("no judgement came as far as parts")
	}
}
