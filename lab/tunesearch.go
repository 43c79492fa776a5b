package lab

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// TuneOptions configure a search; the zero value is useful.
type TuneOptions struct {
	Solve    solve.Options // common to all trials; options left open are searched
	Budget   time.Duration // of the whole search; 0: DefaultBudget
	Slower   float64       // a trial is stopped after so many times the time of the fastest so far; 0: DefaultSlower
	Progress func(Step)    // called before each run; nil: none

	// Clock returns the time by which trials are timed, such as the processor time of the process where others use
	// the machine; nil: elapsed time. The Budget is always elapsed time.
	Clock func() time.Duration
}

// Defaults of TuneOptions.
const (
	DefaultBudget     = time.Minute
	TuneDefaultSlower = 3
)

const (
	leastLimit = 50 * time.Millisecond // of a trial, for a machine that is busy with others
	finalists  = 3                     // settings whose precision, and then layout, is searched, and that are timed again
	finalRuns  = 5                     // of each finalist, and of the defaults
)

// A Step is the state of a search.
type Step struct {
	Trials  []TuneTrial // so far
	Next    Setting
	Elapsed time.Duration
}

// Best returns the fastest passing trial so far; nil if there is none.
func (s Step) Best() *TuneTrial {
	if list := ranked(s.Trials); len(list) > 0 {
		return &s.Trials[list[0]]
	}
	return nil
}

// A TuneResult is the outcome of a search.
type TuneResult struct {
	Trials   []TuneTrial // the first one has no setting: the defaults
	Best     int         // of Trials: the fastest that passes; -1: none passes
	Complete bool        // the time sufficed to try everything
}

// tuneSearch is a search in progress.
type tuneSearch struct {
	m         *csr.Matrix
	b         []float64
	opt       TuneOptions
	start     time.Time
	trials    []TuneTrial
	facts     csr.Facts
	proposals []choice.Proposal // nil: none yet
	tried     map[Setting]bool
	missed    bool // something was left out for want of time
}

// TuneSearch solves A x = b in different ways, one after the other, and reports which took the least time. If the
// context ends, the result holds the trials so far and the error is the cause of the context; any other error says
// that the system cannot be solved as given.
func TuneSearch(ctx context.Context, m *csr.Matrix, b []float64, opt TuneOptions) (TuneResult, error) {
	opt.Budget, opt.Slower = cmp.Or(opt.Budget, DefaultBudget), cmp.Or(opt.Slower, TuneDefaultSlower)
	s := &tuneSearch{m: m, b: b, opt: opt, start: time.Now(), tried: map[Setting]bool{}}
	err := s.stages(ctx)
	best := -1
	if passing := ranked(s.trials); len(passing) > 0 {
		best = passing[0]
	}
	return TuneResult{s.trials, best, err == nil && !s.missed}, err
}

// stages tries the defaults, then methods with preconditioners, precisions, and layouts, and times the fastest again.
func (s *tuneSearch) stages(ctx context.Context) error {
	err := s.try(ctx, Setting{})
	for _, p := range s.proposals {
		if err == nil {
			err = s.try(ctx, Setting{Method: p.Method, Precond: p.Precond.Kind, DropTol: p.Precond.DropTol, Fill: p.Precond.Fill})
		}
	}
	for _, variants := range []func(TuneTrial) []Setting{precisions, s.layouts} {
		for _, k := range s.finalists() {
			for _, at := range variants(s.trials[k]) {
				if err == nil {
					err = s.try(ctx, at)
				}
			}
		}
	}
	if err == nil {
		err = s.finals(ctx)
	}
	return err
}

// ranked returns the trials that pass, the fastest first.
func ranked(trials []TuneTrial) (list []int) {
	for k, t := range trials {
		if t.Passes {
			list = append(list, k)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(trials[a].Total, trials[b].Total) })
	return list
}

