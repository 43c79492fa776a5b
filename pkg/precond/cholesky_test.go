package precond

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Symmetric factorisations solve, whatever the structure, and have as many entries as was
// said before.
func TestCholeskySolves(t *testing.T) {
	problems := positive(t)
	delete(problems, "none")
	problems["arrow"] = hostile(t, 3000)["arrow"]
	problems["grid"] = laplace(t, 50)
	for seed := range uint64(30) {
		problems[fmt.Sprintf("random %d", seed)] = randomSparse(t, 3+7*int(seed), 1+float64(seed%5), true, seed)
	}
	for name, m := range problems {
		for _, kind := range []Kind{Cholesky, LDL} {
			opt := Options{Symmetric: true, Epsilon: adaptive.MinEpsilon}
			w, err := estimate(t.Context(), kind, m, opt, nil)
			if err != nil {
				t.Fatal(err)
			}
			p := mustNew(t, kind, m, opt, nil)
			if got := p.Cost().Values - int64(m.Rows); got != w.Entries && (got > w.Entries || m.Rows < 17) {
				t.Errorf("%s of %s: %d entries, estimated %d", kind, name, got, w.Entries)
			}
			b := random(m.Rows, 3)
			if e := rowwise(m, refined(m, p, b), b); !(e < 1e-14) {
				t.Errorf("%s of %s: error %g", kind, name, e)
			}
		}
	}
}

// With LDL, MINRES takes two steps on quasi-definite matrices, and few where a pivot had to be
// replaced.
func TestLDLIndefinite(t *testing.T) {
	for name, c := range map[string]struct {
		m     *csr.Matrix
		steps int
	}{
		"quasi-definite": {quasiDefinite(300, 150, 1), 3},
		"saddle point":   {hostile(t, 300)["saddle point"], 100},
	} {
		p, said := logged(t, LDL, c.m, Options{Symmetric: true, Epsilon: adaptive.MinEpsilon})
		if !strings.Contains(p.String(), "negative pivots") {
			t.Errorf("%s: %v", name, p)
		}
		n := c.m.Rows
		x, b := make(vector, n), random(n, 5)
		minres, err := krylov.New("minres", linop.NewHost(n, nil), krylov.MethodOptions{})
		if err != nil {
			t.Fatal(err)
		}
		r := minres.Solve(t.Context(), linop.NewCSR(c.m, nil), x, b, krylov.Options[vector]{
			Tol: 1e-10, MaxIter: c.steps, Precond: p,
		})
		if !r.Reason.Converged() {
			t.Errorf("%s: %v after %d iterations, %s", name, r.Reason, r.Iterations, said)
		}
		t.Logf("%s: %d iterations, %s", name, r.Iterations, said)
	}
}

// Matrices that are not definite, by rounding errors or more, have no Cholesky factor.
func TestCholeskyIndefinite(t *testing.T) {
	neumann := laplace(t, 20)
	for i := range neumann.Rows {
		cols, vals := neumann.Row(i)
		sum := 0.0
		for e, j := range cols {
			if int(j) != i {
				sum -= vals[e]
			}
		}
		for e, j := range cols {
			if int(j) == i {
				vals[e] = sum - 0x1p-40
			}
		}
	}
	if _, err := New(t.Context(), Cholesky, neumann, Options{Symmetric: true}, nil); !errors.Is(err, ErrNotDefinite) {
		t.Errorf("%v", err)
	}
}
