package choice

import (
	"cmp"
	"math"

	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Alternatives returns for each fallback the work that the next alternative after it is expected to take, in multiplications. An
// alternative is a fallback that is no probe run, or relaxed ILU(0) where it is expected to win.
func (s *System) Alternatives(fallbacks []Fallback) []float64 {
	shape, nodes := s.Shape(), s.HasNodes()
	work, next := make([]float64, len(fallbacks)), math.Inf(1)
	for k := len(fallbacks) - 1; k >= 0; k-- {
		work[k] = next
		switch r := fallbacks[k]; {
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

// withoutIdle returns the fallbacks without the first if that is a probe run which is certain to take more than its alternative.
func (s *System) withoutIdle(fallbacks []Fallback) []Fallback {
	if len(fallbacks) == 0 || !fallbacks[0].ProbeRun {
		return fallbacks
	}
	n, nnz := float64(s.Rows()), float64(s.Nonzeros())
	if s.LeastIterations()*IterationWork(solve.CG, precond.Jacobi, n, nnz, n) > s.Alternatives(fallbacks)[0] {
		return fallbacks[1:]
	}
	return fallbacks
}

// fewSweeps reports whether BiCGStab with relaxed ILU(0) is expected to take less than multigrid: with
// some convection, on a mesh in space of up to some 70 points along an edge.
func (s *System) fewSweeps() bool {
	n, nnz := float64(s.Rows()), float64(s.Nonzeros())
	work := rules.SweepRoot * math.Sqrt(math.Cbrt(n)) * IterationWork(solve.BiCGStab, precond.ILU0, n, nnz, nnz)
	return s.Shape() == features.Spatial && s.Direction() > rules.LeastDirection && work <= rules.SweptWork*nnz
}
