package choice

import (
	"cmp"
	"math"

	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Alternatives returns for each probe run what the first fallback after it that is none, or relaxed ILU(0) that is expected to win, is
// expected to take.
func (s *System) Alternatives(rungs []Fallback) []float64 {
	shape, nodes := s.Shape(), s.HasNodes()
	work, next := make([]float64, len(rungs)), math.Inf(1)
	for k := len(rungs) - 1; k >= 0; k-- {
		work[k] = next
		switch r := rungs[k]; {
		case r.ProbeRun && r.Kind == precond.ILU0 && s.largeSwept():
			next = min(next, rules.SweptWork*float64(s.Nonzeros()))
		case r.ProbeRun, r.Early() && s.Refused(shape):
		case r.Early():
			next = rules.EarlyWork[r.Kind] * float64(s.Nonzeros())
		case r.Kind == precond.AMG && nodes:
			next = rules.NodesWork * float64(s.Nonzeros())
		default:
			next = cmp.Or(rules.AlternativeWork[r.Kind][shape], rules.Unexpected) * float64(s.Nonzeros())
		}
	}
	return work
}

// withoutIdle returns the fallbacks without a first one that is a probe run and that the matrix shows to be idle.
func (s *System) withoutIdle(rungs []Fallback) []Fallback {
	if len(rungs) == 0 || !rungs[0].ProbeRun {
		return rungs
	}
	n, nnz := float64(s.Rows()), float64(s.Nonzeros())
	if s.LeastIterations()*IterationWork(solve.CG, precond.Jacobi, n, nnz, n) > s.Alternatives(rungs)[0] {
		return rungs[1:]
	}
	return rungs
}

// fewSweeps reports whether BiCGStab with relaxed ILU(0) is expected to take less than multigrid: with
// some convection, on a mesh in space of up to some 70 points along an edge.
func (s *System) fewSweeps() bool {
	n, nnz := float64(s.Rows()), float64(s.Nonzeros())
	work := rules.SweepRoot * math.Sqrt(math.Cbrt(n)) * IterationWork(solve.BiCGStab, precond.ILU0, n, nnz, nnz)
	return s.Shape() == features.Spatial && s.Direction() > rules.LeastDirection && work <= rules.SweptWork*nnz
}
