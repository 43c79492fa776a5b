package gpu

import (
	"context"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// generated is a matrix of pkg/generate.
func generated(t testing.TB, kind string, p generate.Params) *csr.Matrix {
	t.Helper()
	m, err := generate.Generate(kind, p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestSolve(t *testing.T) { eachDevice(t, testSolve) }

func testSolve(t *testing.T, d *Device) {
	m := generated(t, "poisson2d", generate.Params{"n": 30})
	space := NewSpace(d, m.Rows)
	defer space.Close()
	a, err := NewCSR(d, m)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	b := make([]float64, m.Rows)
	for i := range b {
		b[i] = 1 / float64(i+1)
	}
	for _, method := range []krylov.Method[*Vector, Scalar]{
		krylov.NewCG[*Vector, Scalar](space),
		krylov.NewBiCGStab[*Vector, Scalar](space),
		krylov.NewMINRES[*Vector, Scalar](space),
		krylov.NewGMRES[*Vector, Scalar](space, krylov.GMRESOptions{}),
		krylov.NewGMRES[*Vector, Scalar](space, krylov.GMRESOptions{Orthogonalization: krylov.CGS2}),
	} {
		x, rhs := space.New(), space.New()
		space.Upload(rhs, b)
		r := method.Solve(context.Background(), a, x, rhs, krylov.Options[*Vector]{})
		if err := d.Err(); err != nil {
			t.Fatal(err)
		}
		got := make([]float64, m.Rows)
		space.Download(got, x)
		res := make([]float64, m.Rows)
		pool := linop.NewPool(1)
		host := linop.NewCSR(m, pool)
		host.Residual(res, b, got)
		h := linop.NewHost(m.Rows, pool)
		norm := h.Dot(res, res).Sqrt() / h.Dot(b, b).Sqrt()
		t.Logf("%s: %+v, residual %g", method.Name(), r, norm)
		if r.Reason != krylov.Converged || !(norm <= 2e-10) {
			t.Errorf("%s: %+v, residual %g", method.Name(), r, norm)
		}
		pool.Close()
	}
}
