package solve

import (
	"cmp"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// A Proposal is a method with a preconditioner that may suit a system.
type Proposal struct {
	Method  Method
	Precond Precond // its Kind and, where it is not the default, its DropTol and Fill
	Rung    bool    // the rules would come to it
	Seconds float64 // that it is expected to take by tables, roughly
}

// Proposals lists the methods and preconditioners that may suit the system within the options, the most promising
// first: those that the rules would come to, and others, by what they are expected to take. A matrix of a special kind has none.
//
// Where A is symmetric with a diagonal of one sign the methods are conjugate gradients; where it is symmetric, MINRES;
// and BiCGStab, GMRES and IDR(s) for any other.
func (s *Solver) Proposals() []Proposal {
	if n, singular := s.special.(*nullSpace); singular {
		return n.inner.Proposals()
	}
	if _, iterates := krylov.KindOf(string(s.Method)); !iterates || s.special != nil || s.job != nil {
		return nil
	}
	at := Speed{Bandwidth: s.productBandwidth(), Pass: hostPass}
	w, rungs := s.workload(), s.ladder()
	var list []Proposal
	add := func(r rung, listed bool) {
		p := Proposal{r.method, Precond{Kind: r.kind, DropTol: r.dropTol, Fill: r.fill}, listed, w.estimate(r, at, at).Seconds()}
		same := func(o Proposal) bool {
			return o.Method == p.Method && o.Precond.Kind == p.Precond.Kind && o.Precond.DropTol == p.Precond.DropTol
		}
		if !r.wide && !slices.ContainsFunc(list, same) {
			list = append(list, p)
		}
	}
	for _, r := range rungs {
		add(r, true)
	}
	for _, m := range s.rivalMethods() {
		for _, v := range s.rivalKinds(m) {
			add(rung{method: m, variant: v}, false)
		}
	}
	slices.SortStableFunc(list, func(a, b Proposal) int { return cmp.Compare(a.Seconds, b.Seconds) })
	return list
}

// rivalMethods are those that may be the fastest.
func (s *Solver) rivalMethods() []Method {
	switch {
	case s.opt.Method != Auto:
		return []Method{s.opt.Method}
	case s.Method == CG:
		return []Method{CG}
	case s.Facts.Symmetric:
		return []Method{GMRES, MINRES, BiCGStab}
	}
	return []Method{BiCGStab, GMRES, IDR}
}

// rivalKinds are the preconditioners that suit a method.
func (s *Solver) rivalKinds(m Method) (list []variant) {
	if kind := s.opt.Precond.Kind; kind != PrecondAuto {
		return []variant{{kind: kind}}
	}
	for _, d := range precond.Registry {
		suits := s.suits(d.Kind) && (d.Kind == precond.None || s.diagonal() || d.Kind == precond.LU || d.Kind == precond.ILUT)
		switch {
		case !suits, d.Symmetric && !s.symmetric():
		case m == CG && (d.Kind == precond.LU || d.Kind == precond.LDL || d.Kind == precond.ISAI || d.Kind == precond.ILU0 || d.Kind == precond.ILUT):
		case d.Definite && m != CG:
		case m == MINRES && d.Kind != precond.None && d.Kind != precond.Jacobi && d.Kind != precond.LDL:
		default:
			list = append(list, variant{kind: d.Kind})
			if d.Kind == precond.ICT || d.Kind == precond.ILUT {
				list = append(list, variant{kind: d.Kind, dropTol: 1e-2}, variant{kind: d.Kind, dropTol: 1e-3})
			}
		}
	}
	return list
}
