package solver

import (
	"context"
	"errors"
	"slices"

	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/checkpoint"
	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/solver/special"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// setUp examines the matrix, makes the choices and builds the refinement.
func (s *Solver) setUp(ctx context.Context) error {
	err := s.until(ctx, func() error {
		s.Facts = csr.Examine(s.M, s.Pool)
		return rules.Solvable(s.Facts)
	})
	if err != nil {
		return err
	}
	if s.Opt.Examined(s.Facts); special.Recognise(&s.Problem, s.setUpOrdinary) {
		return nil
	}
	return s.setUpOrdinary(ctx)
}

// setUpOrdinary is setUp for a matrix of no special kind.
func (s *Solver) setUpOrdinary(ctx context.Context) error {
	s.Opt.Stage("choosing")
	s.Features.Ctx = ctx
	if err := s.until(ctx, func() error { return s.choose(ctx) }); err != nil {
		return err
	}
	s.Scaled.Pool = s.Pool
	s.Scaled.Transposes, s.Scaled.Symmetric = rules.Transposes(s.Method), s.KeepsSymmetry()
	return s.build(ctx)
}

// until runs a function on the pool of threads, whose loops the end of the context interrupts with the context's error. What keeps that pool does not
// depend on the context afterwards.
func (s *Solver) until(ctx context.Context, run func() error) (err error) {
	pool := s.Pool
	defer func() { s.Pool = pool }()
	defer ended(ctx, &err)
	s.Pool = pool.Until(ctx)
	defer s.Pool.Forever()
	return run()
}

// choose chooses method, device, order and scaling.
func (s *Solver) choose(ctx context.Context) error {
	s.ChooseMethod()
	if err := s.CheckTranspose(); err != nil {
		return err
	}
	if err := s.ChooseDevice(); err != nil {
		return err
	}
	if err := s.Reorder(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return errors.Join(s.ChooseScaling(), ctx.Err())
}

// build makes the refinement on the backend chosen.
func (s *Solver) build(ctx context.Context) (err error) {
	s.Opt.Stage("storing the matrix")
	switch d := s.Opt.Device; {
	case d != nil:
		var at *backend.Device
		if at, err = backend.NewDevice(s.M, d, s.Pool); err == nil {
			err = refineAt(ctx, s, at)
		}
	case s.backend != nil:
		return s.backend(ctx, s)
	default:
		defer ended(ctx, &err)
		pool := s.Pool.Until(ctx)
		s.Stored = pool.Forever
		at := backend.NewHost(s.M, pool).With(s.Opt.Storage.Kernels)
		at.Room, at.Layouts = s.StorageRoom(), s.Layouts
		return vectorsOf[s.Opt.Vectors.Kind].refine(ctx, s, at)
	}
	return err
}

// refineAt makes the refinement of s on a backend.
func refineAt[V any, S linop.Scalar[S]](ctx context.Context, s *Solver, at backend.Backend[V, S]) error {
	s.Resumes = s.recorder.Resuming()
	f, err := refine.New(ctx, &s.Problem, at)
	if err != nil {
		return err
	}
	checkpoint.Record(f, s.recorder)
	s.Refiner = f
	return nil
}

// ended is deferred by functions that use a pool of Until(ctx). If a loop was interrupted, it sets the error of the context.
func ended(ctx context.Context, err *error) {
	if r := recover(); r == parallel.ErrInterrupted {
		*err = ctx.Err()
	} else if r != nil {
		panic(r)
	}
}

// NewAt is New with a backend of the caller: at makes it for the matrix in the order chosen. NewAt treats every matrix as ordinary.
func NewAt[V any, S linop.Scalar[S]](ctx context.Context, m *csr.Matrix, opt solve.Options, at func(m *csr.Matrix, pool *parallel.Pool) backend.Backend[V, S]) (*Solver, error) {
	var with Solver
	with.Ordinary = true
	with.backend = func(ctx context.Context, s *Solver) error { return refineAt(ctx, s, at(s.M, s.Pool)) }
	return newWith(ctx, m, opt, with)
}

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
		Work:    solve.Work{Method: u.Method, Attempts: u.Attempts},
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
		f.Basis = min(with.BasisRoom(m), making) // half of what is left, see BasisRoom
		f.Preconditioned = with.SolveBytes() + making + f.Basis
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