// finalists returns the fastest trials, without those that took several attempts: the settings that these ended with
// are tried separately.
func (s *tuneSearch) finalists() (list []int) {
	list = slices.DeleteFunc(ranked(s.trials), func(k int) bool { return !s.trials[k].direct })
	return list[:min(len(list), finalists)]
}

// limit returns the time that the next trial may take, and whether that is the rest of the budget.
func (s *tuneSearch) limit() (limit time.Duration, last bool) {
	left := s.opt.Budget - time.Since(s.start)
	if passing := ranked(s.trials); len(passing) > 0 {
		most := time.Duration(s.opt.Slower * float64(s.trials[passing[0]].Total))
		if most = max(most, leastLimit); most < left {
			return most, false
		}
	}
	return left, true
}

// try runs a setting that has not been tried, if there is time. A trial that does the same as an earlier one counts
// as another run of that one.
func (s *tuneSearch) try(ctx context.Context, at Setting) error {
	if s.tried[at] {
		return nil
	}
	t, err := s.run(ctx, at)
	if err != nil || t.Runs == 0 {
		return err
	}
	if k := slices.IndexFunc(s.trials, t.same); k >= 0 {
		s.trials[k].again(t)
	} else {
		s.trials = append(s.trials, t)
	}
	return nil
}

// precisions returns settings that differ from a trial's in the precision of the stored matrix.
func precisions(t TuneTrial) (list []Setting) {
	if t.FP64 || t.Epsilon != 0 {
		return nil
	}
	if t.Precision != fp64 {
		at := t.Setting
		at.FP64 = true
		list = append(list, at)
	}
	for _, epsilon := range []float64{rules.DefaultEpsilon, middleEpsilon, rules.PreconditionedEpsilon} {
		if at := t.Setting; t.Precision == fp64 || epsilon != t.epsilon {
			at.Epsilon = epsilon
			list = append(list, at)
		}
	}
	return list
}

const middleEpsilon = 0x1p-37 // of the three that a solve goes through

// layouts returns settings that differ from a trial's in the layout: layouts for FP64, or in adaptive precision.
// Adaptive precision is tried even where the model of the processor prefers FP64.
func (s *tuneSearch) layouts(t TuneTrial) (list []Setting) {
	if t.Setting.Layout != "" {
		return nil
	}
	add := func(at Setting, layouts ...adaptive.Layout) {
		for _, l := range layouts {
			if at.Layout = l; l != t.Layout && (l != adaptive.Symmetric || s.facts.Symmetric) {
				list = append(list, at)
			}
		}
	}
	at := t.Setting
	if t.Precision == fp64 {
		add(at, adaptive.SELL8, adaptive.BCRS4x1)
		at.FP64, at.Epsilon = false, cmp.Or(at.Epsilon, rules.DefaultEpsilon)
	}
	add(at, adaptive.Slots, adaptive.Diagonals, adaptive.Blocks, adaptive.Symmetric, adaptive.SELL, adaptive.Tiles)
	return list
}

// finals runs the fastest settings and the defaults in turns.
func (s *tuneSearch) finals(ctx context.Context) error {
	passing := ranked(s.trials)
	list := slices.Clone(passing[:min(len(passing), finalists)])
	if slices.Contains(passing, 0) && !slices.Contains(list, 0) {
		list = append(list, 0)
	}
	for range finalRuns - 1 {
		for _, k := range list {
			t, err := s.run(ctx, s.trials[k].Setting)
			if err != nil {
				return err
			}
			if t.Runs > 0 {
				s.trials[k].again(t)
			}
		}
	}
	return nil
}

// Gain returns the time of the defaults over the time of the best trial; NaN if one of them does not pass.
func (r TuneResult) Gain() float64 {
	if r.Best < 0 || !r.Trials[0].Passes {
		return math.NaN()
	}
	return r.Trials[0].Total.Seconds() / r.Trials[r.Best].Total.Seconds()
}
