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

// Chosen returns the part of a Result that is known before there is an x: Method, Vectors, Stored, Precond, and as Attempts the
// fallbacks that New could not set up. A solve begins with these choices and may go on with others of Fallbacks.
func (s *Solver) Chosen() solve.Result {
	if s.special != nil {
		return s.special.Chosen()
	}
	used := s.Refiner.Usage()
	used.Attempts = slices.DeleteFunc(used.Attempts, func(a solve.Attempt) bool { return a.Reason == "" })
	return s.using(used)
}

// using returns the part of a Result that describes the method, the preconditioner and the storage in use.
func (s *Solver) using(u refine.Usage) solve.Result {
	return solve.Result{
		Work:    solve.Work{Method: u.Method, Block: u.Block, Attempts: u.Attempts},
		Vectors: s.Opt.Vectors,
		Precond: u.Precond,
		Stored:  solve.Stored{Storage: u.Stored.Storage, Formats: u.Stored.Formats(), Layout: u.Stored.Kind, Stats: u.Stored.Stats, Bytes: u.Stored.Bytes},
	}
}

// Fallbacks names the methods and preconditioners that a solve tries one after the other as far as it needs them, from the one
// in use on; nil: there is only one.
func (s *Solver) Fallbacks() (fallbacks []string) {
	if s.special != nil {
		return s.special.Fallbacks()
	}
	if f, yes := s.Refiner.(interface{ Fallbacks() []choice.Fallback }); yes {
		for _, r := range f.Fallbacks() {
			fallbacks = append(fallbacks, r.String())
		}
	}
	return fallbacks
}

// Memory forecasts the memory of a solve with each method that suits the matrix, the method in use first.
func (s *Solver) Memory() []choice.MethodMemory {
	if s.special != nil {
		return s.special.Memory()
	}
	making := int64(-1)
	if p := s.Refiner.Usage().Precond; p.Kind != precond.None && p.Kind == s.Needed.Kind {
		making = s.Needed.Bytes
	}
	all := []choice.MethodMemory{s.methodMemory(s.Method, making)}
	for _, k := range krylov.Methods {
		m := solve.Method(k.Name)
		if m == s.Method || m == solve.LSQR || k.Symmetric && !s.Facts.Symmetric || k.Definite && s.Facts.DiagonalSign() == 0 || k.Transpose && s.Job != nil {
			continue
		}
		all = append(all, s.methodMemory(m, making))
	}
	return all
}

// methodMemory returns the forecast for a method with a preconditioner that takes making bytes; -1: there is none.
func (s *Solver) methodMemory(m solve.Method, making int64) choice.MethodMemory {
	alone := *s
	alone.Method, alone.Opt.Precond = m, solve.Precond{Kind: precond.None}
	f := choice.MethodMemory{Method: m, Alone: alone.SolveBytes(), Basis: alone.BasisRoom(m)}
	if making >= 0 {
		with := *s
		with.Method = m
		f.Preconditioned, f.Basis = with.SolveBytes()+making, with.BasisRoom(m)
	}
	return f
}

// DeviceChoice returns the estimates that decided between the host and a device; nil: the options left no choice.
func (s *Solver) DeviceChoice() *choice.DeviceChoice { return s.Compared }

// Proposals lists the methods and preconditioners that may suit the system within the options, in the order of the time that
// they are expected to take: the fallbacks of the rules, and others. A matrix of a special kind has none.
//
// The methods are conjugate gradients for a symmetric A with a diagonal of one sign, GMRES, MINRES and BiCGStab for any other
// symmetric A, and BiCGStab, GMRES and IDR(s) otherwise.
func (s *Solver) Proposals() []choice.Proposal {
	if n, singular := s.special.(*special.NullSpace); singular {
		return n.Inner.(*Solver).Proposals()
	}
	if _, iterates := krylov.KindOf(string(s.Method)); !iterates || s.special != nil || s.Job != nil {
		return nil
	}
	return s.System.Proposals()
}
