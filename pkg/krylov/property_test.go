package krylov

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// classes make matrices of a random one that has about three nonzeros a row.
var classes = []struct {
	name   string
	make   func(rng *rand.Rand, a *mat.Dense)
	solved []string // methods that must solve all of them
}{
	{"spd", func(_ *rand.Rand, a *mat.Dense) { // I + A Aᵀ
		a.Mul(a, mat.DenseCopyOf(a.T()))
		addDiagonal(a, func(int) float64 { return 1 })
	}, []string{"cg", "bicgstab", "minres", "gmres full", "gmres full cgs2", "gmres growing", "cgs", "bicg", "idr", "tfqmr", "lsqr"}},
	{"dominant", func(_ *rand.Rand, a *mat.Dense) {
		addDiagonal(a, func(i int) float64 { return 0.1 + 2.1*mat.Norm(a.RowView(i), 1) })
	}, []string{"bicgstab", "gmres 5", "gmres 40", "gmres full", "gmres 5 cgs2", "gmres full cgs2", "gmres growing", "cgs", "bicg", "idr", "tfqmr", "lsqr"}},
	{"general", func(rng *rand.Rand, a *mat.Dense) {
		addDiagonal(a, func(int) float64 { return rng.NormFloat64() })
	}, nil},
}

func addDiagonal(a *mat.Dense, d func(i int) float64) {
	for i := range a.RawMatrix().Rows {
		a.Set(i, i, a.At(i, i)+d(i))
	}
}

// Converged means solved, for every method on matrices of any kind; methods
// solve what their theory promises.
func TestConvergedMeansSolved(t *testing.T) {
	const tol = 1e-8
	for _, f := range classes {
		converged := 0
		for seed := range uint64(60) {
			rng := rand.New(rand.NewPCG(seed, 5))
			n := 1 + rng.IntN(60)
			full := mat.NewDense(n, n, nil)
			full.Apply(func(_, _ int, _ float64) float64 {
				if rng.IntN(n) >= 3 {
					return 0
				}
				return rng.NormFloat64()
			}, full)
			f.make(rng, full)
			a := fromMat(full)
			b := random(seed, n)
			for _, m := range methods {
				x := make([]float64, n)
				r := solveWith(t, m.name, a, x, b, hostOptions{Tol: tol, MaxIter: 2000})
				res := trueResidual(t, a, x, b)
				if r.Reason.Converged() && !(res <= 10*tol) {
					t.Errorf("%s, seed %d, n = %d, %s: %v with residual %g", f.name, seed, n, m.name, r.Reason, res)
				}
				if r.Reason.Converged() {
					converged++
					continue
				}
				if slices.Contains(f.solved, m.name) {
					t.Errorf("%s, seed %d, n = %d, %s: %v", f.name, seed, n, m.name, r.Reason)
				}
			}
		}
		if converged < 60 {
			t.Errorf("%s: only %d solves converged; the test shows little", f.name, converged)
		}
	}
}
