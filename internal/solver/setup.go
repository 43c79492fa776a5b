package solver

import (
	"context"
	"errors"

	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/checkpoint"
	"github.com/mpsolve/mpsolve/internal/solver/options"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/solver/special"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// setUp examines the matrix, makes the choices and builds the refinement.
func (s *Solver) setUp(ctx context.Context) error {
	err := s.until(ctx, func() error {
		s.Facts = csr.Examine(s.M, s.Pool)
		return options.Solvable(s.Facts)
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
	s.Scaled.Transposes, s.Scaled.Symmetric = options.Transposes(s.Method), s.KeepsSymmetry()
	return s.build(ctx)
}

// until runs a function on the pool of threads, whose loops the end of the context interrupts with the context's error.
func (s *Solver) until(ctx context.Context, run func() error) (err error) {
	pool := s.Pool
	defer func() { s.Pool = pool }()
	defer ended(ctx, &err)
	s.Pool = pool.Until(ctx)
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
		if s.Opt.Vectors.Kind == solve.VectorsDD {
			s.Say("vectors double-double: requested; what the verdict judges is x rounded to float64")
			return refineAt(ctx, s, backend.NewHostDD(at))
		}
		return refineAt(ctx, s, at)
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
