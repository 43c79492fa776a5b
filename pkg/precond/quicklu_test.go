package precond

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// quickCases are small matrices whose rows of U have the same columns now and then, or always.
func quickCases(t *testing.T) map[string]*csr.Matrix {
	r := rand.New(rand.NewPCG(3, 5))
	cases := map[string]*csr.Matrix{"grid": laplace(t, 20), "shuffled grid": shuffle(laplace(t, 20), r)}
	for _, n := range []int{1, 2, 3, 4, 5, 8, 9, 40} {
		cases["dense "+string(rune('0'+n%10))] = testsupport.Entries(n, func(add func(i, j int, v float64)) {
			for i := range n {
				for j := range n {
					add(i, j, r.NormFloat64())
				}
			}
		})
	}
	for seed := range uint64(40) {
		cases["random "+string(rune('A'+seed))] = random0(5+int(7*seed), 3, seed)
	}
	return cases
}

// L U is the matrix of the plan with its columns in the order of the pivots, up to roundings, in either order.
func TestQuickFactors(t *testing.T) {
	following := 0
	for name, m := range quickCases(t) {
		s := newSetup(t.Context(), m, Options{}, nil)
		for _, diagonal := range []bool{true, false} {
			p, err := s.quickPlan(diagonal)
			if err != nil {
				t.Fatal(err)
			}
			if p == nil {
				continue
			}
			p.most = 0
			f, columns, _, err := s.gilbertPeierls(p)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			n := m.Rows
			product, size := make(vector, n), make(vector, n)
			for i := range n {
				clear(product)
				clear(size)
				add := func(factor float64, k int) { // row k of D + U
					product[k] += factor * f.d[k]
					size[k] += math.Abs(factor * f.d[k])
					cols, vals := f.u.row(k)
					for e, j := range cols {
						product[j] += factor * vals[e]
						size[j] += math.Abs(factor * vals[e])
					}
				}
				add(1, i)
				cols, vals := f.l.row(i)
				for e, k := range cols {
					add(vals[e], int(k))
				}
				for k := range n {
					if got, want := product[k], p.a.At(i, int(columns[k])); math.Abs(got-want) > 1e-13*(size[k]+math.Abs(want)) {
						t.Fatalf("%s, diagonal %v: (L U)(%d,%d) is %g, want %g", name, diagonal, i, k, got, want)
					}
				}
				if i > 0 && len(cols) > 0 && int(cols[len(cols)-1]) == i-1 {
					following++
				}
			}
		}
	}
	if following == 0 {
		t.Error("no rows were eliminated one after the other")
	}
}

// Pivots that leave the diagonal end an order that is for pivots on it.
func TestQuickOrder(t *testing.T) {
	small, ones := generated(t, "convdiff2d", generate.Params{"n": 12}), laplace(t, 12)
	for e := range ones.Val {
		ones.Val[e] = 1
	}
	ones.Val[1] = 2 // not symmetric
	for said, m := range map[string]*csr.Matrix{"AMD": small, "A A^T": ones} {
		p := mustNew(t, LU, m, Options{}, nil)
		if !strings.Contains(p.String(), said) {
			t.Errorf("%v, want an order by %s", p, said)
		}
		x, b := make(vector, m.Rows), random(m.Rows, 3)
		p.Apply(x, b)
		if e := rowwise(m, x, b); !(e < 1e-12) {
			t.Errorf("%v: error %g", p, e)
		}
	}
}
