package solver

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/checkpoint"
	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"gonum.org/v1/gonum/mat"
)

// A Solver solves systems with one matrix, for any number of right-hand sides, one after the other.
type Solver struct {
	refine.Problem
	Setup   time.Duration
	Threads int

	special  kind                                       // solves with a matrix of a special kind; nil: the matrix is ordinary
	recorder *checkpoint.Recorder                       // takes checkpoints; nil: there are none
	backend  func(ctx context.Context, s *Solver) error // makes the refinement on a backend of the caller; nil: on the host or a device
	lastX    []float64                                  // the last x, in the order chosen
	updates  updates
	side     sideBySide
	rows     *ranks.Job // the matrix of several domains as the caller gives it, without its nonzeros if its rows have another order now
	root     dist.Comm  // ranks, of which rank 0 has the whole matrix; nil: there are no other ranks
	tiny     tiny       // the matrix of the caller, if that is smaller than the matrix of Problem
}

// sideBySide is the state of solves for several right-hand sides.
type sideBySide struct {
	rhs    *int    // index of the right-hand side of SolveMany in progress; nil: unknown
	team   *team   // solvers of SolveMany; nil: none yet
	column *Column // the column of a team that this Solver solves for; nil: none
	batch  *Batch  // what the columns share
}

// New prepares to solve with m, which must stay unchanged while the Solver is in use. If the context ends before the
// matrix has been examined, ordered, scaled and stored, New returns an error. Later the end of the context interrupts only
// the set-up of preconditioners, and Solve makes up for it. Close ends the threads.
func New(ctx context.Context, m *csr.Matrix, opt solve.Options) (*Solver, error) {
	e, asked := raise(m), opt
	opt.Lower = e.matrices(opt.Lower)
	s, err := newWith(ctx, e.matrix(m), opt, Solver{})
	if err == nil {
		s.tiny, s.updates.asked = tiny{e, m}, asked
		if e != 0 {
			s.Say("scaled A and b times 2^%d, exactly: products of such small numbers have fewer bits", e)
		}
	}
	return s, err
}

// newWith is New for a Solver that begins as with.
func newWith(ctx context.Context, m *csr.Matrix, opt solve.Options, with Solver) (*Solver, error) {
	rhs, asked := new(int), opt
	opt.Monitor = Numbered(opt.Monitor, rhs)
	s, err := prepared(ctx, m, opt, with)
	if err == nil {
		s.side.rhs, s.updates.asked = rhs, asked
	}
	return s, err
}

// prepared does the work of newWith.
func prepared(ctx context.Context, m *csr.Matrix, opt solve.Options, with Solver) (*Solver, error) {
	start := time.Now()
	if err := rules.Validate(opt); err != nil {
		return nil, err
	}
	if err := m.Validate(); err == nil && m.Rows != m.Cols && (opt.Method == solve.LSQR || opt.Method == solve.Auto || opt.Method == "") && m.NNZ() > 0 {
		return leastSquaresSolver(ctx, m, rules.WithDefaults(opt, max(m.Rows, m.Cols)))
	}
	if err := rules.CheckMatrix(m); err != nil {
		return nil, err
	}
	if err := checkLower(m, opt.Lower); err != nil {
		return nil, err
	}
	for k, v := range opt.Precond.NearNull {
		if err := rules.CheckVector(fmt.Sprintf("near-null vector %d", k+1), v, m.Rows); err != nil {
			return nil, err
		}
	}
	opt = rules.WithDefaults(opt, m.Rows)
	opt.Stage("examining the matrix")
	if c := opt.Checkpoint.Resume; c != nil {
		opt.Threads = cmp.Or(opt.Threads, c.Threads())
	}
	if !with.Ordinary {
		if s, err := singularSolver(ctx, m, opt); s != nil || err != nil {
			return s, err
		}
	}
	s := &with
	s.begin(m, opt)
	if opt.Updates {
		s.Kept = new(precond.Kept)
	}
	var err error
	if s.recorder, err = checkpoint.New(&s.System); err == nil {
		err = s.setUp(ctx)
	}
	if err != nil {
		s.Pool.Close()
		if f := s.Facts; f.Rows == m.Rows && f.NonFinite == 0 && (f.EmptyRow >= 0 || f.EmptyCol >= 0) && ctx.Err() == nil {
			if e, why := emptiedSolver(ctx, m, opt, f); e != nil || why != nil {
				return e, why
			}
		}
		return nil, err
	}
	s.Setup = time.Since(start)
	return s, nil
}

