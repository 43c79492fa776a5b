package choice

import (
	"cmp"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Proposals lists the methods and preconditioners that may suit the system, in the order of the time that they are expected to take.
func (s *System) Proposals() []Proposal {
	at := Speed{Bandwidth: s.ProductBandwidth(), Pass: rules.HostPass}
	w, fallbacks := s.Workload(), s.Fallbacks()
	var list []Proposal
	add := func(r Fallback, listed bool) {
		p := Proposal{
			Method: r.Method, Precond: solve.Precond{Kind: r.Kind, DropTol: r.DropTol, Fill: r.Fill}, Fallback: listed, Seconds: w.Estimate(r, at, at).Seconds(),
		}
		same := func(o Proposal) bool {
			return o.Method == p.Method && o.Precond.Kind == p.Precond.Kind && o.Precond.DropTol == p.Precond.DropTol
		}
		if !r.Wide && !slices.ContainsFunc(list, same) {
			list = append(list, p)
		}
	}
	for _, r := range fallbacks {
		add(r, true)
	}
	for _, m := range s.alternativeMethods() {
		for _, v := range s.alternativeKinds(m) {
			add(Fallback{Method: m, Variant: v}, false)
		}
	}
	slices.SortStableFunc(list, func(a, b Proposal) int { return cmp.Compare(a.Seconds, b.Seconds) })
	return list
}

// alternativeMethods returns the methods that may be the fastest.
func (s *System) alternativeMethods() []solve.Method {
	switch {
	case s.Opt.Method != solve.Auto:
		return []solve.Method{s.Opt.Method}
	case s.Method == solve.CG:
		return []solve.Method{solve.CG}
	case s.Facts.Symmetric:
		return []solve.Method{solve.GMRES, solve.MINRES, solve.BiCGStab}
	}
	return []solve.Method{solve.BiCGStab, solve.GMRES, solve.IDR}
}

// alternativeKinds returns the preconditioners that suit a method.
func (s *System) alternativeKinds(m solve.Method) (list []Variant) {
	if kind := s.Opt.Precond.Kind; kind != solve.PrecondAuto {
		return []Variant{{Kind: kind}}
	}
	for _, kind := range precond.Kinds() {
		d, _ := precond.Lookup(kind)
		suits := s.Suits(d.Kind) && (d.Kind == precond.None || s.Diagonal() || d.Kind == precond.LU || d.Kind == precond.ILUT)
		switch {
		case !suits, d.Symmetric && !s.symmetric():
		case m == solve.CG && (d.Kind == precond.LU || d.Kind == precond.LDL || d.Kind == precond.ISAI || d.Kind == precond.ILU0 || d.Kind == precond.ILUT):
		case d.Definite && m != solve.CG:
		case m == solve.MINRES && d.Kind != precond.None && d.Kind != precond.Jacobi && d.Kind != precond.LDL:
		default:
			list = append(list, Variant{Kind: d.Kind})
			if d.Kind == precond.ICT || d.Kind == precond.ILUT {
				list = append(list, Variant{Kind: d.Kind, DropTol: 1e-2}, Variant{Kind: d.Kind, DropTol: 1e-3})
			}
		}
	}
	return list
}

// A Proposal is a method with a preconditioner that may suit a system.
type Proposal struct {
	Method   solve.Method
	Precond  solve.Precond // its Kind and, where it is not the default, its DropTol and Fill
	Fallback bool          // it is a fallback of the rules
	Seconds  float64       // expected time by tables, roughly
}

// Alternatives returns for each fallback the work that the next alternative after it is expected to take, in multiplications. An
// alternative is a fallback that is no probe run, or relaxed ILU(0) where it is expected to win.
func (s *System) Alternatives(fallbacks []Fallback) []float64 {
	work, next := make([]float64, len(fallbacks)), math.Inf(1)
	for k := len(fallbacks) - 1; k >= 0; k-- {
		work[k] = next
		switch r := fallbacks[k]; {
		case r.ProbeRun && r.Kind == precond.ILU0 && s.largeSwept():
			next = min(next, rules.SweptWork*float64(s.Nonzeros()))
		case r.ProbeRun, r.Early() && s.Refused():
		case r.Early():
			next = rules.EarlyWork[r.Kind] * float64(s.Nonzeros())
		case r.Kind == precond.AMG && s.HasNodes():
			next = rules.NodesWork * float64(s.Nonzeros())
		default:
			next = cmp.Or(rules.AlternativeWork[r.Kind][s.Shape()], rules.Unexpected) * float64(s.Nonzeros())
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
