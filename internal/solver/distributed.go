package solver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/checkpoint"
	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/internal/solver/special"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// NewDistributed is New for a matrix that is spread over the ranks of a.Comm. All ranks call it with the same options, and
// then Solve and Close in the same order. Vectors are the own elements of each rank in the order of the matrix
// ([dist.Layout.Spread]): the arguments of Solve, Result.X, XLow and Precise.X, Options.Precond.NearNull and Options.NullSpace. All else in the Solver and in a Result is the
// same on all ranks, errors included, but for times. Only rank 0 uses Options.Log, Options.Monitor and Options.Stage. The bits of x
// depend on a.Domains, not on the number of ranks. Options.Threads counts for each rank, Options.MaxMemory for all ranks together.
//
// Unless Options.Reorder is none, the Solver may cut the matrix into other domains of the same number, by its graph ([ranks.Job.CutByGraph]), and takes
// the rows out of a.Local then. Vectors keep the order of a.
//
// A context that ends on one rank ends the work of all. Rank 0 solves with a matrix of one domain, as New does, while the others
// wait. A matrix of several domains takes the options that rules.OverDomains allows.
func NewDistributed(ctx context.Context, a *dist.Matrix, opt solve.Options) (*Solver, error) {
	if a.Comm.Rank() > 0 {
		opt.Log, opt.Monitor, opt.Stage = nil, nil, nil
	}
	if a.Domains.Count() == 1 {
		return NewAtRoot(ctx, a.Comm, a.Local, opt)
	}
	start := time.Now()
	if err := errors.Join(rules.Validate(opt), rules.OverDomains(opt)); err != nil {
		return nil, err
	}
	if a.Frame != nil {
		return leastSquaresOverDomains(ctx, a, opt)
	}
	opt = rules.WithDefaults(opt, int(a.N))
	n, facts, err := special.FindNullSpaceOverDomains(ctx, a, opt, makeInnerOverDomains)
	switch {
	case err != nil:
		return nil, err
	case n != nil:
		return singularBy(n, facts, a.Local, opt, start), nil
	}
	return overDomainsOrdinary(ctx, a, opt)
}

// overDomainsOrdinary is NewDistributed for a matrix of several domains, and of no special kind.
func overDomainsOrdinary(ctx context.Context, a *dist.Matrix, opt solve.Options) (*Solver, error) {
	start := time.Now()
	opt = rules.WithDefaults(opt, int(a.N))
	keeps := opt.Reorder == solve.ReorderNone || rules.Precise(opt) // long x are not moved
	opt.Reorder, opt.CGS2 = solve.ReorderNone, true                 // few reductions over ranks
	s := new(Solver)
	s.begin(a.Local, opt)
	s.Job = &ranks.Job{Matrix: a.Through(dist.NewHearing(a.Comm))}
	s.rows = s.Job
	if err := s.setUpOverDomains(ctx, keeps); err != nil {
		s.Pool.Close()
		return nil, err
	}
	s.Setup = time.Since(start)
	return s, nil
}

// beginTogether makes the ranks agree on the context, the memory limit and the kernels. Collective.
func (s *Solver) beginTogether(ctx context.Context) error {
	s.Job.Agreement = ranks.NewAgreement(ctx, s.Job.Comm)
	s.Features.Ctx = s.Job.Agreement
	ranks.AgreeMemory(s.Job.Comm, &s.Opt.MaxMemory)
	differ, err := ranks.AgreeMachine(s.Job.Comm, &s.Opt.Storage)
	if err == nil && differ {
		s.Say("kernels %s: the best that all processes have", s.Opt.Storage.Kernels)
	}
	return err
}

