package solve

import (
	"fmt"

	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// attempt is a method with a preconditioner. Each but the first of a solve is the
// fallback of the one before.
type attempt struct {
	method method
	kind   precond.Kind
	last   bool // no other preconditioner comes after it
}

func (a *attempt) String() string {
	if a.kind == precond.None {
		return a.method.Name()
	}
	return fmt.Sprintf("%s with %s", a.method.Name(), a.kind)
}

// attempts are the methods and preconditioners that the rules of Auto and
// PrecondAuto allow, in the order in which they are tried.
func (s *Solver) attempts(space *linop.Host, kinds []precond.Kind) []*attempt {
	gmres := krylov.GMRESOptions{Restart: s.opt.Restart}
	if s.opt.Restart == 0 {
		gmres.MaxRestart = s.longestRestart()
	}
	if s.opt.CGS2 {
		gmres.Orthogonalization = krylov.CGS2
	}
	var list []*attempt
	with := func(m method, kinds ...precond.Kind) {
		for k, kind := range kinds {
			list = append(list, &attempt{method: m, kind: kind, last: k == len(kinds)-1})
		}
	}
	switch s.Method {
	case CG:
		with(krylov.NewCG[vector, scalar](space), kinds...)
		if s.opt.Method != CG {
			with(krylov.NewGMRES[vector, scalar](space, gmres), kinds[len(kinds)-1])
		}
	case MINRES:
		with(krylov.NewMINRES[vector, scalar](space), kinds...)
	case BiCGStab:
		with(krylov.NewBiCGStab[vector, scalar](space), kinds...)
	default:
		with(krylov.NewGMRES[vector, scalar](space, gmres), kinds...)
	}
	return list
}
