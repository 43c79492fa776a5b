package solver

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/internal/solver/batch"
	"github.com/mpsolve/mpsolve/internal/solver/checkpoint"
	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/options"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
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
	root     dist.Comm // ranks, of which rank 0 has the whole matrix; nil: there are no other ranks
}

// sideBySide is the state of solves for several right-hand sides.
type sideBySide struct {
	rhs    *int          // index of the right-hand side of SolveMany in progress; nil: unknown
	team   *team         // solvers of SolveMany; nil: none yet
	column *batch.Column // the column of a team that this Solver solves for; nil: none
	batch  *batch.Batch  // what the columns share
}

// New prepares to solve with m, which must stay unchanged while the Solver is in use. If the context ends before the
// matrix has been examined, ordered, scaled and stored, New returns an error. Later the end of the context interrupts only
// the set-up of preconditioners, and Solve makes up for it. Close ends the threads.
func New(ctx context.Context, m *csr.Matrix, opt solve.Options) (*Solver, error) {
	return newWith(ctx, m, opt, Solver{})
}

// newWith is New for a Solver that begins as with.
func newWith(ctx context.Context, m *csr.Matrix, opt solve.Options, with Solver) (*Solver, error) {
	rhs, asked := new(int), opt
	opt.Monitor = batch.Numbered(opt.Monitor, rhs)
	s, err := prepared(ctx, m, opt, with)
	if err == nil {
		s.side.rhs, s.updates.asked = rhs, asked
	}
	return s, err
}

// prepared does the work of newWith.
func prepared(ctx context.Context, m *csr.Matrix, opt solve.Options, with Solver) (*Solver, error) {
	start := time.Now()
	if err := options.Validate(opt); err != nil {
		return nil, err
	}
	if err := m.Validate(); err == nil && m.Rows != m.Cols && (opt.Method == solve.LSQR || opt.Method == solve.Auto || opt.Method == "") && m.NNZ() > 0 {
		if !options.Float64Vectors(opt.Vectors) {
			return nil, options.Invalid("least squares are solved with vectors double, not %v", options.VectorsText(opt.Vectors))
		}
		return leastSquaresSolver(ctx, m, options.WithDefaults(opt, max(m.Rows, m.Cols)))
	}
	if err := options.CheckMatrix(m); err != nil {
		return nil, err
	}
	if err := checkLower(m, opt.Lower); err != nil {
		return nil, err
	}
	for k, v := range opt.Precond.NearNull {
		if err := options.CheckVector(fmt.Sprintf("near-null vector %d", k+1), v, m.Rows); err != nil {
			return nil, err
		}
	}
	opt = options.WithDefaults(opt, m.Rows)
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
