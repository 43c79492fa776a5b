package krylov

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// families make random matrices of dimension n.
var families = []struct {
	name   string
	make   func(rng *rand.Rand, n int) *csr.Matrix
	solved []string // methods that must solve all of them
}{
	{"spd", func(rng *rand.Rand, n int) *csr.Matrix { // I + B Bᵀ
		b := mat.NewDense(n, n, nil)
		b.Apply(func(_, _ int, _ float64) float64 { return sparse(rng, 3, n) }, b)
		var a mat.Dense
		a.Mul(b, b.T())
		for i := range n {
			a.Set(i, i, 1+a.At(i, i))
		}
		return fromMat(&a)
	}, []string{"cg", "bicgstab", "minres", "gmres full", "gmres full cgs2", "gmres growing"}},
	{"dominant", func(rng *rand.Rand, n int) *csr.Matrix {
		a := mat.NewDense(n, n, nil)
		for i := range n {
			sum := 0.0
			for j := range n {
				a.Set(i, j, sparse(rng, 5, n))
				sum += math.Abs(a.At(i, j))
			}
			a.Set(i, i, 1.1*sum+0.1)
		}
		return fromMat(a)
	}, []string{"bicgstab", "gmres 5", "gmres 40", "gmres full", "gmres 5 cgs2", "gmres full cgs2", "gmres growing"}},
	{"general", func(rng *rand.Rand, n int) *csr.Matrix {
		a := mat.NewDense(n, n, nil)
		a.Apply(func(i, j int, _ float64) float64 {
			if i == j {
				return rng.NormFloat64()
			}
			return sparse(rng, 6, n)
		}, a)
		return fromMat(a)
	}, nil},
}

// sparse is nonzero about `count` times out of n.
func sparse(rng *rand.Rand, count, n int) float64 {
	if rng.IntN(n) >= count {
		return 0
	}
	return rng.NormFloat64()
}

// Converged means solved, for every method on matrices of any kind; methods
// solve what their theory promises.
func TestConvergedMeansSolved(t *testing.T) {
	const tol = 1e-8
	for _, f := range families {
		converged := 0
		for seed := range uint64(60) {
			rng := rand.New(rand.NewPCG(seed, 5))
			n := 1 + rng.IntN(60)
			a := f.make(rng, n)
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