// setUpOverDomains is setUp for a matrix of several domains, whose rows may keep their order. The ranks make all choices together.
func (s *Solver) setUpOverDomains(ctx context.Context, keeps bool) (err error) {
	if err := s.beginTogether(ctx); err != nil {
		return err
	}
	ctx = s.Job.Agreement
	if s.Opt.Candidate != nil || s.Opt.DeviceAuto {
		s.Opt.Device, s.Opt.Candidate = nil, nil
		s.Say("device cpu: the matrix has several domains")
	}
	if err := s.Job.Step(func() error {
		s.Facts = dist.Examine(s.Job.Matrix, s.Pool)
		return rules.Solvable(s.Facts)
	}); err != nil {
		return err
	}
	s.Opt.Examined(s.Facts)
	for k, v := range s.Opt.Precond.NearNull {
		if err := ranks.AgreeError(s.Job.Comm, s.Job.Check(fmt.Sprintf("near-null vector %d", k+1), v, s.Job.Domains)); err != nil {
			return err
		}
	}
	s.sayOneDomain()
	if err := s.cut(keeps); err != nil {
		return err
	}
	s.ChooseMethod()
	if err := errors.Join(s.CheckTranspose(), s.CheckMemory()); err != nil {
		return err
	}
	if s.Opt.Device != nil { // on all ranks
		if err := ranks.AgreeError(s.Job.Comm, s.ChooseDevice()); err != nil {
			return err
		}
		s.Say("devices: one for each of %d processes, halos through the host", s.Job.Comm.Size())
	}
	if err := s.Job.Step(s.ChooseScaling); err != nil {
		return err
	}
	if s.recorder, err = checkpoint.NewOverDomains(&s.System); err != nil {
		return err
	}
	s.Scaled.Pool = s.Pool
	s.Scaled.Transposes, s.Scaled.Symmetric = rules.Transposes(s.Method), s.KeepsSymmetry()
	if err := s.Job.Look(); err != nil {
		return err
	}
	if s.Opt.Device == nil {
		at := backend.NewRanks(s.Job, s.M, s.Opt.Storage.Kernels, s.Opt.HaloEpsilon, s.Scaled.Transposes && !s.Scaled.Symmetric, s.Pool)
		if s.Opt.Vectors.Kind == solve.VectorsDD {
			s.Say(requestedDD)
			return refineAt(ctx, s, backend.NewRanksDD(at))
		}
		return refineAt(ctx, s, at)
	}
	at, err := backend.NewDeviceRanks(s.Job, s.M, s.Opt.Device, s.Pool)
	if err == nil {
		err = refineAt(ctx, s, at)
	}
	return err
}

// cut cuts the matrix into domains by its graph, unless its rows keep their order. Collective.
func (s *Solver) cut(keeps bool) error {
	how := "by rows"
	if !keeps {
		node := func() int {
			size := s.Opt.Precond.BlockSize
			if size == 0 {
				size = precond.BlockSizeDistributed(s.Job.Matrix)
			}
			if whole := max(1, s.Job.Node); size%whole > 0 {
				size *= whole
			}
			return size
		}
		job, room := *s.Job, int64(0)
		if s.Opt.MaxMemory > 0 {
			room = max(1, s.Opt.MaxMemory-s.Opt.Held-csr.Bytes(s.Job.N, s.Job.NNZ))
		}
		var err error
		if how, err = job.CutByGraph(node, room, s.Threads); err != nil {
			return err
		}
		if o := job.Order; o != nil {
			s.Job = &job
			s.Given, s.M = job.Local, job.Local
			var near [][]float64
			for _, v := range s.Opt.Precond.NearNull {
				near = append(near, o.In(v))
			}
			s.Opt.Precond.NearNull = near
		}
	}
	s.Say("domains %d: %s; sums and preconditioners are the same for any number of processes", s.Job.Domains.Count(), how)
	return nil
}

// solveOverDomains is Solve for a matrix of several domains, whose rows may have another order than the vectors of the caller.
func (s *Solver) solveOverDomains(ctx context.Context, b, x0 []float64) (r solve.Result, err error) {
	s.Job.Agreement = ranks.NewAgreement(ctx, s.Job.Comm)
	rows, cols := s.rows.Sides()
	err = s.rows.Check("right-hand side", b, rows)
	if err == nil && x0 != nil {
		err = s.rows.Check("initial guess", x0, cols)
	}
	if err = ranks.AgreeError(s.Job.Comm, err); err != nil {
		return solve.Result{}, err
	}
	if s.special != nil {
		return s.solveSpecial(ctx, b, x0)
	}
	o := s.Job.Order
	if o == nil {
		return s.solveInOrder(b, x0)
	}
	b = o.In(b)
	if dist.Any(s.Job.Comm, x0 != nil) { // a rank without rows may have none
		x0 = o.In(x0)
	}
	if r, err = s.solveInOrder(b, x0); err != nil {
		return r, err
	}
	r.X = o.Out(r.X)
	if dist.Any(s.Job.Comm, r.XLow != nil) {
		r.XLow = o.Out(r.XLow)
	}
	if v := r.Evidence; v != nil {
		given := *v
		given.Y, r.Evidence = o.Out(v.Y), &given
	}
	return r, nil
}