// begin gives s its matrix, options and threads.
func (s *Solver) begin(m *csr.Matrix, opt solve.Options) {
	s.Given, s.M, s.Known, s.Opt, s.Pool = m, m, new(features.KnownParts), opt, parallel.New(opt.Threads)
	s.Threads = s.Pool.Threads()
}

// Device describes the device that the Solver runs on. bytes is the largest amount of the device's memory in use at one
// time. on is false for the host.
func (s *Solver) Device() (info gpu.Info, bytes int64, on bool) {
	if s.Opt.Device == nil {
		return info, 0, false
	}
	_, bytes = s.Opt.Device.Bytes()
	return s.Opt.Device.Info(), bytes, true
}

// Close ends the threads and releases the memory on a device, which stays open. The Solver must not be used afterwards.
// Closing it again does nothing.
func (s *Solver) Close() {
	if s.special != nil {
		s.special.Close()
		s.special = nil
	}
	if s.Refiner != nil {
		s.Refiner.Close()
		s.Pool.Close()
		s.Refiner = nil
	}
}

// Vectors of the host.
type (
	vector = []float64
	scalar = linop.Float64
)

// Solve solves A x = b from the guess x0, or from zero if x0 is nil. Both vectors have as many elements as the matrix has rows.
// Solve does not change them.
func (s *Solver) Solve(ctx context.Context, b, x0 []float64) (solve.Result, error) {
	switch {
	case s.root != nil:
		return s.solveAtRoot(ctx, b, x0)
	case s.Job != nil:
		return s.solveOverDomains(ctx, b, x0)
	}
	return s.solveHere(ctx, b, x0)
}

// solveHere is Solve on this rank.
func (s *Solver) solveHere(ctx context.Context, b, x0 []float64) (solve.Result, error) {
	if err := rules.CheckVector("right-hand side", b, s.M.Rows); err != nil {
		return solve.Result{}, err
	}
	if err := rules.CheckGuess(x0, s.M.Cols); err != nil {
		return solve.Result{}, err
	}
	return s.tiny.solve(b, s.Pool, func(b []float64) (solve.Result, error) { return s.solveRaised(ctx, b, x0) })
}

// solveRaised is solveHere for the matrix of Problem.
func (s *Solver) solveRaised(ctx context.Context, b, x0 []float64) (solve.Result, error) {
	if s.special != nil {
		return s.solveSpecial(ctx, b, x0)
	}
	x := make([]float64, s.M.Rows)
	copy(x, x0)
	if done, ok, err := s.recorder.Begin(ctx, b, x0); ok || err != nil {
		return done, err
	}
	a := &solution{s: s, Solution: &refine.Solution{
		S: &s.Problem, Ctx: ctx, Vectors: linop.NewHost(len(b), s.Pool), X: s.Order.Forth(x), B: s.Order.Forth(b), Given: b,
	}}
	guess := x0 != nil
	if guess {
		r := make([]float64, len(a.B))
		linop.NewCSR(s.M, s.Pool).Residual(r, a.B, a.X)
		guess = refine.Helps(a.Vectors, a.X, r, a.B, s.Opt.Log)
	}
	if err := a.solve(guess); err != nil {
		return solve.Result{}, err
	}
	r := s.result(a)
	s.recorder.End(r)
	return r, nil
}

// solveSpecial solves with a matrix of a special kind.
func (s *Solver) solveSpecial(ctx context.Context, b, x0 []float64) (solve.Result, error) {
	r, err := s.special.Solve(ctx, b, x0)
	if rules.Precise(s.Opt) && r.Reason == krylov.Converged {
		r.Reason, r.Advice = krylov.TooFewDigits, fmt.Sprintf("A is singular, so that x is one of many; try Options.Digits = %d", solve.MaxDigits)
	}
	return r, err
}

