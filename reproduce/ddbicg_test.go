package reproduce

import (
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

func ddMethodOf(t *testing.T, a *csr.Matrix) *ddMethod {
	t.Helper()
	pool := parallel.New(2)
	t.Cleanup(pool.Close)
	m := newDDMethod(input{matrix: a, pool: pool})
	m.a.Apply(m.b, ones(a.Rows))
	return m
}

// TestDDBiCGParts: exactly the vectors that the name lists have low parts, and all variants solve an easy system.
func TestDDBiCGParts(t *testing.T) {
	m := ddMethodOf(t, generated(t, "convdiff2d", generate.Params{"n": 24, "peclet": 0.5}))
	for vectors, want := range map[string][]bool{ // r, r*, x, p, p*
		"double": {false, false, false, false, false}, "p": {false, false, false, true, false}, "p*": {false, false, false, false, true},
		"p,p*": {false, false, false, true, true}, "dd": {true, true, true, true, true}, "dq:1e-1": {false, false, false, false, false},
	} {
		if reason, _ := m.solve(t.Context(), vectors, 5); reason != "iteration limit" {
			t.Errorf("%s: %s", vectors, reason)
		}
		for k, v := range []ddVector{m.r, m.rs, m.x, m.p, m.ps} {
			if has := slices.ContainsFunc(v.Lo, func(l float64) bool { return l != 0 }); has != want[k] {
				t.Errorf("%s: vector %d has low parts: %t", vectors, k, has)
			}
		}
		reason, _ := m.solve(t.Context(), vectors, 500)
		r := result{values: map[string]float64{}}
		m.describe(&r, 0)
		if reason != "converged" || r.values["converged"] != 1 {
			t.Errorf("%s: %s, %v", vectors, reason, r.values)
		}
		if len(r.series["residual"]) == 0 {
			t.Errorf("%s: no history", vectors)
		}
	}
}

// TestDDBiCGIterates: the first iterates equal those of the same formulas in plain loops.
func TestDDBiCGIterates(t *testing.T) {
	a := generated(t, "convdiff2d", generate.Params{"n": 6, "peclet": 2})
	m := ddMethodOf(t, a)
	at := a.Transpose(m.pool)
	n := a.Rows
	product := func(y, x []float64, transposed bool) []float64 {
		if transposed {
			at.MulVec(y, x)
		} else {
			a.MulVec(y, x)
		}
		return y
	}
	dot := func(x, y []float64) (s float64) {
		for i := range x {
			s += x[i] * y[i]
		}
		return s
	}
	x, b := make([]float64, n), make([]float64, n)
	product(b, ones(n), false)
	r, rs, p, ps := slices.Clone(b), slices.Clone(b), slices.Clone(b), slices.Clone(b)
	for range 4 {
		q, qs := product(make([]float64, n), p, false), product(make([]float64, n), ps, true)
		old := dot(rs, r)
		alpha := old / dot(ps, q)
		for i := range x {
			x[i] += alpha * p[i]
			r[i] -= alpha * q[i]
			rs[i] -= alpha * qs[i]
		}
		beta := dot(rs, r) / old
		for i := range x {
			p[i] = r[i] + beta*p[i]
			ps[i] = rs[i] + beta*ps[i]
		}
	}
	for _, vectors := range []string{"double", "p", "p*", "p,p*", "dd"} {
		m.solve(t.Context(), vectors, 4)
		for i := range x {
			if math.Abs(m.x.Hi[i]-x[i]) > 1e-13*math.Abs(x[i]) {
				t.Fatalf("%s: x[%d] = %.17g, want %.17g", vectors, i, m.x.Hi[i], x[i])
			}
		}
	}
}

// TestDDSwitch: stagnating residuals trigger the switch, others do not.
func TestDDSwitch(t *testing.T) {
	m := &ddMethod{}
	for range ddWindow - 1 {
		m.norms = append(m.norms, 3)
	}
	if v := m.deviation(); !math.IsInf(v, 1) {
		t.Errorf("deviation %g of too few", v)
	}
	m.norms = append(m.norms, 6)
	if v := m.deviation(); v != 1./ddWindow {
		t.Errorf("deviation %g", v)
	}
	// This right-hand side is out of reach: its part in a row of zeros remains.
	a := generated(t, "poisson2d", generate.Params{"n": 40})
	_, vals := a.Row(0)
	clear(vals)
	hard := ddMethodOf(t, a)
	hard.b[0] = 10
	_, switched := hard.solve(t.Context(), "dq:1e-1", 1000)
	if switched < ddWindow || hard.x.double || len(hard.norms) <= switched {
		t.Errorf("switched after %d of %d iterations", switched, len(hard.norms))
	}
}
