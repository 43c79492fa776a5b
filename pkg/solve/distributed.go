package solve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/dist"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// NewDistributed is New for a matrix that is spread over the ranks of a.Comm, which all call it with the same options, and
// then Solve and Close in the same order. Solve takes the own elements of the rank, and Result.X has them, in the
// order of the matrix ([dist.Layout.Spread]); so does Options.Precond.NearNull. All else in the Solver and in a Result is the same on all ranks, and so is
// an error; times are those of each. Options.Log, Options.Monitor and Options.Stage are used on rank 0 alone. The bits of x depend on
// a.Domains and not on the number of ranks. Options.Threads counts for a rank, and Options.MaxMemory for
// all ranks together.
//
// A context that ends on one rank ends the work of all. A matrix of one domain is solved with by its rank, as by
// New, while the others wait; one of several domains takes the options that [Options.OverDomains] allows.
func NewDistributed(ctx context.Context, a *dist.Matrix, opt Options) (*Solver, error) {
	if a.Comm.Rank() > 0 {
		opt.Log, opt.Monitor, opt.Stage = nil, nil, nil
	}
	if a.Domains.Count() == 1 {
		return NewAtRoot(ctx, a.Comm, a.Local, opt)
	}
	start := time.Now()
	if err := errors.Join(opt.Validate(), opt.OverDomains()); err != nil {
		return nil, err
	}
	opt = opt.withDefaults(int(a.N))
	opt.Reorder = ReorderNone
	s := &Solver{given: a.Local, m: a.Local, opt: opt, pool: parallel.New(opt.Threads), known: new(knownParts), job: &job{Matrix: a}}
	s.Threads = s.pool.Threads()
	if err := s.setUpOverDomains(ctx); err != nil {
		s.pool.Close()
		return nil, err
	}
	s.Setup = time.Since(start)
	return s, nil
}

// OverDomains reports every option that a matrix of several domains is not solved with.
func (o Options) OverDomains() error {
	var faults []error
	fault := func(what string, yes bool) {
		if yes {
			faults = append(faults, fmt.Errorf("solve: %s over several domains (--domains 1)", what))
		}
	}
	fault("there is no reordering", o.Reorder != "" && o.Reorder != ReorderNone && o.Reorder != ReorderAuto)
	fault(fmt.Sprintf("there are no vectors %v", o.Vectors), !o.Vectors.plain())
	fault(fmt.Sprintf("there are no more than %d digits", MaxDigits), o.precise())
	if o.Device != nil && !o.DeviceAuto {
		kind := o.Precond.Kind
		fault(fmt.Sprintf("preconditioner %s does not run on devices", kind), kind != "" && !slices.Contains(devicePrecondsOverDomains, kind))
		fault("devices have no basis in fewer bits", o.Basis != "")
		fault("devices round no halos", o.HaloEpsilon > 0)
	}
	fault("there are no null spaces", o.NullSpace.Kind != "" && o.NullSpace.Kind != NullSpaceAuto && o.NullSpace.Kind != NullSpaceNone)
	fault("there are no least squares", o.Method == LSQR)
	fault("there is no layout sym", o.Storage.Layout == adaptive.Symmetric)
	fault(fmt.Sprintf("there is no transpose of overlap for method %s", o.Method), o.Method.transposes() && o.Precond.Overlap == precond.OverlapOne)
	return errors.Join(faults...)
}

// devicePrecondsOverDomains are those that run on devices which share a matrix.
var devicePrecondsOverDomains = []precond.Kind{PrecondAuto, precond.None}

