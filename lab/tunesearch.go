package lab

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

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
	finalists  = 3                     // settings whose precision, and then layout, is searched, and that are compared with the defaults
	turns      = 6                     // runs of each of these, and of the defaults
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
	Best     int         // of Trials: the defaults, unless they do not pass or another is significantly faster; -1: none passes
	Rival    Pairing     // the fastest other setting, compared with the defaults
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
	turning   bool // the trials of interest run in turns
}

// TuneSearch solves A x = b in different ways, one after the other, and reports which took the least time. If the
// context ends, the result holds the trials so far and the error is the cause of the context; any other error says
// that the system cannot be solved as given.
func TuneSearch(ctx context.Context, m *csr.Matrix, b []float64, opt TuneOptions) (TuneResult, error) {
	opt.Budget, opt.Slower = cmp.Or(opt.Budget, DefaultBudget), cmp.Or(opt.Slower, TuneDefaultSlower)
	s := &tuneSearch{m: m, b: b, opt: opt, start: time.Now(), tried: map[Setting]bool{}}
	err := s.stages(ctx)
	best, rival := s.decide()
	return TuneResult{s.trials, best, rival, err == nil && !s.missed}, err
}

// stages tries the defaults, then methods with preconditioners, precisions, and layouts, and compares the fastest with the defaults.
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
		err = s.inTurns(ctx)
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
	if len(s.trials) > 0 && s.trials[0].Passes && !s.turning { // keep time for the runs in turns
		first := s.trials[0].Total
		left -= min((s.opt.Budget-first)/3, turns*(1+finalists)*first)
	}
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

// contenders returns the fastest settings that pass, the fastest first, and the defaults if they pass.
func (s *tuneSearch) contenders() []int {
	list := ranked(s.trials)
	if slices.Index(list, 0) < finalists {
		return list[:min(len(list), finalists)]
	}
	return append(list[:finalists], 0)
}

// inTurns runs the contenders in turns, in the other order each time. A run that is stopped as too slow counts with its time so far.
func (s *tuneSearch) inTurns(ctx context.Context) error {
	s.turning = true
	list := s.contenders()
	for round := 0; round < turns && len(list) > 1; round++ {
		for _, k := range list {
			t, err := s.run(ctx, s.trials[k].Setting)
			if err != nil || t.Runs == 0 || t.Why == noTime {
				return err
			}
			s.trials[k].again(t)
			s.trials[k].turns = append(s.trials[k].turns, t.Total)
		}
		slices.Reverse(list)
	}
	return nil
}

// decide returns the trial to recommend, and compares the fastest other one with the defaults. A tie goes to the defaults.
func (s *tuneSearch) decide() (best int, rival Pairing) {
	list := append(s.contenders(), -1)
	if best = list[0]; best == 0 {
		best = max(0, list[1])
	}
	if best > 0 && s.trials[0].Passes {
		rival = paired(s.trials[0], s.trials[best], len(list)-2)
		if rival.Trial = best; !rival.Significant() {
			best = 0
		}
	}
	return best, rival
}

// A Pairing compares a setting with the defaults, which ran in turns with it: what else goes on in the machine disturbs a pair of runs alike.
type Pairing struct {
	Trial int     `json:"trial"`   // the setting; 0: there is none
	Pairs int     `json:"pairs"`   // of runs
	Gain  float64 `json:"gain"`    // least time of the defaults over least time of the setting
	P     float64 `json:"p_value"` // probability of such pairs if the setting were no faster; 1: there are fewer than two
}

// Significant reports whether the setting is faster than the defaults: by 5 % at least, and at a level of 5 %.
func (p Pairing) Significant() bool { return p.Gain >= 1.05 && p.P <= 0.05 }

// paired compares the fastest of some rivals with the defaults by Student's one-sided t-test ([Student08]) of the logarithms of the
// ratios of times in pairs, with Bonferroni's correction. Their standard deviation is taken as 0.1 % at least, since few runs may agree by chance.
func paired(defaults, rival TuneTrial, rivals int) Pairing {
	n := min(len(defaults.turns), len(rival.turns))
	p := Pairing{Pairs: n, Gain: float64(max(1, defaults.Total)) / float64(max(1, rival.Total)), P: 1}
	logs := make([]float64, n)
	for i := range logs {
		logs[i] = math.Log(float64(max(1, defaults.turns[i])) / float64(max(1, rival.turns[i])))
	}
	if n > 1 {
		mean, deviation := stat.MeanStdDev(logs, nil)
		t := mean / max(deviation, 1e-3) * math.Sqrt(float64(n))
		p.P = min(1, float64(rivals)*distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}.Survival(t))
	}
	return p
}

// Gain returns the time of the defaults over the time of the best trial; NaN if one of them does not pass.
func (r TuneResult) Gain() float64 {
	if r.Best < 0 || !r.Trials[0].Passes {
		return math.NaN()
	}
	return r.Trials[0].Total.Seconds() / r.Trials[r.Best].Total.Seconds()
}
