package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// A TuneTrial is a setting and the outcome of its fastest run.
type TuneTrial struct {
	Setting

	// What the solve ended with.
	Method    string
	Precond   string // with its drop tolerance, if it has one
	Precision string // of the stored matrix
	Layout    adaptive.Layout

	Iterations int
	SetUp      time.Duration // examining, scaling and storing the matrix, and preconditioners
	Solve      time.Duration // iterations and verification
	Total      time.Duration // without reading the matrix
	Error      float64       // the error that Options.Solve.Stop names, recomputed; 0: there is no x
	Runs       int
	Passes     bool
	Why        string // why it does not pass

	epsilon float64         // of the stored matrix
	direct  bool            // the solve needed no other attempt
	turns   []time.Duration // times of the runs in turns with the defaults
}

// run solves with a setting, if there is time; t.Runs is 0 otherwise. The error is the cause of the context, or says
// that the system cannot be solved.
func (s *tuneSearch) run(ctx context.Context, at Setting) (t TuneTrial, err error) {
	limit, last := s.limit()
	if limit <= 0 {
		s.missed = true
		return t, nil
	}
	s.tried[at] = true
	if s.opt.Progress != nil {
		s.opt.Progress(Step{s.trials, at, time.Since(s.start)})
	}
	limited, cancel := s.limited(ctx, limit, last)
	defer cancel()
	if s.m.Bytes() >= largeMatrix {
		runtime.GC() // the garbage of earlier runs is no part of its time
	}
	t = TuneTrial{Setting: at, Runs: 1}
	err = s.solve(limited, &t)
	var input *solve.InputError
	switch {
	case ctx.Err() != nil:
		return t, context.Cause(ctx)
	case limited.Err() != nil && last:
		t.Passes, t.Why, s.missed = false, noTime, true
	case limited.Err() != nil:
		t.Passes, t.Why = false, TooSlow
	case errors.As(err, &input) && at == (Setting{}):
		return t, err
	case err != nil:
		t.Passes, t.Why = false, strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	return t, nil
}

// largeMatrix is the size in bytes of a matrix from which on the garbage of a trial is collected before the next one.
const largeMatrix = 1 << 20

// limited returns a context that ends after limit by the clock of the search or, if limit is the rest of the budget,
// after that elapsed time.
func (s *tuneSearch) limited(ctx context.Context, limit time.Duration, last bool) (context.Context, context.CancelFunc) {
	if last || s.opt.Clock == nil {
		return context.WithTimeout(ctx, limit)
	}
	const interval = 5 * time.Millisecond
	ctx, cancel := context.WithCancel(ctx)
	start := s.opt.Clock()
	var look func()
	look = func() {
		switch {
		case s.opt.Clock()-start > limit:
			cancel()
		case ctx.Err() == nil:
			time.AfterFunc(interval, look)
		}
	}
	time.AfterFunc(interval, look)
	return ctx, cancel
}

// now returns the time by the clock of the search.
func (s *tuneSearch) now() time.Duration {
	if s.opt.Clock == nil {
		return time.Since(s.start)
	}
	return s.opt.Clock()
}

// TooSlow is the Why of a trial that was stopped because it took much longer than the fastest.
const TooSlow = "too slow"

const noTime = "no time left" // the Why of a trial that the end of the budget stopped

// solve runs a whole solve.
func (s *tuneSearch) solve(ctx context.Context, t *TuneTrial) error {
	start := s.now()
	defer func() { t.SetUp = max(0, t.Total-t.Solve) }()
	solver, err := solver.New(ctx, s.m, t.Setting.Apply(s.opt.Solve))
	if err != nil {
		t.Total = s.now() - start
		return err
	}
	defer solver.Close()
	r, err := solver.Solve(ctx, s.b, nil)
	t.Total = s.now() - start
	if err != nil {
		return err
	}
	if t.fill(r, s.opt.Solve); s.proposals == nil {
		s.facts, s.proposals = solver.Facts, solver.Proposals()
	}
	return nil
}

// fill takes over what a solve with the options reports. A setting passes only if the solve met the tolerance without falling back.
func (t *TuneTrial) fill(r solve.Result, opt solve.Options) {
	t.Method, t.Precond, t.Precision, t.Layout = r.Method, shortened(r.Precond.Text), r.Storage.String(), r.Layout
	t.epsilon, t.direct, t.Iterations = r.Storage.Epsilon, len(r.Attempts) <= 1, r.Iterations
	t.Solve, t.Error = r.Time.Total-(r.Time.Precond-r.Precond.Elapsed), rules.ErrorOf(opt.Stop, r.Errors)
	s := t.Setting
	other := s.Method != "" && string(s.Method) != r.Method || s.Precond != "" && s.Precond != cmp.Or(r.Precond.Kind, precond.None) ||
		s.Epsilon != 0 && s.Epsilon != r.Storage.Epsilon
	if t.Passes = r.Reason.Converged(); !t.Passes {
		t.Why = r.Reason.String()
	} else if s != (Setting{}) && (other || !t.direct || !(t.Error <= cmp.Or(opt.Tol, krylov.DefaultTol))) {
		t.Passes, t.Why = false, fmt.Sprintf("ended with %s, %s, %s, error %.1e", t.Method, t.Precond, t.Precision, t.Error)
	}
}

// shortened returns a preconditioner's text without the parts that are not settings.
func shortened(text string) string {
	parts := strings.Split(text, ", ")
	kept := parts[:1]
	for _, p := range parts[1:] {
		if strings.HasPrefix(p, "drop ") {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, ", ")
}

// same reports whether two trials did the same, whatever was set.
func (t TuneTrial) same(o TuneTrial) bool {
	return t.Passes && o.Passes && t.direct && o.direct && t.Method == o.Method && t.Precond == o.Precond &&
		t.Precision == o.Precision && t.Layout == o.Layout && t.Iterations == o.Iterations
}

// again takes over another run of the same trial; the faster run counts.
func (t *TuneTrial) again(o TuneTrial) {
	runs := t.Runs + o.Runs
	if !t.Passes || o.Passes && o.Total < t.Total {
		o.Setting, o.turns = t.Setting, t.turns
		*t = o
	}
	t.Runs = runs
}

// A Setting holds the options of a solve that a trial sets; the others stay as they are in TuneOptions.Solve. Its
// zero value sets nothing.
type Setting struct {
	Method  solve.Method
	Precond precond.Kind
	DropTol float64 // of incomplete factorisations
	Fill    float64
	FP64    bool    // the method's matrix is not stored in reduced precision
	Epsilon float64 // accuracy of the stored matrix
	Layout  adaptive.Layout
}

// Apply returns the options with the setting.
func (s Setting) Apply(opt solve.Options) solve.Options {
	opt.Method = cmp.Or(s.Method, opt.Method)
	opt.Precond.Kind = cmp.Or(s.Precond, opt.Precond.Kind)
	opt.Precond.DropTol = cmp.Or(s.DropTol, opt.Precond.DropTol)
	opt.Precond.Fill = cmp.Or(s.Fill, opt.Precond.Fill)
	opt.Storage.Epsilon = cmp.Or(s.Epsilon, opt.Storage.Epsilon)
	opt.Storage.Layout = cmp.Or(s.Layout, opt.Storage.Layout)
	if s.FP64 {
		opt.Storage.Set, _ = adaptive.LookupSet(fp64)
	}
	return opt
}

const fp64 = "FP64" // the set of formats

// A Flag is a flag of `mpsolve solve`.
type Flag struct{ Name, Value string }

// Flags returns the flags of `mpsolve solve` that give the setting.
func (s Setting) Flags() (list []Flag) {
	add := func(name, value string) {
		if value != "" {
			list = append(list, Flag{name, value})
		}
	}
	number := func(v float64) string {
		if v == 0 {
			return ""
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	add("method", string(s.Method))
	add("precond", string(s.Precond))
	add("drop-tol", number(s.DropTol))
	add("fill", number(s.Fill))
	if s.FP64 {
		add("formats", fp64)
	}
	if s.Epsilon != 0 {
		add("epsilon", packed.FormatEpsilon(s.Epsilon))
	}
	add("layout", string(s.Layout))
	return list
}

// String returns the flags in a line, "defaults" if there are none.
func (s Setting) String() (text string) {
	for _, f := range s.Flags() {
		if text != "" {
			text += " "
		}
		text += "--" + f.Name + " " + f.Value
	}
	return cmp.Or(text, "defaults")
}
