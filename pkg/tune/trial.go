package tune

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"time"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// A Trial is a setting and what came of it, in its fastest run.
type Trial struct {
	Setting

	// What it ended with.
	Method    string
	Precond   string // with its main parameters
	Precision string // of the stored matrix
	Layout    adaptive.Layout

	Iterations int
	SetUp      time.Duration // examining, scaling and storing the matrix, and preconditioners
	Solve      time.Duration // iterations and verification
	Total      time.Duration // without reading the matrix
	Error      float64       // the one that Options.Solve.Stop names, recomputed; 0: there is no x
	Runs       int
	Passes     bool
	Why        string // it does not pass

	epsilon float64 // of the stored matrix
}

// run solves with a setting, if there is time; without a run there was none. The error is that of the context, or of a system
// that cannot be solved.
func (s *search) run(ctx context.Context, at Setting) (t Trial, err error) {
	limit, last := s.limit()
	if limit <= 0 {
		s.missed = true
		return t, nil
	}
	if s.opt.Progress != nil {
		s.opt.Progress(Step{s.trials, at, time.Since(s.start)})
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	runtime.GC() // what others left is no part of its time
	t = Trial{Setting: at, Runs: 1}
	err = s.solve(limited, &t)
	var input *solve.InputError
	switch {
	case ctx.Err() != nil:
		return t, context.Cause(ctx)
	case limited.Err() != nil && last:
		t.Passes, t.Why, s.missed = false, "no time left", true
	case limited.Err() != nil:
		t.Passes, t.Why = false, "too slow"
	case errors.As(err, &input) && at == (Setting{}):
		return t, err
	case err != nil:
		t.Passes, t.Why = false, strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	return t, nil
}

// solve is a whole solve.
func (s *search) solve(ctx context.Context, t *Trial) error {
	start := time.Now()
	defer func() { t.SetUp = t.Total - t.Solve }()
	solver, err := solve.New(ctx, s.m, t.Setting.Apply(s.opt.Solve))
	if err != nil {
		t.Total = time.Since(start)
		return err
	}
	defer solver.Close()
	r, err := solver.Solve(ctx, s.b, nil)
	t.Total = time.Since(start)
	if err != nil {
		return err
	}
	if t.fill(r, s.opt.Solve.Stop); s.proposals == nil {
		s.facts, s.proposals = solver.Facts, solver.Proposals()
	}
	return nil
}

// fill takes over what a solve says of itself.
func (t *Trial) fill(r solve.Result, stop solve.Stop) {
	t.Method, t.Precond, t.Precision, t.Layout = r.Method, r.Precond.Text, r.Storage.String(), r.Layout
	t.epsilon, t.Iterations = r.Storage.Epsilon, r.Iterations
	t.Solve = r.Time.Total - (r.Time.Precond - r.Precond.Elapsed)
	switch stop {
	case solve.StopNW:
		t.Error = r.Errors.Normwise
	case solve.StopCW:
		t.Error = r.Errors.Componentwise
	case solve.StopRel:
		t.Error = r.Errors.RelativeResidual
	default:
		t.Error = r.Errors.Row
	}
	if t.Passes = r.Reason.Converged(); !t.Passes {
		t.Why = r.Reason.String()
	}
}

// again takes over another run of the same setting, whose fastest counts.
func (t *Trial) again(o Trial) {
	o.Runs += t.Runs
	if !t.Passes || o.Passes && o.Total < t.Total {
		*t = o
		return
	}
	t.Runs = o.Runs
}
