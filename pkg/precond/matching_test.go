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
		p, s, err := transversal(m)
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

// Paths without lengths find a permutation, too.
func TestTransversalAnyPath(t *testing.T) {
	m := randomSparse(t, 50, 3, false, 1)
	s := newMatcher(m)
	for j := range int32(m.Rows) {
		if !s.augment(j, true) {
			t.Fatal("no path")
		}
	}
	for j, i := range s.rowOf {
		if m.At(int(i), j) == 0 {
			t.Fatalf("column %d is matched with row %d, which has no entry there", j, i)
		}
	}
}
