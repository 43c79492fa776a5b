package solve

import (
	"slices"

	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// Chosen is what a Result says before there is an x: Method, Vectors, Storage and what it stores, Precond and Attempts, which are those
// that New could not set up. A solve begins with that, and may go on with other rungs of Ladder.
func (s *Solver) Chosen() Result {
	if s.special != nil {
		return s.special.chosen()
	}
	used := s.refiner.usage()
	used.attempts = slices.DeleteFunc(used.attempts, func(a Attempt) bool { return a.Reason == "" })
	return s.using(used)
}

// using is a Result as far as it is about what is in use.
func (s *Solver) using(u usage) Result {
	return Result{
		Method: u.method, Block: u.block, Vectors: s.opt.Vectors, Precond: u.precond, Attempts: u.attempts,
		Storage: u.stored.storage, Formats: u.stored.formats(), Layout: u.stored.kind, Stats: u.stored.stats, Bytes: u.stored.bytes,
	}
}

// Ladder names the methods and preconditioners that a solve tries one after the other, as far as that is needed, from the one in use on; nil: there is but one way.
func (s *Solver) Ladder() (rungs []string) {
	if s.special != nil {
		return s.special.ladder()
	}
	if f, yes := s.refiner.(interface{ ladder() []rung }); yes {
		for _, r := range f.ladder() {
			rungs = append(rungs, r.String())
		}
	}
	return rungs
}

func (f *refinement[V, S]) ladder() []rung {
	t := f.correction.attempts
	return t.rungs[max(0, t.state.Rung):]
}

// MethodMemory is what a solve with a method takes at least, in bytes, as Options.MaxMemory counts it, Options.Held included.
type MethodMemory struct {
	Method         Method
	Alone          int64 // without a preconditioner
	Preconditioned int64 // with the one in use, setting it up included; 0: there is none
	Basis          int64 // of either, by which the basis of gmres may grow
}

// Memory forecasts what a solve of this matrix takes with each method that suits it, the one in use first.
func (s *Solver) Memory() []MethodMemory {
	if s.special != nil {
		return s.special.memory()
	}
	making := int64(-1)
	if p := s.refiner.usage().precond; p.Kind != precond.None && p.Kind == s.needed.kind {
		making = s.needed.bytes
	}
	all := []MethodMemory{s.methodMemory(s.Method, making)}
	for _, k := range krylov.Methods {
		m := Method(k.Name)
		if m == s.Method || m == LSQR || k.Symmetric && !s.Facts.Symmetric || k.Definite && s.Facts.DiagonalSign() == 0 || k.Transpose && s.job != nil {
			continue
		}
		all = append(all, s.methodMemory(m, making))
	}
	return all
}

// methodMemory is the forecast for a method, with a preconditioner that takes so many bytes besides; -1: there is none.
func (s *Solver) methodMemory(m Method, making int64) MethodMemory {
	alone := *s
	alone.Method, alone.opt.Precond = m, Precond{Kind: precond.None}
	f := MethodMemory{Method: m, Alone: alone.memory(), Basis: alone.basisRoom(m)}
	if making >= 0 {
		with := *s
		with.Method = m
		f.Preconditioned, f.Basis = with.memory()+making, with.basisRoom(m)
	}
	return f
}
