package solve

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/dist"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/mp"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// Solver is a matrix made ready to be solved with, for any number of
// right-hand sides one after the other.
type Solver struct {
	Facts   csr.Facts
	Method  Method // chosen first
	Scale   Scale  // chosen
	Order   Ordering
	Setup   time.Duration
	Threads int

	given   *csr.Matrix // what the verdict is about
	m       *csr.Matrix // the same in the order chosen
	scaled  *scaledMatrix
	opt     Options
	pool    *parallel.Pool
	refiner refiner     // nil: closed
	stored  func()      // called when the method's matrix is stored; nil: no one waits for that
	special special     // nil: an ordinary matrix
	lowerB  [][]float64 // parts of the right-hand side beside that of Solve
	looks   looks       // of m
	places  *DeviceChoice
	sums    []float64 // sum_j |a_ij| of each row of m; nil: not asked for yet

	multiple *mp.Matrix // given, for residuals of multiple precision; nil: none were asked for yet

	known *knownParts // of given and m

	recorder *recorder // of checkpoints; nil: none
	answered []float64 // the last x, in the order chosen

	needed  needed                       // by the preconditioner set up last
	asked   Options                      // of New
	kept    *precond.Kept                // of the pattern, for Update; nil: nothing
	layouts map[storedAs]adaptive.Layout // for Update, likewise
	usual   int                          // iterations with the transfers of multigrid as they were when made; 0: not known
	took    int                          // iterations of the last solve
	carried carried                      // from one Update to the next

	rhs     *int    // the right-hand side of SolveMany that is solved for; nil: unknown
	team    *team   // of SolveMany; nil: none yet
	member  *member // of a team, that solves with this; nil: none does
	family  *family // what it shares
	sharing int     // how many solves share the memory for cycles of GMRES that grow; 0: this one has it

	root dist.Comm // ranks whose first has the whole matrix; nil: there are no others
	job  *job      // ranks that share the matrix; nil: all of it is here
}

// knownParts is what verification knows of the matrix as given and in the order chosen.
type knownParts struct{ given, ordered verify.Known }

// special solves with a matrix of a special kind in its own way.
type special interface {
	solve(ctx context.Context, b, x0 []float64) (Result, error) // b is of the right length and finite
	close()

	chosen() Result // see Chosen, Ladder and Memory
	ladder() []string
	memory() []MethodMemory
}

// New prepares to solve with m, which must stay as it is while the Solver is in
// use. If the context ends before the matrix is examined, ordered, scaled and stored, that is
// an error. Then it interrupts setting up preconditioners; what was not set up follows in
// Solve. Close ends the threads.
func New(ctx context.Context, m *csr.Matrix, opt Options) (*Solver, error) {
	rhs, asked := new(int), opt
	opt.Monitor = numbered(opt.Monitor, rhs)
	s, err := prepared(ctx, m, opt)
	if err == nil {
		s.rhs, s.asked = rhs, asked
	}
	return s, err
}

// prepared is New.
func prepared(ctx context.Context, m *csr.Matrix, opt Options) (*Solver, error) {
	start := time.Now()
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	if err := m.Validate(); err == nil && m.Rows != m.Cols && (opt.Method == LSQR || opt.Method == Auto || opt.Method == "") && m.NNZ() > 0 {
		if !opt.Vectors.plain() {
			return nil, invalid("least squares are solved with vectors double, not %v", opt.Vectors)
		}
		return newLeastSquares(ctx, m, opt.withDefaults(max(m.Rows, m.Cols)))
	}
	if err := checkMatrix(m); err != nil {
		return nil, err
	}
	if err := checkLower(m, opt.Lower); err != nil {
		return nil, err
	}
	for k, v := range opt.Precond.NearNull {
		if err := CheckVector(fmt.Sprintf("near-null vector %d", k+1), v, m.Rows); err != nil {
			return nil, err
		}
	}
	opt = opt.withDefaults(m.Rows)
	opt.Stage("examining the matrix")
	if c := opt.Checkpoint.Resume; c != nil {
		opt.Threads = cmp.Or(opt.Threads, c.Threads())
	}
	if !opt.ordinary {
		if s, err := newSingular(ctx, m, opt); s != nil || err != nil {
			return s, err
		}
	}
	s := &Solver{given: m, m: m, opt: opt, pool: parallel.New(opt.Threads), known: new(knownParts)}
	if opt.Updates {
		s.kept = new(precond.Kept)
	}
	s.Threads = s.pool.Threads()
	var err error
	if s.recorder, err = newRecorder(s); err == nil {
		err = s.setUp(ctx)
	}
	if err != nil {
		s.pool.Close()
		return nil, err
	}
	s.Setup = time.Since(start)
	return s, nil
}

// absSums returns the sums of magnitudes of the rows, which must stay as they are.
func (s *Solver) absSums() []float64 {
	switch {
	case s.sums != nil:
	case s.job != nil:
		s.sums = dist.RowSums(s.job.Matrix, s.pool)
	default:
		s.sums = s.m.RowSums(s.pool)
	}
	return s.sums
}

// extremeSums returns the least and the largest of absSums.
func (s *Solver) extremeSums() (least, most float64) {
	sums := s.absSums()
	if s.job != nil {
		return s.job.Extremes(sums)
	}
	return slices.Min(sums), slices.Max(sums)
}

// Device describes the device that is solved on, and the most of its memory, in bytes, that
// was taken at one time; on is false for the host.
func (s *Solver) Device() (info gpu.Info, bytes int64, on bool) {
	if s.opt.Device == nil {
		return info, 0, false
	}
	_, bytes = s.opt.Device.Bytes()
	return s.opt.Device.Info(), bytes, true
}

// Close ends the threads and releases what is on a device, which stays open. The Solver
// must not be used afterwards; closing it again does nothing.
func (s *Solver) Close() {
	if s.special != nil {
		s.special.close()
		s.special = nil
	}
	if s.refiner != nil {
		s.refiner.close()
		s.pool.Close()
		s.refiner = nil
	}
}

// say tells a decision.
func (s *Solver) say(format string, args ...any) { s.opt.Log(fmt.Sprintf(format, args...)) }
