package solve

import (
	"context"
	"errors"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// setUp looks at the matrix, chooses and builds.
func (s *Solver) setUp(ctx context.Context) error {
	err := s.until(ctx, func() error {
		s.Facts = csr.Examine(s.m, s.pool)
		return solvable(s.Facts)
	})
	if err != nil {
		return err
	}
	if s.opt.Examined(s.Facts); s.recognise() {
		return nil
	}
	return s.setUpOrdinary(ctx)
}

// setUpOrdinary chooses and builds for a matrix of no special kind.
func (s *Solver) setUpOrdinary(ctx context.Context) error {
	s.opt.Stage("choosing")
	s.looks.ctx = ctx
	if err := s.until(ctx, func() error { return s.choose(ctx) }); err != nil {
		return err
	}
	s.scaled.pool = s.pool
	s.scaled.transposes, s.scaled.symmetric = s.Method.transposes(), s.keepsSymmetry()
	return s.build(ctx)
}

// until runs what works on the pool, which ends with the context, with its error.
func (s *Solver) until(ctx context.Context, run func() error) (err error) {
	pool := s.pool
	defer func() { s.pool = pool }()
	defer ended(ctx, &err)
	s.pool = pool.Until(ctx)
	return run()
}

// choose chooses method, place, order and scaling.
func (s *Solver) choose(ctx context.Context) error {
	s.chooseMethod()
	if err := s.checkTranspose(); err != nil {
		return err
	}
	if err := s.chooseDevice(); err != nil {
		return err
	}
	if err := s.reorder(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return errors.Join(s.chooseScaling(), ctx.Err())
}

// build makes what solves, at the place chosen.
func (s *Solver) build(ctx context.Context) (err error) {
	s.opt.Stage("storing the matrix")
	switch d := s.opt.Device; {
	case d != nil:
		var at *device
		if at, err = newDevice(s.m, d, s.pool); err == nil {
			s.refiner, err = newRefinement(ctx, s, at)
		}
	case s.opt.samples != nil:
		s.refiner, err = newRefinement(ctx, s, s.opt.samples(s.m, s.pool))
	default:
		defer ended(ctx, &err)
		pool := s.pool.Until(ctx)
		s.stored = pool.Forever
		at := newHost(s.m, pool).with(s.opt.Storage.Kernels)
		at.room, at.layouts = s.storageRoom(), s.layouts
		if s.opt.Vectors.Kind == VectorsDD {
			s.say("vectors double-double: requested; what the verdict judges is x rounded to float64")
			s.refiner, err = newRefinement(ctx, s, newHostDD(at))
			break
		}
		s.refiner, err = newRefinement(ctx, s, at)
	}
	return err
}

// ended is deferred by what uses a pool of Until(ctx): if a loop was interrupted, the error is
// that of the context.
func ended(ctx context.Context, err *error) {
	if r := recover(); r == parallel.ErrInterrupted {
		*err = ctx.Err()
	} else if r != nil {
		panic(r)
	}
}
