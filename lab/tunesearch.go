package lab

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/options"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// TuneOptions configure a search; the zero value is useful.
type TuneOptions struct {
	Solve    solve.Options // what all trials have in common; what it leaves open is searched
	Budget   time.Duration // in all; 0: DefaultBudget
	Slower   float64       // a trial ends that takes more than so many times as long as the fastest so far; 0: DefaultSlower
	Progress func(Step)    // called before each run; nil: none

	// Clock is what trials are timed by, such as the processor's time of the process where others use the machine; nil: the time that
	// passes, which the Budget is of in any case.
	Clock func() time.Duration
}

// Defaults of Options.
const (
	DefaultBudget     = time.Minute
	TuneDefaultSlower = 3
)

const (
	leastLimit = 50 * time.Millisecond // of a trial, for a machine that is busy with others
	finalists  = 3                     // settings whose precision, and then layout, is searched, and that are timed again
	finalRuns  = 5                     // of each of these, and of the defaults
)

// A Step is where a search is.
type Step struct {
	Trials  []TuneTrial // so far
	Next    Setting
	Elapsed time.Duration
}

// Best is the fastest trial so far that passes; nil: there is none.
func (s Step) Best() *TuneTrial {
	if list := ranked(s.Trials); len(list) > 0 {
		return &s.Trials[list[0]]
	}
	return nil
}

// A TuneResult is the outcome of a search.
type TuneResult struct {
	Trials   []TuneTrial // the first one has no setting: the defaults
	Best     int         // the fastest that passes; -1: none does
	Complete bool        // the time sufficed for all that there is to try
}

// tuneSearch is one under way.
type tuneSearch struct {
	m         *csr.Matrix
	b         []float64
	opt       TuneOptions
	start     time.Time
	trials    []TuneTrial
	facts     csr.Facts
	proposals []choice.Proposal // nil: none yet
	tried     map[Setting]bool
	missed    bool // something, for want of time
}

// TuneSearch solves A x = b in other and other ways, one after the other, and says which took the least time. If the context
// ends, the result has what came of it so far, and the error is its cause; another error says that the system cannot be solved as given.
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

// ranked are the trials that pass, the fastest first.
func ranked(trials []TuneTrial) (list []int) {
	for k, t := range trials {
		if t.Passes {
			list = append(list, k)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(trials[a].Total, trials[b].Total) })
	return list
}

// finalists are the fastest, without those that several tries led to: with what these ended with follow others.
func (s *tuneSearch) finalists() (list []int) {
	list = slices.DeleteFunc(ranked(s.trials), func(k int) bool { return !s.trials[k].direct })
	return list[:min(len(list), finalists)]
}

// limit is the time that the next trial may take, and whether that is what is left of the budget.
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

// try runs a setting that has not been tried, if there is time. What does the same as an earlier trial counts as another run of that.
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

// precisions are settings of a trial with other precisions of the stored matrix than it has.
func precisions(t TuneTrial) (list []Setting) {
	if t.FP64 || t.Epsilon != 0 {
		return nil
	}
	if t.Precision != fp64 {
		at := t.Setting
		at.FP64 = true
		list = append(list, at)
	}
	for _, epsilon := range []float64{options.DefaultEpsilon, middleEpsilon, options.PreconditionedEpsilon} {
		if at := t.Setting; t.Precision == fp64 || epsilon != t.epsilon {
			at.Epsilon = epsilon
			list = append(list, at)
		}
	}
	return list
}

const middleEpsilon = 0x1p-37 // of the three that a solve goes through

// layouts are settings of a trial with other layouts than it has: those for FP64, or in adaptive precision. Where the model of
// the processor takes FP64, the latter is tried all the same.
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
		at.FP64, at.Epsilon = false, cmp.Or(at.Epsilon, options.DefaultEpsilon)
	}
	add(at, adaptive.Slots, adaptive.Diagonals, adaptive.Blocks, adaptive.Symmetric, adaptive.SELL, adaptive.Tiles)
	return list
}

// finals lets the fastest and the defaults take turns.
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

// Gain is the time of the defaults over that of the best trial; NaN if one of them does not pass.
func (r TuneResult) Gain() float64 {
	if r.Best < 0 || !r.Trials[0].Passes {
		return math.NaN()
	}
	return r.Trials[0].Total.Seconds() / r.Trials[r.Best].Total.Seconds()
}
