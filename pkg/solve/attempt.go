package solve

import (
	"fmt"

	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// attempt is a method with a preconditioner. Each but the first of a solve is the
// fallback of the one before.
type attempt[V any, S linop.Scalar[S]] struct {
	method krylov.Method[V, S]
	candidate
	last bool // no other preconditioner comes after it
}

// candidate is a preconditioner that may be tried.
type candidate struct {
	kind    precond.Kind
	dropTol float64 // unless the options have one; 0: the default
}

func (c candidate) String() string {
	if c.dropTol == 0 {
		return string(c.kind)
	}
	return fmt.Sprintf("%s, drop %.0e", c.kind, c.dropTol)
}

func (a *attempt[V, S]) String() string {
	if a.kind == precond.None {
		return a.method.Name()
	}
	return fmt.Sprintf("%s with %s", a.method.Name(), a.candidate)
}

// attempts are the methods and preconditioners that the rules of Auto and
// PrecondAuto allow, in the order in which they are tried.
func attempts[V any, S linop.Scalar[S]](s *Solver, space linop.Space[V, S], candidates []candidate) []*attempt[V, S] {
	gmres := krylov.GMRESOptions{Restart: s.opt.Restart}
	if s.opt.Restart == 0 {
		gmres.MaxRestart = s.longestRestart()
	}
	if s.opt.CGS2 {
		gmres.Orthogonalization = krylov.CGS2
	}
	var list []*attempt[V, S]
	with := func(m krylov.Method[V, S], candidates ...candidate) {
		for k, c := range candidates {
			list = append(list, &attempt[V, S]{m, c, k == len(candidates)-1})
		}
	}
	switch s.Method {
	case CG:
		with(krylov.NewCG(space), candidates...)
		if s.opt.Method != CG {
			with(krylov.NewGMRES(space, gmres), candidates[len(candidates)-1])
		}
	case MINRES:
		with(krylov.NewMINRES(space), candidates...)
	case BiCGStab:
		with(krylov.NewBiCGStab(space), candidates...)
	default:
		with(krylov.NewGMRES(space, gmres), candidates...)
	}
	return list
}
