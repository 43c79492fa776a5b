package krylov

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// In exact arithmetic MINRES is GMRES for symmetric A.
func TestMINRESIsGMRES(t *testing.T) {
	for _, a := range []*csr.Matrix{grid(8, 0), shifted(grid(8, 0), -2.5), singularIndefinite(64, 0), band(30, 1, 0, 1)} {
		b := random(32, a.Rows)
		for steps := 1; steps <= 8; steps++ {
			x, y := make([]float64, len(b)), make([]float64, len(b))
			r := solveWith(t, "minres", a, x, b, hostOptions{Tol: 1e-6, MaxIter: steps})
			s := solveWith(t, "gmres full cgs2", a, y, b, hostOptions{Tol: 1e-6, MaxIter: steps})
			if d := distance(nil, difference(x, y)); d > 1e-9*distance(nil, y) || math.Abs(r.Residual-s.Residual) > 1e-12 {
				t.Errorf("%d steps: x differs by %g, residuals %g and %g", steps, d, r.Residual, s.Residual)
			}
		}
	}
}

// Symmetric indefinite systems, regular, and singular with b in the range: the
// solution is that of least norm, which a dense solver finds.
func TestMINRESAgainstDense(t *testing.T) {
	const n = 50
	for _, zeros := range []int{0, 1, 5} {
		a := singularIndefinite(n, zeros)
		b := make([]float64, n)
		a.MulVec(b, random(33, n))
		var svd mat.SVD
		var want mat.VecDense
		if !svd.Factorize(mat.DenseCopyOf(a), mat.SVDFull) {
			t.Fatal("no singular values")
		}
		svd.SolveVecTo(&want, mat.NewVecDense(n, b), n-zeros)
		x := make([]float64, n)
		r := solveWith(t, "minres", a, x, b, hostOptions{Tol: 1e-13})
		if d := distance(nil, difference(x, want.RawVector().Data)); r.Reason != Converged || d > 1e-11 {
			t.Errorf("%d zero eigenvalues: %v after %d iterations, error %g", zeros, r.Reason, r.Iterations, d)
		}
		checkHonest(t, r, trueResidual(t, a, x, b), 1e-13)
	}
}

// With b outside of the range and few eigenvalues, Lanczos' process ends with a
// singular T: x has the least residual that there is.
func TestMINRESStopsAtLeastSquares(t *testing.T) {
	for seed := range uint64(20) {
		a, b, x := singularIndefinite(30, 2), random(40+seed, 30), make([]float64, 30)
		r := solveWith(t, "minres", a, x, b, hostOptions{})
		res, ar := make([]float64, 30), make([]float64, 30)
		a.MulVec(res, x)
		res = difference(b, res)
		a.MulVec(ar, res)
		if r.Reason != Breakdown || distance(nil, ar) > 1e-11*distance(nil, res) {
			t.Errorf("seed %d: %v after %d iterations, A r = %g of %g", seed, r.Reason, r.Iterations, distance(nil, ar), distance(nil, res))
		}
	}
}
