package choice

import (
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// IterationWork returns the number of multiplications of an iteration of a method, without the projections of GMRES, with a
// preconditioner of a kind that stores so many values.
func IterationWork(method solve.Method, kind precond.Kind, n, nnz, values float64) float64 {
	m, _ := krylov.KindOf(string(method))
	products := float64(m.Products)
	applied := values
	switch kind {
	case precond.Chebyshev: // multiplies with the matrix
		applied = rules.Smoothing * nnz
	case precond.AMG: // smooths on each level, and stores the coarse ones
		applied = rules.CycleProducts * (nnz + values)
	}
	return products*(nnz+applied) + rules.VectorWork*n
}
