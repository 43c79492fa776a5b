package refine

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/mpsolve/mpsolve/internal/mp"
	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// A Refiner is refinement on some backend. The rest of a Solver does not depend on which one.
type Refiner interface {
	// Refine solves from x, the guess if opt says so, with vectors in the order chosen.
	Refine(ctx context.Context, x, b []float64, opt krylov.Options[vector]) (krylov.Result, error)
	Further(ctx context.Context, x, b, w []float64, opt krylov.Options[vector]) (krylov.Result, error)
	Roughly(ctx context.Context, x, b, w []float64, opt krylov.Options[vector]) (krylov.Result, error)
	Rowwise(ctx context.Context, x, b, sums []float64, opt krylov.Options[vector]) (krylov.Result, error)
	Correct(ctx context.Context, d, r, sums []float64, shift int, goal krylov.Goal) (krylov.Result, error)
	Preconditioned(ctx context.Context, d, r []float64) error
	Accompany(p func() []float64)
	Accompanied() (d, p []float64)
	Raise(reason krylov.Reason) bool
	Residual(r, x, b []float64) error
	Lower(x []float64) []float64 // the part beyond float64 of an x that Refine returned; nil: none
	Usage() Usage
	Close()
}

// Usage describes the method, storage and preconditioner in use, and the work so far.
type Usage struct {
	Method  string
	Block   int // see Result
	Stored  backend.Stored
	Precond solve.PrecondResult // without its applications

	Products, applications       int
	Multiplying, preconditioning time.Duration
	settingUp                    time.Duration // preconditioners

	Attempts []solve.Attempt // of the last solve
	Work     float64         // of the attempts, in multiplications of iterations
	Complete bool            // an application of the preconditioner solves, but for roundings
}

// Refinement is iterative refinement on a backend.
type Refinement[V any, S linop.Scalar[S]] struct {
	At         backend.Backend[V, S]
	Exact      *backend.Timed[V, S]
	Refined    linop.Operator[V, S] // Exact with rounded residuals as well, where these suffice
	Measure    *backend.Measure[V, S]
	Steps      *krylov.Refinement[V, S]
	Correction *Correction[V, S]
	Recording  recording[V] // nil: there are no checkpoints
	Epsilon    float64      // of preconditioners
}

// A recording solves with checkpoints.
type recording[V any] interface {
	Active() bool // the solve that begins takes checkpoints
	Solve(ctx context.Context, x, b V, opt krylov.Options[V]) (krylov.Result, error)
}

// New makes operators, methods and work vectors on a backend. Close closes the backend, and so does New if it fails.
func New[V any, S linop.Scalar[S]](ctx context.Context, s *Problem, at backend.Backend[V, S]) (*Refinement[V, S], error) {
	f := &Refinement[V, S]{At: at, Epsilon: cmp.Or(s.Opt.Precond.Epsilon, precond.DefaultEpsilon)}
	if err := f.build(ctx, s); err != nil {
		at.Close()
		return nil, err
	}
	return f, nil
}

func (f *Refinement[V, S]) build(ctx context.Context, s *Problem) (err error) {
	f.Exact = &backend.Timed[V, S]{Operator: f.At.Exact()}
	f.Refined = f.Operator(&s.System)
	_, normA := s.ExtremeSums()
	f.Measure = backend.NewMeasure(f.At, s.Opt.Stop, s.AbsSums(), normA)
	if err := f.At.Fault(); err != nil {
		return err
	}
	beyond := s.Beyond()
	if f.Correction, err = newCorrection(ctx, s, f.At, f.Measure, f.Exact); err != nil {
		return err
	}
	f.Correction.Beyond = beyond
	f.Steps = krylov.NewRefinement[V, S](f.At) // last: setting up takes most memory
	if s.Opt.NoRefine {
		f.Steps.MaxSteps = 1
	}
	return f.At.Fault()
}

// Refine is Solve for vectors on the host.
func (f *Refinement[V, S]) Refine(ctx context.Context, x, b []float64, opt krylov.Options[vector]) (krylov.Result, error) {
	vx, vb := f.At.FromHost(x), f.At.FromHost(b)
	defer f.At.GiveBack(vx, vb)
	result, err := f.Solve(ctx, vx, vb, krylov.Options[V]{
		Tol: opt.Tol, MaxIter: opt.MaxIter, Guess: opt.Guess, Monitor: opt.Monitor,
	})
	if err != nil {
		return result, err
	}
	f.At.ToHost(x, vx)
	f.keep(vx)
	return result, f.At.Fault()
}

// A wide backend has vectors with more digits than float64.
type wide[V any] interface {
	Keep(x V) // for Lower
	Lower(x []float64) []float64
}

