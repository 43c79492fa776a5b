package precond

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// bestProduct is the largest sum of log|a| over all permutations, -Inf if every
// one meets a zero.
func bestProduct(a [][]float64, col int, used uint) float64 {
	if col == len(a) {
		return 0
	}
	best := math.Inf(-1)
	for i := range a {
		if v := a[i][col]; used>>i&1 == 0 && v != 0 {
			best = max(best, math.Log2(math.Abs(v))+bestProduct(a, col+1, used|1<<i))
		}
	}
	return best
}

// Small matrices are matched as well as by trying all permutations, and scaled to
// ones on the diagonal and less elsewhere, up to rounding to powers of two.
func TestTransversal(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	singular := 0
	for range 2000 {
		n := 1 + r.IntN(6)
		a := make([][]float64, n)
		m := sparse(t, n, func(add func(i, j int, v float64)) {
			for i := range a {
				a[i] = make([]float64, n)
				for j := range n {
					if r.IntN(2) == 0 {
						a[i][j] = math.Ldexp(r.NormFloat64(), r.IntN(40)-20)
						add(i, j, a[i][j])
					}
				}
			}
		})
		want := bestProduct(a, 0, 0)
		if _, err := weakRows(m); err != nil {
			continue // an empty row or column
		}
		p, s, err := transversal(t.Context(), m, nil)
		if math.IsInf(want, -1) {
			singular++
			if !errors.Is(err, ErrSingular) {
				t.Fatalf("singular %v: %v", a, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%v: %v", a, err)
		}
		if err := csr.Permutation(p).Validate(); err != nil {
			t.Fatal(err)
		}
		got := 0.0
		for j, i := range p {
			got += math.Log2(math.Abs(a[i][j]))
			if d := math.Abs(math.Ldexp(a[i][j], s.Row[i]+s.Col[j])); !(d >= 0.5-1e-9 && d <= 2+1e-9) {
				t.Errorf("matched entry scaled to %g", d)
			}
			for k := range n {
				if v := math.Abs(math.Ldexp(a[k][j], s.Row[k]+s.Col[j])); v > 2+1e-9 {
					t.Errorf("entry scaled to %g", v)
				}
			}
		}
		if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
			t.Fatalf("%v: product 2^%g, the largest is 2^%g", a, got, want)
		}
	}
	if singular == 0 {
		t.Error("no singular matrix")
	}
}

// Paths without lengths find a permutation, too, or that there is none.
func TestTransversalAnyPath(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	singular := 0
	for seed := range uint64(300) {
		n := 1 + r.IntN(12)
		a := make([][]float64, n)
		m := sparse(t, n, func(add func(i, j int, v float64)) {
			for i := range a {
				a[i] = make([]float64, n)
				for j := range n {
					if r.IntN(n) < 2 {
						a[i][j] = 1
						add(i, j, 1)
					}
				}
			}
		})
		if seed == 0 {
			m = randomSparse(t, 500, 3, false, 1)
		}
		s := newMatcher(t.Context(), m, nil)
		err := s.anyPaths()
		if errors.Is(err, ErrSingular) {
			singular++
			if n <= 8 && !math.IsInf(bestProduct(a, 0, 0), -1) {
				t.Fatalf("no path in %v", a)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := csr.Permutation(s.rowOf).Validate(); err != nil {
			t.Fatal(err)
		}
		for j, i := range s.rowOf {
			if m.At(int(i), j) == 0 {
				t.Fatalf("column %d is matched with row %d, which has no entry there", j, i)
			}
		}
	}
	if singular == 0 || singular == 300 {
		t.Errorf("%d of 300 are singular", singular)
	}
}

// Where shortest paths take too long, any paths follow; the work is bounded in both.
func TestTransversalWork(t *testing.T) {
	m := hostile(t, 20000)["dense row and column"]
	s := newMatcher(t.Context(), m, nil)
	s.budget = 1
	if err := s.shortestPaths(); !errors.Is(err, ErrWork) {
		t.Errorf("a budget of nothing: %v", err)
	}
	for name, m := range hostile(t, 20000) {
		s := newMatcher(t.Context(), m, nil)
		s.budget = int64(pathWork * (m.NNZ() + m.Rows))
		err := s.shortestPaths()
		if err != nil && !errors.Is(err, ErrWork) || s.work > s.budget+2*workBetweenChecks {
			t.Errorf("%s: %v after %d operations, the limit is %d", name, err, s.work, s.budget)
		}
		before := s.work
		s.budget = before + int64(phaseWork*(m.NNZ()+m.Rows))
		if err := s.anyPaths(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		t.Logf("%s: %.1f and %.1f operations an entry", name, float64(before)/float64(m.NNZ()), float64(s.work-before)/float64(m.NNZ()))
	}
}
