package choice

import (
	"cmp"
	"slices"

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