// keep keeps a solution that the host has taken, for Lower.
func (f *Refinement[V, S]) keep(vx V) {
	if at, ok := f.At.(wide[V]); ok {
		at.Keep(vx)
	}
}

func (f *Refinement[V, S]) Lower(x []float64) []float64 {
	if at, ok := f.At.(wide[V]); ok {
		return at.Lower(x)
	}
	return nil
}

// Solve refines x.
func (f *Refinement[V, S]) Solve(ctx context.Context, x, b V, opt krylov.Options[V]) (krylov.Result, error) {
	f.Measure.Begin(b)
	opt.Agree = f.At.Agree()
	opt.Measure = func(x, r V) float64 {
		f.Correction.Reached = f.Measure.Of(x, r)
		return f.Correction.Reached
	}
	f.Correction.refining = true
	defer func() { f.Correction.refining = false }()
	if f.Recording != nil && f.Recording.Active() {
		return f.Recording.Solve(ctx, x, b, opt)
	}
	if err := f.Correction.Begin(ctx); err != nil {
		return krylov.Result{}, err
	}
	result := f.Steps.Solve(ctx, f.Refined, f.Correction, x, b, opt)
	f.Correction.Attempts.Current.Reason = result.Reason.String()
	return result, f.At.Fault()
}

func (f *Refinement[V, S]) Usage() Usage {
	c := f.Correction
	u := Usage{
		Method: string(c.Attempts.Now().Method), Stored: c.Matrix.About(),
		Precond:  solve.PrecondResult{Kind: precond.None, Text: string(precond.None)},
		Products: f.Exact.Count + c.Timed.Count, Multiplying: f.Exact.Elapsed + c.Timed.Elapsed,
		settingUp: c.Attempts.SettingUp,
	}
	u.applications, u.preconditioning = c.Attempts.Tally.Count, c.Attempts.Tally.Elapsed
	u.Attempts = c.Attempts.Visits()
	for k, s := range c.Attempts.State.Fallbacks {
		if c.Attempts.Fallbacks[k].Complete() {
			s.Setup /= rules.FrontSpeed
		}
		u.Work += s.Setup + s.Work
	}
	if p := c.Attempts.Preconditioner(); p != nil {
		u.Precond = solve.PrecondResult{Kind: c.Attempts.Now().Kind, Text: p.Made.String(), Epsilon: f.Epsilon, Cost: p.Made.Cost(), Setup: p.Setup}
		u.Complete = c.Attempts.Now().Complete()
		if on, ok := p.Made.(*backend.LeftOnHost); ok {
			u.Precond.Launches = on.Launches
		}
	}
	return u
}

// Used returns the work of the usage.
func (u Usage) Used() Used {
	return Used{
		Products: u.Products, Applications: u.applications,
		Multiplying: u.Multiplying, Preconditioning: u.preconditioning, SettingUp: u.settingUp,
	}
}

func (f *Refinement[V, S]) Close() { f.At.Close() }

// newCorrection stores the scaled matrix, and goes to the first fallback whose preconditioner can be set up.
func newCorrection[V any, S linop.Scalar[S]](
	ctx context.Context, s *Problem, at backend.Backend[V, S], measure *backend.Measure[V, S], exact linop.Operator[V, S],
) (*Correction[V, S], error) {
	attempts := choice.NewAttempts(&s.System, at, s.Carried.Ready)
	s.Explain(attempts.Fallbacks)
	storage, why := s.Storage(attempts.Fallbacks)
	matrix, err := backend.StoreScaled(at, s.Scaled, storage)
	if err != nil {
		return nil, s.InputError(err)
	}
	if s.Stored != nil {
		s.Stored()
	}
	switch about := matrix.About().Storage; {
	case why != "" && rules.Plain(storage):
		s.Say(choice.StoredPlain, why)
	case why != "" && !rules.Exact(about):
		s.Say("epsilon %s: %s", packed.FormatEpsilon(about.Epsilon), why)
	}
	for _, line := range matrix.About().Lines() {
		s.Say("%s", line)
	}
	if both, ok := matrix.(interface{ Line() string }); ok {
		s.Say("%s", both.Line())
	}
	c := &Correction[V, S]{
		At: at, Measure: measure, Exact: exact, Attempts: attempts, Prepare: s.Precondition,
		Hopeless: s.Hopeless, Repays: s.Repays, Suits: s.EpsilonFor,
		Ctx: ctx, InnerTol: s.Opt.InnerTol, Vectors: s.Opt.Vectors, Log: s.Opt.Log,
		StoredSystem: StoredSystem[V, S]{
			Scaled: s.Scaled, Scaling: backend.NewScaling(at, s.Scaled), Matrix: matrix, First: matrix.About().Storage,
			Chosen: s.Opt.Storage.Epsilon == 0 && !s.Opt.NoRefine, Open: s.StorageOpen(), Spared: s.Spares(storage),
			Timed: &backend.Timed[V, S]{Operator: matrix},
		},
		shown: shown[V]{snapshot: snapshots(&s.System)},
	}
	if s.Resumes {
		c.Attempts.State.Fallback = 0 // Resume sets up the fallback in use first
	} else {
		err = c.NextFallback("")
	}
	c.Rhs, c.Z, c.R = at.New(), at.New(), at.New() // now: setting up takes most memory
	if err != nil && s.Opt.Precond.Kind != solve.PrecondAuto {
		err = s.InputError(fmt.Errorf("preconditioner %w%s", err, s.Lighter(err)))
	}
	return c, err
}

