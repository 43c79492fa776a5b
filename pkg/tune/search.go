package tune

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Options configure a search; the zero value is useful.
type Options struct {
	Solve    solve.Options // what all trials have in common; what it leaves open is searched
	Budget   time.Duration // in all; 0: DefaultBudget
	Slower   float64       // a trial ends that takes more than so many times as long as the fastest so far; 0: DefaultSlower
	Progress func(Step)    // called before each run; nil: none
}

// Defaults of Options.
const (
	DefaultBudget = time.Minute
	DefaultSlower = 3
)

const (
	leastLimit = 50 * time.Millisecond // of a trial, for a machine that is busy with others
	finalists  = 3                     // settings whose precision, and then layout, is searched, and that are timed again
	finalRuns  = 5                     // of each of these, and of the defaults
)

// A Step is where a search is.
type Step struct {
	Trials  []Trial // so far
	Next    Setting
	Elapsed time.Duration
}

// Best is the fastest trial so far that passes; nil: there is none.
func (s Step) Best() *Trial {
	if list := ranked(s.Trials); len(list) > 0 {
		return &s.Trials[list[0]]
	}
	return nil
}

// A Result is the outcome of a search.
type Result struct {
	Trials   []Trial // the first one has no setting: the defaults
	Best     int     // the fastest that passes; -1: none does
	Complete bool    // the time sufficed for all that there is to try
}

// search is one under way.
type search struct {
	m         *csr.Matrix
	b         []float64
	opt       Options
	start     time.Time
	trials    []Trial
	facts     csr.Facts
	proposals []solve.Proposal // nil: none yet
	missed    bool             // something, for want of time
}

// Search solves A x = b in other and other ways, one after the other, and says which took the least time. If the context
// ends, the result has what came of it so far, and the error is its cause; another error says that the system cannot be solved as given.
func Search(ctx context.Context, m *csr.Matrix, b []float64, opt Options) (Result, error) {
	opt.Budget, opt.Slower = cmp.Or(opt.Budget, DefaultBudget), cmp.Or(opt.Slower, DefaultSlower)
	s := &search{m: m, b: b, opt: opt, start: time.Now()}
	err := s.stages(ctx)
	best := -1
	if passing := ranked(s.trials); len(passing) > 0 {
		best = passing[0]
	}
	return Result{s.trials, best, err == nil && !s.missed}, err
}

// stages tries the defaults, then methods with preconditioners, precisions, and layouts, and times the fastest again.
func (s *search) stages(ctx context.Context) error {
	err := s.try(ctx, Setting{})
	for _, p := range s.proposals {
		if err == nil {
			err = s.try(ctx, Setting{Method: p.Method, Precond: p.Precond.Kind, DropTol: p.Precond.DropTol, Fill: p.Precond.Fill})
		}
	}
	for _, variants := range []func(Trial) []Setting{precisions, s.layouts} {
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
func ranked(trials []Trial) (list []int) {
	for k, t := range trials {
		if t.Passes {
			list = append(list, k)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(trials[a].Total, trials[b].Total) })
	return list
}

// finalists are the fastest with a method of their own, or, where there is no such, the defaults.
func (s *search) finalists() (list []int) {
	if list = ranked(s.trials); len(list) > 1 {
		list = slices.DeleteFunc(list, func(k int) bool { return s.trials[k].Setting == Setting{} })
	}
	return list[:min(len(list), finalists)]
}

// limit is the time that the next trial may take, and whether that is what is left of the budget.
func (s *search) limit() (limit time.Duration, last bool) {
	left := s.opt.Budget - time.Since(s.start)
	if passing := ranked(s.trials); len(passing) > 0 {
		most := time.Duration(s.opt.Slower * float64(s.trials[passing[0]].Total))
		if most = max(most, leastLimit); most < left {
			return most, false
		}
	}
	return left, true
}

// try runs a setting that has not been tried, if there is time.
func (s *search) try(ctx context.Context, at Setting) error {
	if slices.ContainsFunc(s.trials, func(t Trial) bool { return t.Setting == at }) {
		return nil
	}
	t, err := s.run(ctx, at)
	if err == nil && t.Runs > 0 {
		s.trials = append(s.trials, t)
	}
	return err
}

// precisions are settings of a trial with other precisions of the stored matrix than it has.
func precisions(t Trial) (list []Setting) {
	if t.FP64 || t.Epsilon != 0 {
		return nil
	}
	if t.Precision != fp64 {
		at := t.Setting
		at.FP64 = true
		list = append(list, at)
	}
	for _, epsilon := range []float64{0x1p-24, 0x1p-37, 0x1p-53} {
		if at := t.Setting; t.Precision == fp64 || epsilon != t.epsilon {
			at.Epsilon = epsilon
			list = append(list, at)
		}
	}
	return list
}

// layouts are settings of a trial with other layouts than it has.
func (s *search) layouts(t Trial) (list []Setting) {
	all := []adaptive.Layout{adaptive.Slots, adaptive.Diagonals, adaptive.Blocks, adaptive.Symmetric, adaptive.SELL, adaptive.Tiles}
	if t.Precision == fp64 {
		all = []adaptive.Layout{adaptive.SELL8, adaptive.BCRS4x1}
	}
	for _, l := range all {
		if at := t.Setting; at.Layout == "" && l != t.Layout && (l != adaptive.Symmetric || s.facts.Symmetric) {
			at.Layout = l
			list = append(list, at)
		}
	}
	return list
}

// finals lets the fastest and the defaults take turns.
func (s *search) finals(ctx context.Context) error {
	passing := ranked(s.trials)
	list := passing[:min(len(passing), finalists)]
	if slices.Contains(passing, 0) && !slices.Contains(list, 0) {
		list = append(slices.Clone(list), 0)
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
func (r Result) Gain() float64 {
	if r.Best < 0 || !r.Trials[0].Passes {
		return math.NaN()
	}
	return r.Trials[0].Total.Seconds() / r.Trials[r.Best].Total.Seconds()
}