// solveInOrder is solveOverDomains with vectors in the order of the rows.
func (s *Solver) solveInOrder(b, x0 []float64) (solve.Result, error) {
	if done, ok, err := s.recorder.Begin(s.Job.Agreement, b, x0); ok || err != nil {
		return done, err
	}
	s.Job.Agreement.Patient = s.recorder != nil
	space := dist.NewSpace(s.Job.Layout, s.Pool)
	a := &solution{s: s, Solution: &refine.Solution{S: &s.Problem, Ctx: s.Job.Agreement, Vectors: space, X: space.New(), B: space.New()}}
	a.Given = a.B
	s.Job.Spread(a.B, b)
	if x0 != nil {
		s.Job.Spread(a.X, x0)
	}
	guess := dist.Any(s.Job.Comm, x0 != nil) // a rank without rows may have none
	if guess {
		r := space.New()
		if err := s.Refiner.Residual(r, a.X, a.B); err != nil {
			return solve.Result{}, err
		}
		guess = refine.Helps(space, a.X, r, a.B, s.Opt.Log)
	}
	if err := a.solve(guess); err != nil {
		return solve.Result{}, err
	}
	r := s.result(a)
	r.X = make([]float64, s.Job.Own)
	s.Job.Join(r.X, a.X)
	if low := r.XLow; low != nil {
		r.XLow = make([]float64, s.Job.Own)
		s.Job.Join(r.XLow, low)
	}
	s.recorder.End(r)
	return r, nil
}

// chosen is what the fields of a Solver tell the caller.
type chosen struct {
	Facts   csr.Facts
	Method  solve.Method
	Scale   solve.Scale
	Setup   time.Duration
	Threads int
}

// NewAtRoot is New on rank 0. The other ranks wait, and learn what NewDistributed says about the Solver. They may pass
// any m, and any vectors to Solve; their Result.X is nil.
func NewAtRoot(ctx context.Context, c dist.Comm, m *csr.Matrix, opt solve.Options) (*Solver, error) {
	s := &Solver{}
	learned, err := ranks.ShareRoot(c, func() (c chosen, err error) {
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

// solveAtRoot solves the whole system on rank 0. The other ranks learn the Result but for X and Precise.
func (s *Solver) solveAtRoot(ctx context.Context, b, x0 []float64) (solve.Result, error) {
	var x []float64
	var evidence *solve.Evidence
	var precise *solve.Precise
	r, err := ranks.ShareRoot(s.root, func() (solve.Result, error) {
		r, err := s.solveHere(ctx, b, x0)
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

// sayOneDomain logs where a solve on one domain would treat the matrix in another way: if it is triangular in the order given. Collective.
func (s *Solver) sayOneDomain() {
	if !s.LeavesAll() {
		return
	}
	const above, below = 0, 1 // found in any row: an entry above the diagonal, an entry below it
	found := []int64{0, 0}
	for _, p := range s.Job.Parts {
		for i := p.First(); i < p.End() && found[above]+found[below] < 2; i++ {
			cols, vals := s.M.Row(i) // positions of a segment are in the order of rows
			for k, j := range cols {
				switch {
				case vals[k] == 0:
				case int(j) > i:
					found[above] = 1
				case int(j) < i:
					found[below] = 1
				}
			}
		}
	}
	s.Job.Comm.Max(found)
	shape := ""
	switch {
	case found[above]+found[below] == 0:
		shape = "diagonal"
	case found[above] == 0:
		shape = "lower triangular"
	case found[below] == 0:
		shape = "upper triangular"
	}
	if shape != "" {
		s.Say("domains %d: the matrix is %s, which a solve on one domain solves by substitution", s.Job.Domains.Count(), shape)
	}
}