// Used is the work of a solve so far.
type Used struct {
	Products, Applications                         int
	Total, Multiplying, Preconditioning, SettingUp time.Duration
}

// Minus returns u - o.
func (u Used) Minus(o Used) Used {
	return Used{
		u.Products - o.Products, u.Applications - o.Applications,
		u.Total - o.Total, u.Multiplying - o.Multiplying, u.Preconditioning - o.Preconditioning, u.SettingUp - o.SettingUp,
	}
}

// Fallbacks returns the fallbacks from the one in use on.
func (f *Refinement[V, S]) Fallbacks() []choice.Fallback {
	t := f.Correction.Attempts
	return t.Fallbacks[max(0, t.State.Fallback):]
}

// Vectors of the host.
type (
	vector = []float64
	scalar = linop.Float64
)

// Problem is a system with the refinement of its solutions.
type Problem struct {
	choice.System
	Refiner  Refiner        // nil: closed
	Stored   func()         // called when the method's matrix has been stored; nil: nothing is called
	Resumes  bool           // the first solve goes on from a checkpoint
	Carried  choice.Carried // the preconditioner carried from one Update to the next
	Multiple *mp.Matrix     // the matrix as given, for residuals of multiple precision; nil: not made yet
	Factors  *mp.LU         // of the matrix as given, scaled; nil: none yet
	LowerB   [][]float64    // lower parts of the right-hand side of SolveParts

	// Contradicted reports whether equations contradict each other for certain. It is asked where complete factors have not solved; nil: nobody is asked.
	Contradicted func() bool

	Away func() time.Duration // for which a solve in lockstep has waited for others; nil: it is alone

	InputBits int // of elements of A and b that the lower parts keep; 0: all
}

// Hopeless reports whether it is certain that the system has no solution.
func (s *Problem) Hopeless() bool { return s.Contradicted != nil && s.Contradicted() }

// A Solution is the x of one right-hand side on its way to a Result. Vectors are in the order chosen.
type Solution struct {
	S    *Problem
	Ctx  context.Context
	X, B []float64

	Vectors          linop.Host    // operations on vectors like x
	Given            []float64     // b in the order of the matrix as given
	verify.Judgement               // of x
	Reason           krylov.Reason // why the solve ended
	Solved           krylov.Result // of refinement, with the work of everything that follows it
	Reach            float64       // the size of x that a probe explains, relative to x; 0: not known
	Parts            []float64     // w_i such that max |r_i| / w_i <= Tol shows that x explains b in all blocks; nil: the blocks need no care
	Digits           solve.Digits
	UnitSums         []float64      // sums of the rows of |A| D for powers of two D, whose exponents are UnitsOfSums; nil: not computed yet
	UnitsOfSums      []int          // see UnitSums
	Precise          *solve.Precise // x with more digits; nil: none was asked for, or could be begun with
	Evidence         *solve.Evidence
	NoFactors        string // why factors of multiple precision give no digits; empty: they do, or were not tried
	Dear             int    // rows of a matrix whose complete factors were too dear for a verdict; 0: none were
	Began            time.Time
	Spent            spent
}

// spent is the time that parts of a solve have taken.
type spent struct{ Verifying, Estimating time.Duration }

// Clock returns a function that adds the time since then to spent, but for what a solve in lockstep has waited for others.
func (a *Solution) Clock(spent *time.Duration) (stop func()) {
	away := a.S.Away
	if away == nil {
		away = func() time.Duration { return 0 }
	}
	start, before := time.Now(), away()
	return func() { *spent += time.Since(start) - (away() - before) }
}

// Row returns the row of the matrix to which element i of a vector belongs.
func (a *Solution) Row(i int) int64 {
	if j := a.S.Job; j != nil {
		return j.Global(i)
	}
	return int64(i)
}