// result returns the Result of a solution.
func (s *Solver) result(a *solution) solve.Result {
	s.lastX = a.X
	s.Carried.Solved(a.Solved.Iterations)
	used := s.Refiner.Usage()
	now := used.Used().Minus(a.before)
	used.Precond.Applications, used.Precond.Elapsed = now.Applications, now.Preconditioning
	r := s.using(used)
	r.X, r.Reason, r.Errors, r.Digits, r.Precise, r.Evidence, r.Unknowns = s.Order.Back(a.X), a.Reason, a.Errors, a.Digits, a.Precise, a.Evidence, a.unknowns
	r.Outer, r.Iterations, r.SpMVs = a.Solved.Outer, a.Solved.Iterations, now.Products
	r.Time = solve.TimeByPhase{
		Total: time.Since(a.Began) + now.Total, SpMV: now.Multiplying,
		Precond:           now.Preconditioning + now.SettingUp,
		Orthogonalization: a.Solved.Orthogonalization, Verify: a.Spent.Verifying, Digits: a.Spent.Estimating,
	}
	if a.least != nil {
		r.NullSpace = a.least.NullSpace
	}
	if low := s.Refiner.Lower(a.X); low != nil {
		r.XLow = s.Order.Back(low)
	}
	r.Advice, r.Cautions = a.advice(used), a.cautions()
	return r
}

// LastX returns the x of the last Solve as it came from the backend, in the order chosen.
func (s *Solver) LastX() []float64 { return s.lastX }

// SolveVecTo solves A x = b and stores x in dst, like mat.Cholesky.SolveVecTo and other factorizations of gonum. An empty dst is
// resized; dst may be b. The error is a *solve.NotConvergedError if dst is not a solution to the tolerance. [Solver.Solve] also takes
// a context and an initial guess, and returns a full Result.
func (s *Solver) SolveVecTo(dst *mat.VecDense, b mat.Vector) error {
	if !dst.IsEmpty() && dst.Len() != s.M.Rows {
		return rules.Invalid("the destination has %d elements, the matrix %d rows", dst.Len(), s.M.Rows)
	}
	rhs := make([]float64, b.Len())
	for i := range rhs {
		rhs[i] = b.AtVec(i)
	}
	r, err := s.Solve(context.Background(), rhs, nil)
	if err != nil {
		return err
	}
	if dst.IsEmpty() {
		dst.ReuseAsVec(s.M.Rows)
	}
	dst.CopyVec(mat.NewVecDense(len(r.X), r.X))
	return r.Err()
}

// checkLower reports lower parts that differ in shape from the matrix, or that are invalid.
func checkLower(m *csr.Matrix, lower []*csr.Matrix) error {
	for _, part := range lower {
		if part.Rows != m.Rows || part.Cols != m.Cols {
			return rules.Invalid("a lower part of %d x %d for a matrix of %d x %d", part.Rows, part.Cols, m.Rows, m.Cols)
		}
		if err := part.Validate(); err != nil {
			return err
		}
	}
	return nil
}

// SolveParts is Solve for a right-hand side that is the sum of several parts, for an x of multiple precision. The first part is
// much larger than the others, which hold what a file has beyond float64.
func (s *Solver) SolveParts(ctx context.Context, b [][]float64, x0 []float64) (solve.Result, error) {
	for _, part := range b[1:] {
		if err := rules.CheckVector("lower part of the right-hand side", part, s.M.Rows); err != nil {
			return solve.Result{}, err
		}
	}
	if len(b) > 1 && (!rules.Precise(s.Opt) || s.special != nil || s.root != nil || s.Job != nil) {
		return solve.Result{}, &solve.InputError{Msg: fmt.Sprintf("a right-hand side of several parts is for more than %d digits of the x of a square matrix on one rank", solve.MaxDigits)}
	}
	s.LowerB = nil
	for _, part := range b[1:] {
		s.LowerB = append(s.LowerB, s.tiny.times(part))
	}
	defer func() { s.LowerB = nil }()
	return s.Solve(ctx, b[0], x0)
}
