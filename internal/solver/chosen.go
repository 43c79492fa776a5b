package solver

import (
	"slices"

	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/solver/special"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Chosen is what a Result says before there is an x: Method, Vectors, Storage and what it stores, Precond and Attempts, which are those
// that New could not set up. A solve begins with that, and may go on with other rungs of Ladder.
func (s *Solver) Chosen() solve.Result {
	if s.special != nil {
		return s.special.Chosen()
	}
	used := s.Refiner.Usage()
	used.Attempts = slices.DeleteFunc(used.Attempts, func(a solve.Attempt) bool { return a.Reason == "" })
	return s.using(used)
}

// using is a Result as far as it is about what is in use.
func (s *Solver) using(u refine.Usage) solve.Result {
	return solve.Result{
		Work:    solve.Work{Method: u.Method, Block: u.Block, Attempts: u.Attempts},
		Vectors: s.Opt.Vectors,
		Precond: u.Precond,
		Stored:  solve.Stored{Storage: u.Stored.Storage, Formats: u.Stored.Formats(), Layout: u.Stored.Kind, Stats: u.Stored.Stats, Bytes: u.Stored.Bytes},
	}
}

// Ladder names the methods and preconditioners that a solve tries one after the other, as far as that is needed, from the one in use on; nil: there is but one way.
func (s *Solver) Ladder() (rungs []string) {
	if s.special != nil {
		return s.special.Fallbacks()
	}
	if f, yes := s.Refiner.(interface{ Fallbacks() []choice.Fallback }); yes {
		for _, r := range f.Fallbacks() {
			rungs = append(rungs, r.String())
		}
	}
	return rungs
}

// Memory forecasts what a solve of this matrix takes with each method that suits it, the one in use first.
func (s *Solver) Memory() []solve.MethodMemory {
	if s.special != nil {
		return s.special.Memory()
	}
	making := int64(-1)
	if p := s.Refiner.Usage().Precond; p.Kind != precond.None && p.Kind == s.Needed.Kind {
		making = s.Needed.Bytes
	}
	all := []solve.MethodMemory{s.methodMemory(s.Method, making)}
	for _, k := range krylov.Methods {
		m := solve.Method(k.Name)
		if m == s.Method || m == solve.LSQR || k.Symmetric && !s.Facts.Symmetric || k.Definite && s.Facts.DiagonalSign() == 0 || k.Transpose && s.Job != nil {
			continue
		}
		all = append(all, s.methodMemory(m, making))
	}
	return all
}

// methodMemory is the forecast for a method, with a preconditioner that takes so many bytes besides; -1: there is none.
func (s *Solver) methodMemory(m solve.Method, making int64) solve.MethodMemory {
	alone := *s
	alone.Method, alone.Opt.Precond = m, solve.Precond{Kind: precond.None}
	f := solve.MethodMemory{Method: m, Alone: alone.SolveBytes(), Basis: alone.BasisRoom(m)}
	if making >= 0 {
		with := *s
		with.Method = m
		f.Preconditioned, f.Basis = with.SolveBytes()+making, with.BasisRoom(m)
	}
	return f
}

// DeviceChoice returns what the choice of the place went by; nil: none was left open.
func (s *Solver) DeviceChoice() *solve.DeviceChoice { return s.Places }

// Proposals lists the methods and preconditioners that may suit the system within the options, the most promising
// first: those that the rules would come to, and others, by what they are expected to take. A matrix of a special kind has none.
//
// Where A is symmetric with a diagonal of one sign the methods are conjugate gradients; where it is symmetric, MINRES;
// and BiCGStab, GMRES and IDR(s) for any other.
func (s *Solver) Proposals() []solve.Proposal {
	if n, singular := s.special.(*special.NullSpace); singular {
		return n.Inner.(*Solver).Proposals()
	}
	if _, iterates := krylov.KindOf(string(s.Method)); !iterates || s.special != nil || s.Job != nil {
		return nil
	}
	return s.System.Proposals()
}
