package krylov

import (
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// TestReplaces: conjugate gradients go on from a residual that is recomputed and scaled, so that
// a solve in two parts takes the iterations of one, and not those of a restart.
func TestReplaces(t *testing.T) {
	pool := newPool(t, 1)
	m := testsupport.Grid(60, 0, 0)
	space, a := linop.NewHost(m.Rows, pool), linop.NewCSR(m, pool)
	b := space.New()
	for i := range b {
		b[i] = float64(i%7) - 2
	}
	const tol, half, scale = 1e-10, 1e-3, 8
	whole := func(tol float64) (x []float64, m *cg[[]float64, linop.Float64], iterations int) {
		m, x = NewCG(space).(*cg[[]float64, linop.Float64]), space.New()
		r := m.Solve(t.Context(), a, x, b, Options[[]float64]{Tol: tol})
		if r.Reason != Converged {
			t.Fatal(r)
		}
		return x, m, r.Iterations
	}
	_, _, want := whole(tol)
	second := func(replaces float64) int {
		x, m, first := whole(half)
		r, d := space.New(), space.New()
		a.Residual(r, b, x)
		space.Scale(scale, r)
		result := m.Solve(t.Context(), a, d, r, Options[[]float64]{Tol: tol / half, Replaces: replaces})
		if result.Reason != Converged {
			t.Fatal(result)
		}
		space.Axpy(1./scale, d, x)
		if a.Residual(r, b, x); norm(space.Dot(r, r)) > 2*tol*norm(space.Dot(b, b)) {
			t.Errorf("replaces %g: the sum of both parts does not solve the system", replaces)
		}
		return first + result.Iterations
	}
	kept, anew, far := second(scale), second(0), second(scale/100.)
	if kept > want+want/20 {
		t.Errorf("%d iterations in two parts, %d in one", kept, want)
	}
	if anew < want+want/10 || far != anew {
		t.Errorf("%d iterations with a restart, %d from a residual far from the last, %d in one part", anew, far, want)
	}
}