// setUpOverDomains is setUp for a matrix of several domains. All that it chooses is found out by all ranks together.
func (s *Solver) setUpOverDomains(ctx context.Context) error {
	s.job.agreement = newAgreement(ctx, s.job.Comm)
	ctx, s.looks.ctx = s.job.agreement, s.job.agreement
	if s.opt.Candidate != nil || s.opt.DeviceAuto {
		s.opt.Device, s.opt.Candidate = nil, nil
		s.say("device cpu: the matrix has several domains")
	}
	agreeMemory(s.job.Comm, &s.opt.MaxMemory)
	differ, err := agreeMachine(s.job.Comm, &s.opt.Storage)
	if err != nil {
		return err
	}
	if differ {
		s.say("kernels %s: the best that all processes have", s.opt.Storage.Kernels)
	}
	if err := s.job.step(func() error {
		s.Facts = dist.Examine(s.job.Matrix, s.pool)
		return solvable(s.Facts)
	}); err != nil {
		return err
	}
	s.opt.Examined(s.Facts)
	for k, v := range s.opt.Precond.NearNull {
		if err := agreeError(s.job.Comm, s.job.check(fmt.Sprintf("near-null vector %d", k+1), v)); err != nil {
			return err
		}
	}
	s.say("domains %d: rows, sums and preconditioners are divided alike for any number of processes", s.job.Domains.Count())
	s.sayOneDomain()
	s.chooseMethod()
	if err := errors.Join(s.checkTranspose(), s.checkMemory()); err != nil {
		return err
	}
	if s.opt.Device != nil { // on all ranks
		if err := agreeError(s.job.Comm, s.chooseDevice()); err != nil {
			return err
		}
		s.say("devices: one for each of %d processes, halos through the host", s.job.Comm.Size())
	}
	if err := s.job.step(s.chooseScaling); err != nil {
		return err
	}
	if s.recorder, err = newRecorderOverDomains(s); err != nil {
		return err
	}
	s.scaled.pool = s.pool
	s.scaled.transposes, s.scaled.symmetric = s.Method.transposes(), s.keepsSymmetry()
	if err := s.job.look(); err != nil {
		return err
	}
	if s.opt.Device == nil {
		s.refiner, err = newRefinement(ctx, s, newRanks(s))
		return err
	}
	at, err := newDeviceRanks(s)
	if err == nil {
		s.refiner, err = newRefinement(ctx, s, at)
	}
	return err
}

// solveOverDomains is Solve for a matrix of several domains.
func (s *Solver) solveOverDomains(ctx context.Context, b, x0 []float64) (Result, error) {
	s.job.agreement = newAgreement(ctx, s.job.Comm)
	err := s.job.check("right-hand side", b)
	if err == nil && x0 != nil {
		err = s.job.check("initial guess", x0)
	}
	if err = agreeError(s.job.Comm, err); err != nil {
		return Result{}, err
	}
	if done, ok, err := s.recorder.begin(s.job.agreement, b, x0); ok || err != nil {
		return done, err
	}
	s.job.agreement.patient = s.recorder != nil
	space := dist.NewSpace(s.job.Layout, s.pool)
	a := &answer{s: s, ctx: s.job.agreement, vectors: space, x: space.New(), b: space.New()}
	a.given = a.b
	s.job.Spread(a.b, b)
	if x0 != nil {
		s.job.Spread(a.x, x0)
	}
	r, err := s.answer(a, x0 != nil)
	if err == nil {
		r.X = make([]float64, s.job.Own)
		s.job.Join(r.X, a.x)
		s.recorder.end(r)
	}
	return r, err
}

// chosen is what a Solver found out and chose, as far as it can be seen.
type chosen struct {
	Facts   csr.Facts
	Method  Method
	Scale   Scale
	Setup   time.Duration
	Threads int
}

// NewAtRoot is New on rank 0, while the others wait and learn of the Solver what NewDistributed says. They pass
// any m, and to Solve any vectors; Result.X is nil there.
func NewAtRoot(ctx context.Context, c dist.Comm, m *csr.Matrix, opt Options) (*Solver, error) {
	s := &Solver{}
	learned, err := shareRoot(c, func() (c chosen, err error) {
		if s, err = New(ctx, m, opt); err == nil {
			c = chosen{s.Facts, s.Method, s.Scale, s.Setup, s.Threads}
		}
		return c, err
	})
	if err != nil {
		return nil, err
	}
	s.Facts, s.Method, s.Scale, s.Setup, s.Threads = learned.Facts, learned.Method, learned.Scale, learned.Setup, learned.Threads
	s.root = c
	return s, nil
}

// solveAtRoot solves on rank 0, with the whole system; the others learn all of the Result but X and Precise.
func (s *Solver) solveAtRoot(ctx context.Context, b, x0 []float64) (Result, error) {
	var x []float64
	var evidence *Evidence
	var precise *Precise
	r, err := shareRoot(s.root, func() (Result, error) {
		r, err := s.solve(ctx, b, x0)
		x, r.X = r.X, nil
		precise, r.Precise = r.Precise, nil
		if evidence = r.Evidence; evidence != nil {
			without := *evidence
			without.Y, r.Evidence = nil, &without
		}
		return r, err
	})
	r.Precise = precise
	if r.X = x; evidence != nil {
		r.Evidence = evidence
	}
	return r, err
}
